#include "engine/search/exact/coarser_tables.h"

#include "engine/search/exact/rest_bounds.h"

namespace heliolite {
namespace {

constexpr u64 kMostCoarseValues = 4'000'000;  // of the tables of one channel, all levels together
constexpr u64 kFewestCells = 1024;            // worth a try with less

}  // namespace

bool coarse_tables_are_large(const LayerProblem& problem, const Lattice& lattice,
                             std::span<const FanoutChoices> fanouts) {
  const Compiled& c = problem.model.compiled();
  const KeepRange keep = problem.keep_range();
  if (!lattice.grid().coarse() || !ServerSets::few(keep, c.level_count, c.tensor_count)) return false;
  const FlowCosts model = make_flow_costs(problem, keep, lattice, fanouts);
  u64 sets = 0;
  for (int i = 0; i < c.level_count; ++i) sets += model.servers.count(i - 1);
  return lattice.grid().cells() * sets > kMostCoarseValues ||
         bytes(fanouts) + RestBounds::bytes(model) > problem.options.memory_bytes / 2;
}

std::optional<Lattice> with_coarser_grid(const Lattice& lattice) {
  if (lattice.grid().cells() <= kFewestCells) return std::nullopt;
  return Lattice(lattice.full().extent, kMaxDimensions, {0, lattice.grid().cells() / 4});
}

}  // namespace heliolite
