#include "engine/search/sunstone/level_problem.h"

#include <algorithm>
#include <bit>

#include "engine/base/integers.h"

namespace heliolite {
namespace {

OrderOptions order_options(const RuleSet& rules, const Mapspace& space, const LevelSpace& level) {
  OrderOptions out;
  out.loops = space.non_unit;
  const auto innermost = level.temporal.order.dimensions();
  out.innermost.assign(innermost.begin(), innermost.end());
  out.rule = {rules[Rule::OrderPrefix], rules[Rule::OrderRun], rules[Rule::OrderDominance]};
  return out;
}

}  // namespace

LevelProblem::LevelProblem(const LayerProblem& problem) : problem_(&problem) {
  list_orders();
  list_keep_choices();
}

void LevelProblem::list_orders() {
  const ReuseTable reuse = infer_reuse(problem_->workload, UnitDimensions::Skip);
  for (const LevelSpace& level : problem_->space.levels) {
    const OrderTrie trie = build_order_trie(reuse, order_options(problem_->options.rules, problem_->space, level));
    for (std::size_t r = 0; r < kOrderRules; ++r) order_counts_.cuts[r] += trie.cuts[r];
    orders_.push_back(trie.kept);
    if (orders_.back().empty()) orders_.back().emplace_back();  // no dimension above 1: the empty nest
  }
}

void LevelProblem::list_keep_choices() {
  keep_ = problem_->keep_choices(kMaxKeepChoices);
  if (!keep_.empty()) return;
  // Too many to try: one start per tensor that comes first where not all have room; one per way to deal the tensors to
  // the levels in turn, a tensor each, as machines with buffers of their own for each do; and one with nothing kept
  // that need not be. The climbs flip the rest.
  const KeepRange range = problem_->keep_range();
  const auto add = [&](const KeepMasks& keep) {
    if (std::find(keep_.begin(), keep_.end(), keep) == keep_.end()) keep_.push_back(keep);
  };
  for (int first = 0; first < problem_->space.tensor_count; ++first) add(with_room(range.may, first));
  for (int first = 0; first < problem_->space.tensor_count; ++first) add(with_room(dealt(range, first), first));
  add(range.must);
}

// One of the open tensors for each level, in turn, beginning with `first`; the outermost level that has open tensors
// keeps all.
KeepMasks LevelProblem::dealt(const KeepRange& range, int first) const {
  const Mapspace& space = problem_->space;
  KeepMasks keep = range.must;
  int outermost = -1;
  for (int i = 0; i < space.level_count(); ++i)
    if (space.levels[i].open != 0) outermost = i;
  int v = first;
  for (int i = 0; i <= outermost; ++i) {
    const TensorMask open = space.levels[i].open;
    if (i == outermost) keep[i] = range.may[i];
    if (i == outermost || open == 0) continue;
    while (!contains(open, v)) v = (v + 1) % space.tensor_count;
    keep[i] |= static_cast<TensorMask>(1u << v);
    v = (v + 1) % space.tensor_count;
  }
  return keep;
}

// Drops open tensors, `first` last, from levels that cannot hold a word of each.
KeepMasks LevelProblem::with_room(KeepMasks keep, int first) const {
  const Mapspace& space = problem_->space;
  for (int i = 0; i < space.level_count(); ++i) {
    const CompiledLevel& machine = problem_->model.compiled().level[i];
    if (machine.room == CompiledLevel::kUnbounded) continue;
    const TensorMask open = space.levels[i].open;
    for (int k = 1; k <= space.tensor_count; ++k) {
      const int v = (first + k) % space.tensor_count;
      u64 used = 0;
      for (const int kept : bits(keep[i])) used += machine.taken(kept, 1);
      if (used <= machine.room) break;
      if (contains(open, v)) keep[i] &= static_cast<TensorMask>(~(1u << v));
    }
  }
  return keep;
}

std::unique_ptr<Ladder> LevelProblem::make_ladder(const SearchBudget& budget) const {
  const SearchOptions& options = problem_->options;
  return std::make_unique<Ladder>(problem_->model, problem_->space, orders_, options.objective, keep_.front(), budget);
}

namespace {

// Whether `outer` and what is inside it down to the level `first`, which hold `held` together, are buffers side by side
// for tensors of their own: one split level with one tile, whose loops stand at `first`.
bool side_by_side(const LevelSpace& first, TensorMask held, const LevelSpace& outer) {
  if ((held & (outer.keep | outer.open)) != 0 || (outer.temporal.allowed & ~first.temporal.allowed) != 0) return false;
  const FactorLimits& limits = outer.temporal.factor;
  return std::all_of(limits.begin(), limits.end(), [](const FactorLimit& f) { return f.min <= 1; });
}

}  // namespace

std::vector<ChainStep> level_chain(const Mapspace& space) {
  std::vector<ChainStep> out;
  TensorMask held = 0;  // by the levels of the last step
  for (int i = 0; i < space.level_count(); ++i) {
    const LevelSpace& level = space.levels[i];
    if (level.spatial.exists()) {
      if (out.empty() || out.back().fanout >= 0) out.emplace_back();
      out.back().fanout = i;
    }
    const bool outermost = i + 1 == space.level_count();
    if (level.temporal.allowed == 0 && !outermost) continue;
    const bool open = !out.empty() && out.back().level >= 0 && out.back().fanout < 0;
    const bool joins = open && !outermost && side_by_side(space.levels[out.back().level], held, level);
    if (!joins) out.push_back({.level = i});
    held = static_cast<TensorMask>((joins ? held : 0) | level.keep | level.open);
  }
  // The step before a fan-out without loops inside it is priced by the level right inside that fan-out.
  for (std::size_t k = 0; k + 1 < out.size(); ++k)
    out[k].outer = out[k + 1].level >= 0 ? out[k + 1].level : out[k + 1].fanout - 1;
  return out;
}

}  // namespace heliolite
