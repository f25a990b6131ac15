// Better schedules step by step (docs/rules/fused.md, Answers): what one change makes of a group of the best schedule
// is priced by quickly found mappings, the most promising changes first. Nothing is proven.
#include <algorithm>
#include <map>
#include <tuple>

#include "engine/base/integers.h"
#include "engine/network/group_plan.h"
#include "engine/search/fused/group_moves.h"
#include "engine/search/fused/least_sum.h"

namespace heliolite {
namespace {

constexpr std::size_t kPricedTogether = 4;  // changes of a group, after the first, before the best is looked at again
constexpr std::size_t kPricedFirst = 8;     // changes of all links together, while nothing is fused
constexpr int kMostAnew = 6;                // links of two groups whose border moves
constexpr double kHopeful = 1.5;            // a change that seems to cost more than this times as much is not priced

// What a group is, as a key.
void write_key(const TreeNode& node, std::vector<u64>& out) {
  if (node.is_leaf()) return out.push_back(2 * static_cast<u64>(*node.link) + 1);
  out.insert(out.end(), {0, node.children.size(), node.iterations()});
  for (const DividedLink& l : node.loop)
    for (const DividedDimension& d : l.divided) out.insert(out.end(), {static_cast<u64>(d.dimension), d.factor});
  out.push_back(node.held.size());
  for (const int a : node.held) out.push_back(static_cast<u64>(a));
  for (const TreeNode& child : node.children) write_key(child, out);
}

std::vector<u64> key_of_group(const LinkGroup& group) {
  std::vector<u64> out{static_cast<u64>(group.first), static_cast<u64>(group.last), static_cast<u64>(group.level)};
  if (!group.is_single()) write_key(group.root, out);
  return out;
}

}  // namespace

// Goes from schedule to schedule as long as a change of the best one is found to be better.
class LeastSum::Climb {
 public:
  Climb(LeastSum& sum, const SearchBudget& budget)
      : sum_(sum), moves_(sum.graph_, [this] { return sum_.solver_.over(budget_); }), budget_(budget) {}

  void run() {
    while (!sum_.solver_.over(budget_) && step()) {
    }
  }

 private:
  // A group that has been looked at.
  struct Known {
    bool legal = false;
    double bound = kNoSum;  // what its passes must move, and its terms
    bool priced = false;
  };
  // Groups in the place of consecutive steps of the path.
  struct Change {
    std::vector<LinkGroup> groups;
    double guess;  // by how much they may be dearer: if they are as far above what they must move as what is there
  };

  // Prices changes of the best schedule, a few of each of its groups at a time, until some make it better. False: none
  // does.
  bool step() {
    const std::vector<std::vector<Change>> changes = collect();
    const double before = sum_.value_of_best();
    std::size_t most = 0;
    for (const std::vector<Change>& own : changes) most = std::max(most, own.size());
    for (std::size_t k = 0, together = 1; k < most && !sum_.solver_.over(budget_);
         k += together, together = kPricedTogether) {
      std::vector<const Change*> now;
      for (const std::vector<Change>& own : changes)
        for (std::size_t c = k; c < std::min(own.size(), k + together); ++c) now.push_back(&own[c]);
      // Before anything is fused, whatever is soon there.
      if (k == 0 && changes.size() == at(sum_.n_) && now.size() > kPricedFirst) {
        std::ranges::stable_sort(now, {}, &Change::guess);
        now.resize(kPricedFirst);
      }
      price(now);
      if (sum_.value_of_best() < before * kEqualSum) return sum_.tell_better(), true;
    }
    return false;
  }

  // [group of the best schedule]: its changes, and of it with the next one, that are not known to be of no use, the
  // most promising first.
  std::vector<std::vector<Change>> collect() {
    std::vector<std::vector<Change>> out;
    std::vector<int> cut;
    if (sum_.shortest_values(&cut)[0] == kNoSum) return out;
    for (int i = 0; i < sum_.n_ && !sum_.solver_.over(budget_); i = cut[at(i)] + 1) {
      const Segment& here = sum_.segment_[i][cut[i]];
      const LinkGroup group = *here.group;
      std::vector<Change>& own = out.emplace_back();
      const double bound = bound_of(group);
      if (!group.is_single()) {
        for (LinkGroup& next : moves_.changed(group)) consider({std::move(next)}, here.value, bound, own);
        for (auto& [a, b] : moves_.parts(group)) consider({std::move(a), std::move(b)}, here.value, bound, own);
        for (const int level : sum_.fusing_levels_)
          if (level != group.level) consider({{group.first, group.last, level, group.root}}, here.value, bound, own);
      }
      const int next = cut[at(i)] + 1;
      if (next < sum_.n_) {
        const Segment& there = sum_.segment_[next][cut[next]];
        for (const int level : sum_.fusing_levels_)
          for (LinkGroup& one : moves_.merged(group, *there.group, level))
            consider({std::move(one)}, here.value + there.value, bound + bound_of(*there.group), own);
        move_border(group, *there.group, here.value + there.value, bound + bound_of(*there.group), own);
      }
      std::ranges::stable_sort(own, {}, &Change::guess);
    }
    return out;
  }

