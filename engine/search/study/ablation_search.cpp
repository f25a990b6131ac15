#include "engine/search/study/ablation_search.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/integers.h"
#include "engine/search/core/budget.h"
#include "engine/space/factor_tree.h"
#include "engine/space/unrolling.h"

namespace heliolite {
namespace {

constexpr std::size_t kMaxCandidates = 4'000'000;  // about 0.6 GB; beyond that the dearest are forgotten
constexpr u64 kLooksAtClock = 256;                 // once in so many candidates

// Plans are large: a candidate has only what its stage added.
struct Step {
  Value price;
  Unrolling unrolling;
  Extents tile;  // factors
  std::array<u16, kMaxLevels> order;
  bool done = false;
};

struct Node {
  Plan plan;
  Extents tile = unit_extents();  // of everything placed so far
  Extents rest = unit_extents();  // what is left of every dimension
};

// The parts of one keep choice share the incumbent.
struct BestSoFar {
  bool found = false;
  Value value = Value::worst();
  double number = 0;
};

class Search {
 public:
  Search(const LayerProblem& problem, const AblationLevels& levels, AblationStep step, Ladder& ladder,
         const SearchBudget& budget, BestSoFar& incumbent)
      : problem_(problem), levels_(levels), step_(step), ladder_(ladder), budget_(budget), incumbent_(incumbent) {
    for (int d = 0; d < space().dimension_count; ++d) divisors_.emplace_back(space().size[at(d)]);
  }

  // False: the budget or the memory for candidates ended it.
  bool run(const std::array<TensorMask, kMaxLevels>& keep) {
    Node root;
    root.plan.keep = keep;
    for (int d = 0; d < space().dimension_count; ++d) root.rest[d] = static_cast<u32>(space().size[at(d)]);
    if (levels_.level.size() == 1) {
      complete(root, 0);
    } else {
      stage(0, root);
    }
    return !over_ && !forgot_;
  }

 private:
  const Mapspace& space() const { return problem_.space; }
  bool last(std::size_t k) const { return k + 2 == levels_.level.size(); }

  void stage(std::size_t k, const Node& node) {
    std::vector<Step> candidates;
    // Step 1.
    const int fanout = levels_.fanout[k];
    if (fanout < 0) {
      tiles(k, node, {}, candidates);
    } else {
      const UnrollingSpace all = make_unrolling_space(divisors_, node.rest, space(), fanout, problem_.model.workload());
      const bool rules = step_ >= AblationStep::Spatial;
      for_each_unrolling(all, {rules, rules, rules}, [&](const Unrolling& u) -> bool {
        tiles(k, node, u, candidates);
        return !over_;
      });
    }
    // Step 2.
    std::sort(candidates.begin(), candidates.end(), [](const Step& a, const Step& b) { return a.price < b.price; });
    for (const Step& step : candidates) {
      if (over_ || (incumbent_.found && incumbent_.value < step.price)) break;
      if (!step.done) stage(k + 1, after(k, node, step));
    }
  }

  Node after(std::size_t k, const Node& node, const Step& step) const {
    Node out = node;
    out.plan.order = step.order;
    out.plan.factor[loop_place_of(LoopKind::Temporal, levels_.level[k])] = step.tile;
    if (levels_.fanout[k] >= 0) {
      out.plan.factor[loop_place_of(LoopKind::SpatialX, levels_.fanout[k])] = step.unrolling.x;
      out.plan.factor[loop_place_of(LoopKind::SpatialY, levels_.fanout[k])] = step.unrolling.y;
    }
    for (int d = 0; d < space().dimension_count; ++d) {
      out.tile[d] = node.tile[d] * step.tile[d] * step.unrolling.factor(d);
      out.rest[d] = node.rest[d] / step.tile[d] / step.unrolling.factor(d);
    }
    return out;
  }

  void tiles(std::size_t k, const Node& node, const Unrolling& u, std::vector<Step>& candidates) {
    Extents left = node.rest;
    for (int d = 0; d < space().dimension_count; ++d) left[d] /= u.factor(d);
    const int level = levels_.level[k], fanout = levels_.fanout[k];
    const TileSpace tiles = make_tile_space(divisors_, node.tile, left, space().levels[at(level)].temporal.factor);
    const auto fits = [&](const Extents& tile) -> bool {
      if (!ladder_.tile_fits(tile, level)) return false;
      if (fanout < 0) return true;
      Extents outside = tile;
      for (int d = 0; d < space().dimension_count; ++d) outside[d] *= u.factor(d);
      return ladder_.tile_fits(outside, fanout);
    };
    for_each_tile(tiles, {step_ >= AblationStep::Tiles}, fits, [&](const Extents& tile) -> bool {
      Step step{.price = {}, .unrolling = u, .tile = unit_extents(), .order = node.plan.order};
      for (int d = 0; d < space().dimension_count; ++d) step.tile[d] = tile[d] / node.tile[d];
      price(k, node, step, candidates);
      return !over_;
    });
  }

