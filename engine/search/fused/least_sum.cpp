#include "engine/search/fused/least_sum.h"

#include <algorithm>
#include <set>

#include "engine/base/integers.h"
#include "engine/network/group_plan.h"
#include "engine/search/core/parallel.h"

namespace heliolite {
namespace {

constexpr double kSingles = 0.25;        // part of the time that is left, for links alone
constexpr double kNearShare = 1.0 / 16;  // of what is between bound and value: so near are paths bounded at a time
// The trees below this part of what is between a group's bound and what it must beat are searched first.
constexpr double kFirstPart = 1.0 / 16;

}  // namespace

LeastSum::LeastSum(const LinkGraph& graph, const Architecture& architecture, const FusionRules& rules,
                   LinkSolver& solver, GroupLooks& looks, double lambda, const SearchBudget& budget,
                   BetterSchedule report)
    : graph_(graph),
      architecture_(architecture),
      rules_(rules),
      solver_(solver),
      looks_(looks),
      lambda_(lambda),
      budget_(budget),
      n_(static_cast<int>(graph.links.size())),
      segment_(at(n_), std::vector<Segment>(at(n_))),
      report_(std::move(report)) {
  for (int level = 0; level + 1 < static_cast<int>(architecture.levels.size()); ++level)
    if (why_not_fusing_level(architecture, level).empty()) fusing_levels_.push_back(level);
}

double LeastSum::run(const std::vector<KnownSchedule>& known, bool trees, double enough) {
  const KnownSchedule* start = begin(known);
  if (start == nullptr || !start->fused) look_for_groups();
  return prove(least_of(known), trees, enough);
}

double LeastSum::least_of(const std::vector<KnownSchedule>& known) const {
  double least = kNoSum;
  for (const KnownSchedule& k : known) least = std::min(least, sum_value(k.cost, lambda_));
  return least;
}

double LeastSum::next_slice(const std::vector<KnownSchedule>& known, const SearchBudget& budget, bool trees,
                            double enough) {
  budget_ = budget;
  // Time has ended the search of some links alone.
  has_cut_ = false;
  for (int l = 0; l < n_; ++l) segment_[l][l].settled = segment_[l][l].lower >= segment_[l][l].value * kEqualSum;
  return prove(least_of(known), trees, enough);
}

// The cheapest way by what is known, until all of its steps are settled or what none is below is as much as
// `enough_sum`. Bounds are searched of all groups at a time that are on it or on a path of nearly its value.
double LeastSum::prove(double least, bool trees, double enough) {
  for (; bounded_ < n_ * n_; ++bounded_) {
    if (solver_.over(budget_)) return 0;
    if (const auto [i, j] = std::pair(bounded_ / n_, bounded_ % n_); i < j) bound(i, j);
  }
  inherit();
  while (true) {
    const std::vector<double> before = from_start(), after = to_end();
    const double best = std::min(least, value_of_best());
    const double goal = std::min(best, enough);
    if (after[0] >= goal * kEqualSum || solver_.over(budget_)) return std::min(after[0], best);
    const std::vector<Step> near = steps_below(before, after, after[0] + kNearShare * (best - after[0]));
    if (search_alone(near) || search_bounds(near, BoundEffort::Whole) || search_bounds(near, BoundEffort::Passes))
      continue;
    const std::vector<Step> path = least_path(after);
    // [step]: what a group costs that is on no path below the goal.
    std::vector<double> limits;
    for (const Step& step : path) limits.push_back(goal - before[step.first] - after[step.last + 1]);
    if (search_alone(path) || search_common(path, limits)) continue;
    if (!trees || !search_trees(path, limits)) return std::min(after[0], best);
  }
}

std::optional<KnownSchedule> LeastSum::best() const {
  std::vector<int> cut;
  if (shortest_values(&cut)[0] == kNoSum) return std::nullopt;
  KnownSchedule out;
  u128 cycles = 0;
  for (int i = 0; i < n_;) {
    const Segment& s = segment_[i][cut[i]];
    const u64 runs = graph_.links[i].count;
    out.schedule.groups.push_back(*s.group);
    out.schedule.mappings.insert(out.schedule.mappings.end(), s.mappings.begin(), s.mappings.end());
    out.cost.energy += s.cost.energy * runs;
    cycles += static_cast<u128>(s.cost.cycles) * runs;
    out.fused |= cut[i] != i;
    i = cut[i] + 1;
  }
  out.cost.cycles = static_cast<u64>(std::min<u128>(cycles, ~u64{0}));
  return out;
}

std::optional<KnownSchedule> LeastSum::unfused() const {
  KnownSchedule out;
  for (int l = 0; l < n_; ++l) {
    const Segment& s = segment_[l][l];
    if (s.value == kNoSum) return std::nullopt;
    out.schedule.groups.push_back(*s.group);
    out.schedule.mappings.push_back(s.mappings.front());
    out.links.push_back(s.nests.front());
    out.cost += s.cost * graph_.links[l].count;
  }
  return out;
}

// Searches those of the steps that are a link alone, of which that has not been done: different shapes at a time, none
// for more than its share of the time. False: there are none.
bool LeastSum::search_alone(const std::vector<Step>& steps) {
  std::vector<int> first;
  std::set<std::size_t> shapes;
  for (const Step& step : steps)
    if (step.first == step.last && !segment_[step.first][step.first].settled &&
        shapes.insert(solver_.shape(step.first)).second)
      first.push_back(step.first);
  if (first.empty()) return false;
  std::vector<LinkAnswer> found(at(n_));
  std::vector<u8> is_cut(first.size(), 0);
  const int threads = static_cast<int>(std::min(thread_count(solver_.threads()), first.size()));
  const double share = std::min(1.0, kSingles * threads / static_cast<double>(first.size()));
  parallel_for(first.size(), threads, [&](std::size_t k) {
    const int l = first[k];
    const Segment& s = segment_[l][l];
    const LinkPass pass = alone(l).passes.front();
    const SearchBudget budget = budget_.part_of_time(share);
    found[solver_.shape(l)] = s.group
                                  ? solver_.solve_alone(l, pass, lambda_, {s.mappings.front(), s.nests.front()}, budget)
                                  : solver_.solve(l, pass, lambda_, kNoSum, budget);
    is_cut[k] = !found[solver_.shape(l)].proven && budget.over() ? 1 : 0;
  });
  has_cut_ |= std::ranges::count(is_cut, 1) != 0;
  for (int l = 0; l < n_; ++l)
    if (shapes.contains(solver_.shape(l))) single(l, found[solver_.shape(l)]);
  return true;
}

void LeastSum::single(int l, const LinkAnswer& answer) {
  Segment& s = segment_[l][l];
  LinkGroup alone;
  alone.first = alone.last = l;
  const GroupPlan p = plan(alone, graph_, architecture_, rules_);
  const Cost terms = terms_cost(p, graph_, architecture_);
  s.lower = std::max(s.lower, (answer.lower_bound + sum_value(terms, lambda_)) * runs(l));
  s.settled = true;
  if (!answer.found) return;
  if ((sum_value(answer.found->cost, lambda_) + sum_value(terms, lambda_)) * runs(l) > s.value) return;
  s.group = alone;
  s.mappings = {answer.found->mapping};
  s.nests = {answer.found->cost};
  s.cost = {answer.found->cost.energy + terms.energy, answer.found->cost.cycles + terms.cycles};
  s.value = sum_value(s.cost, lambda_) * runs(l);
  s.lower = std::min(s.lower, s.value);
}

std::vector<LeastSum::Step> LeastSum::links() const {
  std::vector<Step> out;
  for (int l = 0; l < n_; ++l) out.push_back({l, l});
  return out;
}

GroupPlan LeastSum::alone(int link) const {
  LinkGroup group;
  group.first = group.last = link;
  return plan(group, graph_, architecture_, rules_);
}

void LeastSum::take(Segment& s, int i, int j, int level, const FusedTree& tree) {
  if (tree.value * runs(i) >= s.value) return;
  s.value = tree.value * runs(i);
  s.group = LinkGroup{i, j, level, tree.node};
  s.mappings.clear();
  for (const LinkMapping& one : tree.links) s.mappings.push_back(one.mapping);
  s.cost = tree.cost;
}

u64 LeastSum::bytes() const {
  u64 out = 0;
  for (const auto& [step, levels] : levels_)
    for (const Level& level : levels) out += level.bytes();
  return out;
}

void LeastSum::forget() {
  for (auto& [step, levels] : levels_)
    for (Level& level : levels) level.forget();
}

// The other searches of trees may remember as much as this one.
void LeastSum::make_room(const Step& next) {
  const std::pair own{next.first, next.last};
  u64 others = bytes();
  for (const Level& level : levels_[own]) others -= level.bytes();
  if (others <= solver_.memory_bytes() / kPartsOfMemory) return;
  for (auto& [links, levels] : levels_)
    for (Level& level : levels)
      if (links != own) level.forget();
}

std::set<std::size_t> LeastSum::shapes_of(const Step& step) const {
  std::set<std::size_t> out;
  for (int l = step.first; l <= step.last; ++l) out.insert(solver_.shape(l));
  return out;
}

bool LeastSum::have_common(const std::set<std::size_t>& a, const std::set<std::size_t>& b) {
  return std::ranges::any_of(a, [&](std::size_t shape) { return b.contains(shape); });
}

// Searches trees of the first of these groups that is not settled. `limits`: [step]. False: all are settled.
bool LeastSum::search_trees(const std::vector<Step>& steps, const std::vector<double>& limits) {
  const auto is_settled = [&](const Step& step) { return segment_[step.first][step.last].settled; };
  const auto next = std::ranges::find_if_not(steps, is_settled);
  if (next == steps.end()) return false;
  make_room(*next);
  search(*next, limits[next - steps.begin()]);
  report_better();
  return true;
}

void LeastSum::search(const Step& step, double limit) {
  const auto [i, j] = step;
  Segment& s = segment_[i][j];
  double lower = kNoSum;
  for (Level& level : levels_.at({i, j})) {
    const double below = std::min(limit, s.value);
    if (level.lower < below * kEqualSum) {
      const bool is_first = !level.is_searched && level.lower > 0 && below < kNoSum;
      const double next = is_first ? level.lower + kFirstPart * (below - level.lower) : below;
      const TreeAnswer answer = search(level, next / runs(i));
      level.lower = std::max(level.lower, answer.lower_bound * runs(i));
      level.is_searched |= !solver_.over(budget_);
      if (answer.found) take(s, i, j, level.interval->level, with_first_mappings(*answer.found, *level.interval));
    }
    lower = std::min(lower, level.lower);
  }
  s.lower = std::max(s.lower, std::min(lower, s.value));
  s.settled = s.lower >= s.value * kEqualSum;
}

// The tree with mappings that do not depend on what was searched before, or by which thread.
FusedTree LeastSum::with_first_mappings(FusedTree tree, const FusedInterval& interval) {
  const LinkGroup group{interval.first, interval.last, interval.level, tree.node};
  const GroupPlan p = plan(group, graph_, architecture_, rules_);
  tree.cost = terms_cost(p, graph_, architecture_);
  for (std::size_t k = 0; k < tree.links.size(); ++k) {
    const int link = group.first + static_cast<int>(k);
    tree.links[k] = solver_.first_as_good(link, p.passes[k], lambda_, tree.links[k], budget_);
    tree.cost += tree.links[k].cost;
  }
  tree.value = sum_value(tree.cost, lambda_);
  return tree;
}

// The trees of a group at one level, from both ends where there is a second thread.
TreeAnswer LeastSum::search(Level& own, double limit) {
  std::vector<const TreeSearch*> others;
  for (const auto& [lambda, other] : elsewhere(own.interval->first, own.interval->last, own.interval->level)) {
    others.push_back(other->trees.get());
    if (other->backward) others.push_back(other->backward.get());
  }
  const bool is_shared = thread_count(solver_.threads()) > 1 && solver_.gate().on(Rule::LinkBound);
  if (is_shared && !own.backward)
    own.backward = std::make_unique<TreeSearch>(*own.interval, solver_, lambda_, budget_, bounds_,
                                                TreeSearchOptions{.backward = true});
  const u64 before = own.states();
  TreeAnswer out = is_shared ? own.trees->run_with(*own.backward, limit, others) : own.trees->run(limit, others);
  trees_ += own.states() - before;
  return out;
}

std::vector<double> LeastSum::from_start() const {
  std::vector<double> out(at(n_ + 1), kNoSum);
  out[0] = 0;
  for (int i = 0; i < n_; ++i)
    for (int j = i; j < n_; ++j) out[j + 1] = std::min(out[j + 1], out[i] + segment_[i][j].lower);
  return out;
}
std::vector<double> LeastSum::to_end() const {
  std::vector<double> out(at(n_ + 1), kNoSum);
  out[n_] = 0;
  for (int i = n_; i-- > 0;)
    for (int j = i; j < n_; ++j) out[i] = std::min(out[i], segment_[i][j].lower + out[j + 1]);
  return out;
}
// [i]: the least value of what was found from link i on; `cut`: where its first step ends.
std::vector<double> LeastSum::shortest_values(std::vector<int>* cut) const {
  std::vector<double> out(at(n_ + 1), kNoSum);
  if (cut != nullptr) cut->assign(at(n_), 0);
  out[n_] = 0;
  for (int i = n_; i-- > 0;)
    for (int j = i; j < n_; ++j) {
      const double value = segment_[i][j].value + out[j + 1];
      if (value >= out[i]) continue;
      out[i] = value;
      if (cut != nullptr) (*cut)[i] = j;
    }
  return out;
}

// The steps that are on a path whose bound is at most `value`.
std::vector<LeastSum::Step> LeastSum::steps_below(const std::vector<double>& before, const std::vector<double>& after,
                                                  double value) const {
  std::vector<Step> out;
  for (int i = 0; i < n_; ++i)
    for (int j = i; j < n_; ++j)
      if (segment_[i][j].lower < kNoSum && before[i] + segment_[i][j].lower + after[j + 1] <= value)
        out.push_back({i, j});
  return out;
}

// The path with the least bound.
std::vector<LeastSum::Step> LeastSum::least_path(const std::vector<double>& after) const {
  std::vector<Step> out;
  for (int i = 0; i < n_;) {
    int next = i;
    while (next + 1 < n_ && segment_[i][next].lower + after[next + 1] > after[i]) ++next;
    out.push_back({i, next});
    i = next + 1;
  }
  return out;
}

}  // namespace heliolite