  // Two groups as one with a loop around all their links, and the link at their border in the other one, around whose
  // links there is one loop then: what single changes of their trees do not come to.
  void move_border(const LinkGroup& before, const LinkGroup& after, double value, double bound,
                   std::vector<Change>& out) {
    if (before.size() + after.size() > kMostAnew || (before.is_single() && after.is_single())) return;
    for (const int level : sum_.fusing_levels_) {
      for (const LinkGroup& one : anew(before.first, after.last, level)) consider({one}, value, bound, out);
      if (after.size() > 1)
        if (const auto rest = moves_.part(after, after.first + 1, after.last))
          for (const LinkGroup& one : anew(before.first, after.first, level)) consider({one, *rest}, value, bound, out);
      if (before.size() > 1)
        if (const auto rest = moves_.part(before, before.first, before.last - 1))
          for (const LinkGroup& one : anew(before.last, after.last, level)) consider({*rest, one}, value, bound, out);
    }
  }

  const std::vector<LinkGroup>& anew(int first, int last, int level) {
    const auto [known, is_new] = anew_.try_emplace({first, last, level});
    if (is_new) known->second = moves_.anew(first, last, level);
    return known->second;
  }

  // A change of what costs `value` and must move what costs `bound`.
  void consider(std::vector<LinkGroup> groups, double value, double bound, std::vector<Change>& out) {
    if (sum_.solver_.over(budget_)) return;  // a group of many links has thousands of changes
    double least = 0;
    bool open = false;
    for (const LinkGroup& group : groups) {
      const Segment& s = sum_.segment_[group.first][group.last];
      if (group.is_single()) {
        least += s.value;
        continue;
      }
      const Known& known = look_at(group);
      if (!known.legal) return;
      least += known.priced ? s.value : known.bound;
      open |= !known.priced && known.bound < s.value * kEqualSum;
    }
    const double guess = least * (value / bound);
    if (open && least < value * kEqualSum && guess < kHopeful * value)
      out.push_back({std::move(groups), guess - value});
  }

  const Known& look_at(const LinkGroup& group) {
    const auto [known, is_new] = known_.try_emplace(key_of_group(group));
    if (is_new) known->second = fresh(group);
    return known->second;
  }

  Known fresh(const LinkGroup& group) {
    Known out;
    const GroupPlan p = plan(group, sum_.graph_, sum_.architecture_, sum_.rules_);
    if (!p.is_legal() || !fits(group, p)) return out;
    out.legal = true;
    out.bound = sum_value(terms_cost(p, sum_.graph_, sum_.architecture_), sum_.lambda_);
    for (int l = group.first; l <= group.last; ++l) {
      LinkPass pass = p.passes[l - group.first];
      pass.taken = 0;
      out.bound += sum_.solver_.first_bound(l, pass, sum_.lambda_);
    }
    out.bound *= sum_.runs(group.first);
    return out;
  }

  bool fits(const LinkGroup& group, const GroupPlan& p) const {
    if (group.is_single()) return true;
    const auto room = sum_.architecture_.levels[group.level].capacity_words();
    return !room || std::ranges::all_of(p.passes, [&](const LinkPass& pass) { return pass.taken < *room; });
  }

  double bound_of(const LinkGroup& group) { return look_at(group).bound; }

  void price(const std::vector<const Change*>& changes) {
    std::vector<LinkSolver::Question> questions;
    std::vector<std::pair<const LinkGroup*, GroupPlan>> plans;
    for (const Change* change : changes)
      for (const LinkGroup& group : change->groups) {
        Known& known = known_[key_of_group(group)];
        if (group.is_single() || known.priced) continue;
        known.priced = true;
        plans.emplace_back(&group, plan(group, sum_.graph_, sum_.architecture_, sum_.rules_));
        for (int l = group.first; l <= group.last; ++l)
          questions.push_back({l, plans.back().second.passes[l - group.first]});
      }
    const auto found = sum_.solver_.fast(questions, sum_.lambda_, budget_);
    auto next = found.begin();
    for (const auto& [group, p] : plans) {
      sum_.offer(*group, p, std::span(next, next + group->size()));
      next += group->size();
    }
  }

  LeastSum& sum_;
  GroupMoves moves_;
  const SearchBudget& budget_;
  std::map<std::vector<u64>, Known> known_;
  std::map<std::tuple<int, int, int>, std::vector<LinkGroup>> anew_;  // [first, last, level]
};

void LeastSum::climb(const SearchBudget& budget) { Climb(*this, budget).run(); }

}  // namespace heliolite