  void price(std::size_t k, const Node& node, Step& step, std::vector<Step>& candidates) {
    if (++priced_ % kLooksAtClock == 0) over_ |= budget_.over();
    Node n = after(k, node, step);
    if (last(k)) return complete(n, levels_.level[k]);
    const Score score = ladder_.choose_orders(n.plan, levels_.level[k], levels_.level[k + 1], n.rest);
    if (!score.fits || (incumbent_.found && incumbent_.value < score.value)) return;
    step.price = score.value;
    step.order = n.plan.order;
    // The cheapest so far at once: an incumbent makes the others fewer.
    if (candidates.empty() || step.price < cheapest_of(candidates)) {
      step.done = true;
      stage(k + 1, n);
    }
    candidates.push_back(step);
    if (step.done) std::swap(candidates.front(), candidates.back());
    if (candidates.size() > kMaxCandidates) forget(candidates);
  }

  // The cheapest stands first.
  static const Value& cheapest_of(const std::vector<Step>& candidates) { return candidates.front().price; }

  void forget(std::vector<Step>& candidates) {
    std::sort(candidates.begin(), candidates.end(), [](const Step& a, const Step& b) { return a.price < b.price; });
    std::size_t keep = candidates.size() / 2;
    if (incumbent_.found) {  // those above the incumbent are no loss
      while (keep < candidates.size() && !(incumbent_.value < candidates[keep].price)) ++keep;
      if (keep == candidates.size()) keep = candidates.size() / 2, forgot_ = true;
    } else {
      forgot_ = true;
    }
    candidates.resize(keep);
  }

  // Step 3. Levels up to `level` are done.
  void complete(Node& node, int level) {
    const int top = ladder_.levels() - 1;
    const LevelSpace& outermost = space().levels[at(top)];
    for (int d = 0; d < space().dimension_count; ++d)
      if (!outermost.temporal.factor[d].allows(node.rest[d])) return;
    node.plan.factor[loop_place_of(LoopKind::Temporal, top)] = node.rest;
    const Extents none = unit_extents();
    const Score score = ladder_.choose_orders(node.plan, level, top, none);
    if (!score.fits || (incumbent_.found && incumbent_.value <= score.value)) return;
    incumbent_ = {true, score.value, objective_number(ladder_.objective(), score.cost)};
  }

  const LayerProblem& problem_;
  const AblationLevels& levels_;
  AblationStep step_;
  Ladder& ladder_;
  const SearchBudget& budget_;
  BestSoFar& incumbent_;
  std::vector<DivisorTable> divisors_;  // by dimension
  u64 priced_ = 0;
  bool over_ = false, forgot_ = false;
};

// Every way to decide what the machine leaves open.
std::vector<std::array<TensorMask, kMaxLevels>> keep_choices(const Mapspace& space) {
  std::vector<std::array<TensorMask, kMaxLevels>> out(1);
  for (std::size_t i = 0; i < space.levels.size(); ++i) {
    const LevelSpace& level = space.levels[i];
    std::vector<std::array<TensorMask, kMaxLevels>> next;
    for (const auto& keep : out)
      for (unsigned kept = level.open;; kept = (kept - 1) & level.open) {
        next.push_back(keep);
        next.back()[i] = static_cast<TensorMask>(level.keep | kept);
        if (kept == 0) break;
      }
    out = std::move(next);
  }
  return out;
}

}  // namespace

Result<AblationLevels> ablation_levels(const Mapspace& space, const std::string& machine) {
  AblationLevels out;
  const auto refuse = [&](const std::string& why) {
    return Diagnostic{
        "", 0, "ablation",
        machine + " " + why + ", the ablation is for machines with one fan-out between levels with loops"};
  };
  int fanout = -1;
  for (int i = 0; i < space.level_count(); ++i) {
    const LevelSpace& level = space.levels[at(i)];
    if (level.spatial.exists()) {
      if (out.level.empty()) return refuse("has a fan-out inside its innermost loops");
      if (fanout >= 0) return refuse("has two fan-outs that no loops separate");
      fanout = i;
    }
    const bool outermost = i + 1 == space.level_count();
    if (level.temporal.allowed == 0 && !(outermost && space.non_unit == 0)) {
      if (outermost) return refuse("has no loops at its outermost level");
      continue;
    }
    if (!out.level.empty()) out.fanout.push_back(fanout);
    fanout = -1;
    out.level.push_back(i);
  }
  return out;
}

std::vector<std::vector<LoopOrder>> ablation_orders(const LayerProblem& problem) {
  const ReuseTable reuse = infer_reuse(problem.workload, UnitDimensions::Skip);
  std::vector<std::vector<LoopOrder>> out;
  for (const LevelSpace& level : problem.space.levels) {
    OrderOptions options;
    options.loops = problem.space.non_unit;
    const auto innermost = level.temporal.order.dimensions();
    options.innermost.assign(innermost.begin(), innermost.end());
    out.push_back(build_order_trie(reuse, options).kept);
    if (out.back().empty()) out.back().emplace_back();
  }
  return out;
}

void ablation_search(const LayerProblem& problem, const AblationLevels& levels, AblationRow& row) {
  const SearchBudget budget(problem.options);
  const auto orders = ablation_orders(problem);
  BestSoFar incumbent;
  u64 evaluated = 0;
  for (const auto& keep : keep_choices(problem.space)) {
    Ladder ladder(problem.workload, problem.architecture, problem.space, orders, problem.options.objective, keep,
                  budget);
    row.finished &= Search(problem, levels, row.step, ladder, budget, incumbent).run(keep);
    evaluated += ladder.evaluated();
    if (budget.over()) row.finished = false;
  }
  row.points = static_cast<double>(evaluated);
  row.points_exact = fmt::format("{}", evaluated);
  if (incumbent.found) row.value = incumbent.number;
}

}  // namespace heliolite
