// Answers of the least sum, with nothing proven (docs/rules/fused.md, Answers): links alone, what is known at other
// lambdas, the steps of a climb (climb.cpp), trees that are quickly priced, and better mappings for the best of them.
#include <algorithm>

#include "engine/network/group_plan.h"
#include "engine/search/fused/least_sum.h"

namespace heliolite {
namespace {

// Parts of the time that is left:
constexpr double kClimbs = 0.15;       // for changes of the best known trees, before and after
constexpr double kFastTrees = 0.25;    // all groups, quickly priced
constexpr double kRefit = 0.2;         // for the mappings of the best of them
constexpr u64 kMostForRefit = 20'000;  // mappings that a link of the best trees is worth

}  // namespace

void LeastSum::improve(const std::vector<KnownSchedule>& known) {
  begin(known);
  climb(budget_, ChangesAtOnce::Two);
  const auto quick = best();
  if (!quick) return;
  for (const LinkGroup& group : quick->schedule.groups) {
    refit(group, budget_.at_most(kMostForRefit));
    report_better();
  }
}

// What is known, for this lambda. Returns what is best there.
const KnownSchedule* LeastSum::begin(const std::vector<KnownSchedule>& known) {
  singles(known);
  if (value_of_best() == kNoSum) search_alone(links());
  report_better();
  if (known.empty()) return nullptr;
  const auto value = [&](const KnownSchedule& k) { return sum_value(k.cost, lambda_); };
  const KnownSchedule& best = *std::ranges::min_element(known, {}, value);
  seed(best.schedule.groups);
  return &best;
}

// From the best mappings of links alone.
void LeastSum::look_for_groups() {
  search_alone(links());
  climb(budget_.part_of_time(kClimbs), ChangesAtOnce::One);
  // The longest groups first, which save most: without loops, then with.
  const SearchBudget fast_budget = budget_.part_of_time(kFastTrees);
  for (const bool loops : {false, true})
    for (int length = n_; length > 1; --length)
      for (int i = 0; i + length <= n_; ++i) fast(i, i + length - 1, loops, fast_budget);
  report_better();
  climb(budget_.part_of_time(kClimbs), ChangesAtOnce::One);
  const SearchBudget refit_budget = budget_.part_of_time(kRefit);
  if (const auto quick = best())
    for (const LinkGroup& group : quick->schedule.groups) refit(group, refit_budget);
  report_better();
}

// Every link alone, by the best mapping that is known of it and what it must move.
void LeastSum::singles(const std::vector<KnownSchedule>& known) {
  for (int l = 0; l < n_; ++l) {
    LinkAnswer best;
    for (const KnownSchedule& schedule : known) {
      if (schedule.fused || schedule.links.empty()) continue;
      const Cost& cost = schedule.links[l];
      if (!best.found || sum_value(cost, lambda_) < sum_value(best.found->cost, lambda_))
        best.found = LinkMapping{schedule.schedule.mappings[l], cost};
    }
    best.lower_bound = solver_.first_bound(l, alone(l).passes.front(), lambda_);
    single(l, best);
    segment_[l][l].settled = false;
  }
}

// Some trees of these links, quickly priced.
void LeastSum::fast(int i, int j, bool loops, const SearchBudget& budget) {
  Segment& s = segment_[i][j];
  for (const int level : fusing_levels_) {
    if (solver_.over(budget)) return;
    const auto interval = make_interval(graph_, architecture_, level, i, j, rules_);
    if (!interval) continue;
    const TreeAnswer answer =
        TreeSearch(*interval, solver_, lambda_, budget, bounds_, {.exact = false, .loops = loops}).run(kNoSum);
    if (answer.found) take(s, i, j, level, *answer.found);
  }
}

// The tree of a group with the best mappings for this lambda.
void LeastSum::refit(const LinkGroup& group, const SearchBudget& budget) {
  if (group.is_single() || solver_.over(budget)) return;
  const GroupPlan p = plan(group, graph_, architecture_, rules_);
  std::vector<std::optional<LinkMapping>> found;
  for (int l = group.first; l <= group.last; ++l)
    found.push_back(solver_.solve(l, p.passes[l - group.first], lambda_, kNoSum, budget).found);
  offer(group, p, found);
}

// A group whose links have these mappings, if each has one.
void LeastSum::offer(const LinkGroup& group, const GroupPlan& p, std::span<const std::optional<LinkMapping>> found) {
  FusedTree tree;
  tree.node = group.root;
  for (const std::optional<LinkMapping>& one : found) {
    if (!one) return;
    tree.links.push_back(*one);
    tree.cost += one->cost;
  }
  tree.cost += terms_cost(p, graph_, architecture_);
  tree.value = sum_value(tree.cost, lambda_);
  take(segment_[group.first][group.last], group.first, group.last, group.level, tree);
}

// Known groups, with mappings that are quickly found for this lambda.
void LeastSum::seed(const std::vector<LinkGroup>& groups) {
  for (const LinkGroup& group : groups) {
    if (group.is_single()) continue;
    const GroupPlan p = plan(group, graph_, architecture_, rules_);
    std::vector<LinkSolver::Question> questions;
    for (int l = group.first; l <= group.last; ++l) questions.push_back({l, p.passes[l - group.first]});
    offer(group, p, solver_.fast(questions, lambda_, budget_));
  }
  report_better();
}

void LeastSum::report_better() {
  const double value = value_of_best();
  if (!report_ || value >= reported_) return;
  reported_ = value;
  report_(*best());
}

void LeastSum::links_alone() {
  std::vector<LinkSolver::Question> questions;
  for (int l = 0; l < n_; ++l) questions.push_back({l, alone(l).passes.front()});
  const auto found = solver_.fast(questions, lambda_, budget_);
  for (int l = 0; l < n_; ++l) {
    LinkAnswer answer;
    answer.found = found[l];
    single(l, answer);
  }
  report_better();
}

}  // namespace heliolite
