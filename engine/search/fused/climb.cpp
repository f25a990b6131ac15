// Better schedules step by step (docs/rules/fused.md, Answers): what one change makes of a group of the best schedule
// is priced by quickly found mappings, the most promising changes first. Nothing is proven.
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

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
constexpr double kNearlyFits = 1.5;         // times the room that there is: what needs more is not mended by one change
constexpr std::size_t kMostTight = 4;       // changes of a group that do not fit, of which more is changed

}  // namespace

// Goes from schedule to schedule as long as a change of the best one is found to be better.
class LeastSum::Climb {
 public:
  Climb(LeastSum& sum, const SearchBudget& budget, ChangesAtOnce changes)
      : sum_(sum),
        moves_(sum.graph_, [this] { return sum_.solver_.over(budget_); }),
        budget_(budget),
        makes_room_(changes == ChangesAtOnce::Two) {}

  void run() {
    while (!sum_.solver_.over(budget_) && step()) {
    }
  }

 private:
  // A group that has been looked at.
  struct Known {
    GroupLook look;
    double bound = kNoSum;  // what its passes must move, and its terms, of all repetitions
    bool priced = false;
  };
  // Groups in the place of consecutive steps of the path.
  struct Change {
    std::vector<LinkGroup> groups;
    double guess;  // by how much they may be dearer: if they are as far above what they must move as what is there
    double value, bound;  // of what is there
    double taken;         // of the group that takes the most room
  };
  // Those of one group of the best schedule, and of it with the next one.
  struct Changes {
    std::vector<Change> open;
    std::vector<Change> tight;  // that do not fit
  };

  // False: no change of the best schedule makes it better, nor, if that is asked, do two of which the second makes room
  // for the first.
  bool step() {
    std::vector<Changes> changes = collect();
    if (is_better_by(changes)) return true;
    if (!makes_room_) return false;
    for (Changes& own : changes) make_room(own);
    return is_better_by(changes);
  }

  // Prices changes, a few of each group of the best schedule at a time, until some make it better.
  bool is_better_by(const std::vector<Changes>& changes) {
    const double before = sum_.value_of_best();
    std::size_t most = 0;
    for (const Changes& own : changes) most = std::max(most, own.open.size());
    for (std::size_t k = 0, together = 1; k < most && !sum_.solver_.over(budget_);
         k += together, together = kPricedTogether) {
      std::vector<const Change*> now;
      for (const auto& [open, tight] : changes)
        for (std::size_t c = k; c < std::min(open.size(), k + together); ++c) now.push_back(&open[c]);
      // Before anything is fused, whatever is soon there.
      if (k == 0 && changes.size() == at(sum_.n_) && now.size() > kPricedFirst) {
        std::ranges::stable_sort(now, {}, &Change::guess);
        now.resize(kPricedFirst);
      }
      price(now);
      if (sum_.value_of_best() < before * kEqualSum) return sum_.report_better(), true;
    }
    return false;
  }

  // [group of the best schedule]: its changes, and of it with the next one, that are not known to be of no use, the
  // most promising first.
  std::vector<Changes> collect() {
    std::vector<Changes> out;
    std::vector<int> cut;
    if (sum_.shortest_values(&cut)[0] == kNoSum) return out;
    for (int i = 0; i < sum_.n_ && !sum_.solver_.over(budget_); i = cut[at(i)] + 1) {
      const Segment& here = sum_.segment_[i][cut[i]];
      const LinkGroup group = *here.group;
      Changes& own = out.emplace_back();
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
      std::ranges::stable_sort(own.open, {}, &Change::guess);
    }
    return out;
  }

  // Changes of the most promising of those that do not fit, in place of those that do.
  void make_room(Changes& own) {
    own.open.clear();
    std::vector<Change> tight = std::exchange(own.tight, {});
    std::ranges::stable_sort(tight, {}, &Change::guess);
    std::erase_if(tight, [](const Change& c) { return c.taken > kNearlyFits; });
    if (tight.size() > kMostTight) tight.resize(kMostTight);
    for (const Change& change : tight)
      for (std::size_t k = 0; k < change.groups.size(); ++k) {
        if (change.groups[k].is_single() || look_at(change.groups[k]).look.taken < 1) continue;
        for (LinkGroup& next : moves_.changed(change.groups[k])) {
          std::vector<LinkGroup> groups = change.groups;
          groups[k] = std::move(next);
          consider(std::move(groups), change.value, change.bound, own);
        }
      }
    std::ranges::stable_sort(own.open, {}, &Change::guess);
  }

  // Two groups as one with a loop around all their links, and the link at their border in the other one, around whose
  // links there is one loop then: what single changes of their trees do not come to.
  void move_border(const LinkGroup& before, const LinkGroup& after, double value, double bound, Changes& out) {
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
  void consider(std::vector<LinkGroup> groups, double value, double bound, Changes& out) {
    if (sum_.solver_.over(budget_)) return;  // a group of many links has thousands of changes
    double least = 0;
    double taken = 0;
    bool open = false;
    for (const LinkGroup& group : groups) {
      const Segment& s = sum_.segment_[group.first][group.last];
      if (group.is_single()) {
        least += s.value;
        continue;
      }
      const Known& known = look_at(group);
      if (!known.look.legal) return;
      least += known.priced ? s.value : known.bound;
      open |= !known.priced && known.bound < s.value * kEqualSum;
      taken = std::max(taken, known.look.taken);
    }
    const double guess = least * (value / bound);
    if (!open || least >= value * kEqualSum || guess >= (taken < 1 ? kHopeful : 1) * value) return;
    (taken < 1 ? out.open : out.tight).push_back({std::move(groups), guess - value, value, bound, taken});
  }

  const Known& look_at(const LinkGroup& group) {
    std::vector<u64> key = key_of_group(group);
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
    const GroupLook look = sum_.looks_.of(group, key);
    const double bound = look.legal ? sum_value(look.moved, sum_.lambda_) * sum_.runs(group.first) : kNoSum;
    return known_.try_emplace(std::move(key), Known{look, bound}).first->second;
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
  bool makes_room_;
  std::map<std::vector<u64>, Known> known_;
  std::map<std::tuple<int, int, int>, std::vector<LinkGroup>> anew_;  // [first, last, level]
};

void LeastSum::climb(const SearchBudget& budget, ChangesAtOnce changes) { Climb(*this, budget, changes).run(); }

}  // namespace heliolite
