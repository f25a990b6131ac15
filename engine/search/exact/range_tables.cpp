#include "engine/search/exact/range_tables.h"

#include <algorithm>
#include <utility>

#include "engine/search/exact/coarser_tables.h"
#include "engine/search/exact/rest_bounds.h"

namespace heliolite {
namespace {

constexpr u64 kLeastStates = u64{1} << 20;  // bytes that the tables must leave for states

}  // namespace

RangeTables::RangeTables(const LayerProblem& problem, const GridLimits& limits)
    : problem_(problem),
      lattice_(problem.model.compiled().size, problem.model.compiled().dimension_count, limits),
      fanouts_(make_fanout_choices(problem, lattice_, problem.options.memory_bytes)) {
  while ((fanouts_.empty() || coarse_tables_are_large(problem_, lattice_, fanouts_)) && coarsen()) {
  }
}

bool RangeTables::coarsen() {
  std::optional<Lattice> next = with_coarser_grid(lattice_);
  if (!next) return false;
  lattice_ = *std::move(next);
  fanouts_ = make_fanout_choices(problem_, lattice_, problem_.options.memory_bytes);
  return true;
}

double RangeTables::most_instances() const {
  const auto first = std::ranges::find_if(fanouts_, [](const FanoutChoices& f) { return f.exists; });
  return first == fanouts_.end() ? 1 : first->most_instances[lattice_.grid().cell(lattice_.full().index)];
}

std::optional<PreparedRange> RangeTables::prepare(const SearchRange& range, u64 held, bool cycles_only,
                                                  const std::function<bool()>& stop) const {
  // Step 1. The fan-outs and the flows of the range.
  const Compiled& c = problem_.model.compiled();
  if (!ServerSets::few(range.keep, c.level_count, c.tensor_count)) return std::nullopt;
  PreparedRange out;
  if (!range.unrollings.empty()) out.fanouts = with_choices(c, lattice_, fanouts_, range.unrollings);
  FlowCosts model =
      make_flow_costs(problem_, range.keep, lattice_, out.fanouts.empty() ? fanouts_ : out.fanouts, cycles_only);
  model.linked_fanout = range.linked_fanout;
  if (c.linked != 0) model.sites = sites_;
  // Step 2. The tables, if there is memory for them and some states.
  out.bytes = bytes(out.fanouts) + RestBounds::bytes(model);
  const u64 used = held + bytes(fanouts_) + out.bytes;
  if (used + kLeastStates > problem_.options.memory_bytes) return std::nullopt;
  out.passes = std::make_unique<LayeredPass>(problem_, std::move(model), problem_.options.memory_bytes - used, stop);
  return out;
}

}  // namespace heliolite
