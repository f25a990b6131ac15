#pragma once
// The parts of the mapspace that the search of all tile sizes tells apart: keep choices, each with what its words cost
// and what follows outside; and within them unrollings (docs/rules/any_factors.md, Unrollings).
#include <memory>
#include <optional>
#include <vector>

#include "engine/search/all_tiles/partial_cost.h"
#include "engine/search/all_tiles/rest_table.h"
#include "engine/search/certify/incumbent.h"
#include "engine/search/core/budget.h"
#include "engine/search/core/layer_problem.h"

namespace heliolite {

// What mappings cost at least whose flows into boundaries outside a level cost this: of those inside each word
// crosses once.
inline Cost with_outside(const OnceCost& once, int level, const Rest& outside) {
  return {Energy{once.whole.energy.units - once.outside[level] + outside.energy},
          std::max(once.whole.cycles, outside.cycles())};
}

// Mappings with one keep choice: what their words cost, and what follows outside. `costs` may be told an unrolling; the
// table is that of all.
struct KeepSpace {
  KeptFlows costs;
  PartialCost partial;
  std::optional<RestTable> rest;

  KeepSpace(const Compiled& c, const KeepMasks& keep, const Mapspace& space, u64 least_cycles, DimensionMask batches,
            Proxies proxies)
      : costs(c, keep, Unrollable::of(space), proxies), partial(costs, least_cycles, batches) {}
};

class KeepSpaces {
 public:
  // All keep choices of the problem, with tables of `most_points` at most, of mappings that can beat the incumbent;
  // none if there are too many choices. `batches`: ReducedProblem::batches().
  KeepSpaces(const LayerProblem& problem, const Incumbent& incumbent, RuleCounts& counts, std::size_t most_points,
             DimensionMask batches, const SearchBudget& budget);
  // False: the time was over before all tables were made, and nothing may be asked of them.
  bool whole() const { return whole_; }

  u32 choices() const { return static_cast<u32>(space_.size()); }
  KeepSpace& operator[](u32 choice) { return *space_[choice]; }
  u64 bytes() const;

  // PartialCost::settle() of one of them, until the next call.
  void settle(KeepSpace& space, const Trail& trail, const Reach& reach, bool loops);
  // PartialCost::look_ahead(), if it has not been called for it since.
  void look_ahead(KeepSpace& space, const Trail& trail, const Reach& reach);
  void unsettle();

 private:
  KeepSpaces(const LayerProblem& problem, const Incumbent& incumbent, RuleCounts& counts,
             const std::vector<KeepMasks>& keeps, std::size_t most_points, DimensionMask batches,
             const SearchBudget& budget);

  void tabulate(const LayerProblem& problem, const Incumbent& incumbent, RuleCounts& counts, KeepSpace& space,
                const SearchBudget& budget);

  TileRanges ranges_;
  std::vector<std::unique_ptr<KeepSpace>> space_;
  PartialCost* settled_ = nullptr;
  bool whole_ = true;
};

}  // namespace heliolite
