// What a mapping from a file costs, level by level. The file may be ours, an answer of `heliolite map --json`, or
// Timeloop's.
//
//   evaluate_file MACHINE WORKLOAD MAPPING        MACHINE and WORKLOAD as -a and -w of the program take them
#include <heliolite/evaluate.h>
#include <heliolite/timeloop.h>

#include <cstdio>
#include <string>

namespace {

int fail(const heliolite::Diagnostics& errors) {
  std::fprintf(stderr, "%s\n", to_string(errors).c_str());  // file:line: field: what is wrong, what is allowed
  return 2;
}

void print(const heliolite::CostBreakdown& cost) {
  std::printf("%.1f pJ, %llu cycles, %.0f %% of the %s units busy\n", cost.energy_pj,
              static_cast<unsigned long long>(cost.cycles), 100 * cost.utilization, cost.compute.name.c_str());
  // Outermost level first. Counts are words of one instance, energies those of all instances.
  for (auto level = cost.levels.rbegin(); level != cost.levels.rend(); ++level)
    for (const heliolite::TensorCost& tensor : level->tensors) {
      if (!tensor.counted) continue;
      std::printf("%-10s %-6s tile %6llu  reads %6lld  fills %6lld  updates %6lld  %10.1f pJ\n", level->level.c_str(),
                  tensor.tensor.c_str(), static_cast<unsigned long long>(tensor.tile_words),
                  static_cast<long long>(tensor.reads), static_cast<long long>(tensor.fills),
                  static_cast<long long>(tensor.updates), tensor.access_pj);
    }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: evaluate_file MACHINE WORKLOAD MAPPING\n");
    return 2;
  }
  const auto machine = heliolite::load_architecture(argv[1]);
  if (!machine) return fail(machine.errors());
  const auto network = heliolite::load_network(argv[2]);
  if (!network) return fail(network.errors());
  const heliolite::Workload workload = network->layers().front().workload;

  const auto mapping = heliolite::load_mapping(argv[3], workload, *machine);  // read, and legal on the machine
  if (!mapping) return fail(mapping.errors());
  const auto cost = heliolite::CostModel(workload, *machine).explain(*mapping);
  if (!cost) return fail(cost.errors());
  print(*cost);

  // Timeloop can replay it, unless the mapping has what its format cannot say.
  const auto directives = heliolite::timeloop_mapping(*mapping);
  const std::string text = directives ? *directives : to_string(directives.errors()) + "\n";
  std::printf("\nFor Timeloop:\n%s", text.c_str());
}
