#pragma once
// What the exact search needs to search a range of the mapspace: the lattice of tiles and the fan-outs, which all
// ranges share, and for each range the flows, their tables and the passes over them.
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/search/exact/layered_pass.h"
#include "engine/search/exact/search_range.h"

namespace heliolite {

// A range with what its passes need.
struct PreparedRange {
  std::vector<FanoutChoices> fanouts;  // empty: those of all ranges
  u64 bytes = 0;                       // of tables, and fan-outs
  std::unique_ptr<LayeredPass> passes;
};

// The lattice and the fan-outs of a mapspace, and what is made of them for its ranges.
class RangeTables {
 public:
  // The grid is made coarser until the tables of all keep choices are of use (coarser_tables.h). The problem must
  // outlive it.
  RangeTables(const LayerProblem& problem, const GridLimits& limits);

  const Lattice& lattice() const { return lattice_; }
  // [level]: with all choices. Empty: there is no memory for them.
  const std::vector<FanoutChoices>& fanouts() const { return fanouts_; }
  // Most instances of all fan-outs together.
  double most_instances() const;

  // Makes the grid of the tables coarser; ranges prepared before must not be used any more. False: it is as coarse as
  // is of use.
  bool coarsen();

  // None: there is no memory for the tables of the range beside the `held` bytes of others. With `cycles_only` energy
  // counts as nothing. `stop`: as LayeredPass() has it. What is prepared refers to this object.
  std::optional<PreparedRange> prepare(const SearchRange& range, u64 held, bool cycles_only,
                                       const std::function<bool()>& stop) const;

 private:
  const LayerProblem& problem_;
  Lattice lattice_;
  std::vector<FanoutChoices> fanouts_;
  std::shared_ptr<LinkSites> sites_ = std::make_shared<LinkSites>();  // of all ranges
};

}  // namespace heliolite
