// Maps one GEMM with the installed library, as a program outside this repository would.
#include <cstdio>

#include "engine/heliolite.h"

int main() {
  const auto network = heliolite::load_network("gemm:64x64x64");
  const auto machine = heliolite::load_architecture("eyeriss");
  if (!network || !machine) return 2;
  const auto answer = heliolite::map_network(*network, *machine, {});
  if (!answer || !answer->all_feasible()) return 1;
  std::printf("heliolite %s: %llu cycles\n", heliolite::version_info().version.data(),
              static_cast<unsigned long long>(answer->total.cycles));
}
