#pragma once
// The mapspace: how many mappings a machine's constraints allow, which loop orders matter, and why a mapping is
// outside.
//
//   auto machine = heliolite::load_architecture("eyeriss");
//   auto gemm = heliolite::parse_einsum("o[i,j] += a[i,k]*b[k,j]; i=64,j=64,k=128");
//   auto size = heliolite::space_size(*gemm, *machine);
//   if (size) std::printf("%s mappings\n", size->mappings.c_str());                // an integer of any length
//   for (const auto& order : heliolite::loop_orders(*gemm).orders) std::puts(order.front().c_str());  // innermost loop
#include <heliolite/mapping.h>  // IWYU pragma: export
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heliolite::api {

struct SpaceOptions {
  bool free = false;  // lift the machine's dataflow constraints; keep rules, fan-outs and levels without loops stay
  bool open = false;  // lift its keep rules
  bool unit_loops = false;  // loops of one iteration take part in orders, as in published counts
};

// The choices at one level. Counts are decimal integers of any length.
struct LevelChoices {
  std::string level;
  std::optional<std::string> unrollings;  // of the fan-out below, by itself; none: too many to count
  std::string orders;                     // of its temporal loops
  std::string keeps;                      // sets of tensors that it may keep
};

// The ways to split a dimension over levels and fan-outs, by itself.
struct DimensionSplits {
  std::string dimension;
  std::string splits;
};

// How many mappings there are, capacities aside.
struct SpaceSize {
  std::string mappings;       // tilings x orders x keeps
  std::string tilings;        // splits of all dimensions that fit the fan-outs together
  bool tilings_exact = true;  // false: too many to count together, `tilings` is the product of the splits
  std::optional<std::string>
      nests;  // different loop nests, of which loops of one iteration are no part; none: too many
  std::vector<DimensionSplits> dimensions;
  std::vector<LevelChoices> levels;  // innermost first
};

// Errors: constraints that name what the workload does not have, or that contradict each other.
Result<SpaceSize> space_size(const Workload& workload, const Architecture& architecture,
                             const SpaceOptions& options = {});

// The orders of one level's loops of which no other is better for every tensor (docs/rules/loop_orders.md).
struct LoopOrders {
  std::vector<std::vector<std::string>> orders;  // dimensions, innermost first
  std::uint64_t visited = 0;                     // partial orders that were looked at to find them
};
LoopOrders loop_orders(const Workload& workload);

// The machine's constraints that a mapping does not obey, so that no search returns it; empty: it obeys all.
Diagnostics outside_space(const Mapping& mapping, const SpaceOptions& options = {});

}  // namespace heliolite::api
