// Maps every layer of a network on a machine and prints what is proven of each mapping.
//
//   map [WORKLOAD] [MACHINE]        as -w and -a of the program take them: presets, files, text
#include <heliolite/map.h>

#include <cstdio>
#include <string>

namespace {

template <class T>
bool usable(const heliolite::Result<T>& result) {
  if (!result) std::fprintf(stderr, "%s\n", to_string(result.errors()).c_str());
  return result.ok();
}

void print(const heliolite::LayerAnswer& layer) {
  if (!layer.feasible()) {
    std::printf("%-12s infeasible: %s\n", layer.name.c_str(), to_string(layer.why_infeasible).c_str());
    return;
  }
  // The certificate: no mapping of the mapspace has an energy-delay product below lower_bound.
  std::printf("%-12s %10.1f uJ %12llu cycles   EDP %.4e >= %.4e  %s\n", layer.name.c_str(), layer.cost.energy_pj / 1e6,
              static_cast<unsigned long long>(layer.cost.cycles), layer.value, layer.lower_bound, layer.status.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  const auto network = heliolite::load_network(argc > 1 ? argv[1] : "alexnet");
  const auto machine = heliolite::load_architecture(argc > 2 ? argv[2] : "eyeriss");
  if (!usable(network) || !usable(machine)) return 2;

  heliolite::MapOptions options;  // the defaults of `heliolite map`: the exact search on every core
  options.objective = "edp";
  options.budget_seconds = 60;  // of one layer; then the best so far, with what is proven of it
  const auto answer = heliolite::map_network(*network, *machine, options);
  if (!usable(answer)) return 1;

  for (const heliolite::LayerAnswer& layer : answer->layers) print(layer);
  std::printf("%-12s %10.1f uJ %12llu cycles\n", "total", answer->total.energy_pj / 1e6,
              static_cast<unsigned long long>(answer->total.cycles));
  return answer->all_feasible() ? 0 : 1;
}
