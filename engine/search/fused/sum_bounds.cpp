// Bounds of the groups of a least sum (docs/rules/fused.md): of their links, of the links that share an array, and what
// is proven of them at other lambdas.
#include <algorithm>
#include <functional>
#include <set>

#include "engine/search/core/parallel.h"
#include "engine/search/fused/least_sum.h"

namespace heliolite {
namespace {

constexpr double kNearSettled = 1.15;  // a lambda this near is one close by

}  // namespace

// What a group of these links costs at least.
void LeastSum::bound(int i, int j) {
  Segment& s = segment_[i][j];
  s.lower = s.value;
  s.settled = true;
  for (const int level : fusing_levels_) {
    const auto interval = make_interval(graph_, architecture_, level, i, j, rules_);
    if (!interval) continue;
    Level& own = levels_[{i, j}].emplace_back();
    own.interval = std::make_unique<FusedInterval>(*interval);
    own.trees = std::make_unique<TreeSearch>(*own.interval, solver_, lambda_, budget_, bounds_);
    if (solver_.gate().on(Rule::LinkBound)) own.lower = own.trees->quick_least() * runs(i);
    else own.searched = BoundEffort::Passes;
    s.lower = std::min(s.lower, own.lower);
    s.settled = false;
  }
}

// Searches what the links of these groups cost at least, as far as it is not known: links of different shapes at a
// time, those first with which most may be won. False: there is nothing to search.
bool LeastSum::search_bounds(const std::vector<Step>& steps, BoundEffort effort) {
  struct Due {
    Level* level;
    int link;
    double open, lower;
  };
  std::vector<Level*> levels;
  std::map<std::vector<u64>, Due> due;
  for (const Step& step : steps) {
    if (step.first == step.last) continue;
    for (Level& level : levels_[{step.first, step.last}]) {
      if (level.searched >= effort) continue;
      levels.push_back(&level);
      LinkBound& bound = level.trees->bound();
      for (int l = step.first; l <= step.last; ++l)
        if (!bound.is_searched(l, effort))
          due.try_emplace(bound.key_at_root(l), Due{&level, l, segment_[l][l].value - bound.quick(l) * runs(l), 0});
    }
  }
  if (levels.empty()) return false;
  std::map<std::size_t, std::vector<Due*>> of_shape;
  for (auto& [key, d] : due) of_shape[solver_.shape(d.link)].push_back(&d);
  std::vector<std::vector<Due*>> shapes;
  for (auto& [shape, own] : of_shape) shapes.push_back(std::move(own));
  const auto most = [](const std::vector<Due*>& own) {
    double sum = 0;
    for (const Due* d : own) sum += d->open;
    return sum;
  };
  std::ranges::stable_sort(shapes, std::greater(), most);
  parallel_for(shapes.size(), solver_.threads(), [&](std::size_t k) {
    for (Due* d : shapes[k]) d->lower = d->level->trees->bound().search(d->link, effort);
  });
  const bool complete = !solver_.over(budget_);  // else it is searched again if there is time
  for (const auto& [key, d] : due) d.level->trees->bound().keep(d.link, effort, d.lower, complete);
  if (solver_.gate().on(Rule::HomeBound)) solver_.gate().pruned(Rule::HomeBound, due.size());
  for (Level* level : levels) {
    level->lower = std::max(level->lower, level->trees->quick_least() * runs(level->interval->first));
    if (complete) level->searched = effort;
  }
  for (const Step& step : steps) raise(step);
  return true;
}

// The bound of a step that its levels give.
void LeastSum::raise(const Step& step) {
  if (step.first == step.last) return;
  Segment& s = segment_[step.first][step.last];
  double lower = s.value;
  for (const Level& level : levels_[{step.first, step.last}]) lower = std::min(lower, level.lower);
  s.lower = std::max(s.lower, lower);
}

// Searches what links that share an array cost at least together, in these groups, up to what is enough for each, by
// one round of looks: groups whose links have different shapes at a time. False: it is known.
bool LeastSum::search_common(const std::vector<Step>& steps, const std::vector<double>& enough) {
  // Step 1. Groups with links of a shape are searched one after the other.
  struct Due {
    Step step;
    Level* level;
    double enough;
    bool complete = false;
  };
  struct Part {
    std::set<std::size_t> shapes;
    std::vector<Due> due;
  };
  std::vector<Part> parts;
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const Step& step = steps[k];
    if (step.first == step.last || !solver_.gate().on(Rule::LinkBound)) continue;
    Part own;
    for (Level& level : levels_[{step.first, step.last}])
      if (!level.common) own.due.push_back({step, &level, enough[k] / runs(step.first)});
    if (own.due.empty()) continue;
    own.shapes = shapes_of(step);
    for (Part& other : parts)
      if (have_common(other.shapes, own.shapes)) {
        own.shapes.merge(other.shapes);
        own.due.insert(own.due.begin(), other.due.begin(), other.due.end());
        other.due.clear();
      }
    std::erase_if(parts, [](const Part& other) { return other.due.empty(); });
    parts.push_back(std::move(own));
  }
  if (parts.empty()) return false;
  for (const Part& part : parts)
    for (const Due& d : part.due) d.level->trees->least_together();
  // Step 2. The searches.
  parallel_for(parts.size(), solver_.threads(), [&](std::size_t k) {
    for (auto& [step, level, most, complete] : parts[k].due) {
      std::vector<double> alone;
      for (int l = step.first; l <= step.last; ++l) alone.push_back(segment_[l][l].value / runs(l));
      complete = level->trees->search_together(alone, most, level->looks);
    }
  });
  // Step 3. What they say.
  for (const Part& part : parts)
    for (const Due& d : part.due) {
      d.level->lower = std::max(d.level->lower, d.level->trees->least_together() * runs(d.step.first));
      d.level->common = d.complete;
      if (!solver_.over(budget_)) d.level->looks *= 2;
      solver_.gate().pruned(Rule::HomeBound, solver_.gate().on(Rule::HomeBound) ? 1 : 0);
    }
  for (const Step& step : steps) raise(step);
  return true;
}

// What is known of these trees at other lambdas, [lambda].
std::map<double, const LeastSum::Level*> LeastSum::elsewhere(int i, int j, int level) const {
  std::map<double, const Level*> out;
  for (const LeastSum* other : others_)
    if (const auto known = other->levels_.find({i, j}); known != other->levels_.end())
      for (const Level& l : known->second)
        if (l.interval->level == level) out.emplace(other->lambda_, &l);
  return out;
}

// Takes up what is proven of groups at other lambdas. Where trees were searched at one close by, it is nearly all that
// bounds of links would say.
void LeastSum::inherit() {
  if (!solver_.gate().on(Rule::LinkBound) || others_.empty()) return;
  for (auto& [links, levels] : levels_) {
    if (solver_.over(budget_)) return;
    for (Level& own : levels) {
      if (own.is_searched) continue;
      std::map<double, double> proven;
      for (const auto& [lambda, other] : elsewhere(links.first, links.second, own.interval->level)) {
        proven.emplace(lambda, other->lower / runs(links.first));
        if (!other->is_searched || std::max(lambda / lambda_, lambda_ / lambda) > kNearSettled) continue;
        own.searched = BoundEffort::Passes;
        own.common = true;
      }
      own.lower = std::max(own.lower, own.trees->least_by(proven) * runs(links.first));
    }
    raise({links.first, links.second});
  }
}

}  // namespace heliolite
