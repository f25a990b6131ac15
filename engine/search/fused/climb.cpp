// Better schedules step by step (docs/rules/fused.md, Answers): what one change makes of a group of the best schedule
// is priced by quickly found mappings, the most promising changes first. Nothing is proven.
#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "engine/base/integers.h"
#include "engine/network/group_plan.h"
#include "engine/search/fused/group_neighbours.h"
#include "engine/search/fused/least_sum.h"

namespace heliolite {
namespace {

constexpr std::size_t kPricedTogether = 4;  // changes of a group, after the first, before the best is looked at again
constexpr std::size_t kPricedFirst = 8;     // changes of all links together, while nothing is fused
constexpr double kHopeful = 1.5;            // a change that seems to cost more than this times as much is not priced
constexpr double kNearlyFits = 1.5;         // times the room that there is: what needs more is not mended by one change
constexpr std::size_t kMostTight = 4;       // changes of a group that do not fit, of which more is changed

}  // namespace

// Goes from schedule to schedule as long as a change of the best one is found to be better.
class LeastSum::Climb {
 public:
  Climb(LeastSum& sum, const SearchBudget& budget, ChangesAtOnce changes)
      : sum_(sum),
        budget_(budget),
        neighbours_(sum.graph_, sum.looks_, sum.fusing_levels_, sum.lambda_, sum.solver_.threads(),
                    [this] { return sum_.solver_.over(budget_); }),
        makes_room_(changes == ChangesAtOnce::Two) {}

  void run() {
    while (!sum_.solver_.over(budget_) && step()) {
    }
  }

 private:
  using Kind = GroupNeighbours::Kind;
  struct Part {
    const LinkGroup* group;
    KnownGroup* known;
  };
  // Groups in the place of consecutive steps of the path.
  struct Change {
    std::vector<Part> parts;
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
    std::vector<Changes> more(changes.size());
    if (makes_room_) make_room(changes, more);
    merge_links(more);
    for (Changes& own : more) std::ranges::stable_sort(own.open, {}, &Change::guess);
    return is_better_by(more);
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

  // The steps of the best schedule; none: there is no schedule.
  std::vector<const Segment*> path() const {
    std::vector<int> cut;
    std::vector<const Segment*> out;
    if (sum_.shortest_values(&cut)[0] == kNoSum) return out;
    for (int i = 0; i < sum_.n_; i = cut[at(i)] + 1) out.push_back(&sum_.segment_[i][cut[at(i)]]);
    return out;
  }

  // A question about a step of the path, or about it and the next one.
  struct Asked {
    GroupNeighbours::Question question;
    std::size_t place;
  };

  // [group of the best schedule]: its changes, and of it with the next one, that are not known to be of no use, the
  // most promising first.
  std::vector<Changes> collect() {
    const std::vector<const Segment*> path = this->path();
    const auto group = [&](std::size_t k) { return &*path[k]->group; };
    std::vector<Asked> asked;
    for (std::size_t k = 0; k < path.size(); ++k) {
      if (!group(k)->is_single())
        for (const Kind kind : {Kind::Changed, Kind::Elsewhere}) asked.push_back({{kind, group(k)}, k});
      if (k + 1 < path.size()) asked.push_back({{Kind::Merged, group(k), group(k + 1)}, k});
    }
    std::vector<Changes> out(path.size());
    add_all(asked, path, near_, out);
    for (Changes& own : out) std::ranges::stable_sort(own.open, {}, &Change::guess);
    return out;
  }

  // Changes of steps of the path that may make it better. `remembered`: lists of such questions.
  void add_all(std::span<const Asked> asked, std::span<const Segment* const> path, GroupNeighbours::Lists& remembered,
               std::vector<Changes>& out) {
    std::vector<GroupNeighbours::Question> questions;
    for (const Asked& one : asked) questions.push_back(one.question);
    const std::vector<std::vector<Neighbour>*> lists = neighbours_.of(questions, remembered);
    for (std::size_t q = 0; q < asked.size(); ++q) {
      const std::size_t k = asked[q].place;
      double value = path[k]->value, bound = bound_of(*path[k]->group);
      if (questions[q].next != nullptr) value += path[k + 1]->value, bound += bound_of(*path[k + 1]->group);
      const auto change = [&](const Neighbour& n) { return make_change(parts_of(n), value, bound); };
      // One group in place of others stays of no use: what it replaces costs less and less. Several may share a group
      // that becomes cheaper.
      std::erase_if(*lists[q], [&](const Neighbour& n) { return n.groups.size() == 1 && !change(n); });
      for (const Neighbour& n : *lists[q]) add(change(n), out[k]);
    }
  }

  // Changes of the most promising of those that do not fit.
  void make_room(std::vector<Changes>& changes, std::vector<Changes>& out) {
    // Step 1. Which groups are changed once more.
    struct Again {
      std::size_t place;
      const Change* change;
      std::size_t group;
    };
    std::vector<Again> again;
    std::vector<GroupNeighbours::Question> questions;
    for (std::size_t place = 0; place < changes.size(); ++place) {
      std::vector<Change>& most = changes[place].tight;
      std::ranges::stable_sort(most, {}, &Change::guess);
      std::erase_if(most, [](const Change& c) { return c.taken > kNearlyFits; });
      if (most.size() > kMostTight) most.resize(kMostTight);
      for (const Change& change : most)
        for (std::size_t k = 0; k < change.parts.size(); ++k) {
          if (change.parts[k].group->is_single() || change.parts[k].known->look.taken < 1) continue;
          again.push_back({place, &change, k});
          questions.push_back({Kind::Changed, change.parts[k].group});
        }
    }
    // Step 2. What comes of them.
    const std::vector<std::vector<Neighbour>*> lists = neighbours_.of(questions, beyond_);
    for (std::size_t q = 0; q < again.size(); ++q) {
      const auto& [place, change, k] = again[q];
      for (const Neighbour& next : *lists[q]) {
        std::vector<Part> parts = change->parts;
        parts[k] = {&next.groups.front(), next.known.front()};
        add(make_change(std::move(parts), change->value, change->bound), out[place]);
      }
    }
  }

  // Links alone as groups beneath two loops.
  void merge_links(std::vector<Changes>& out) {
    const std::vector<const Segment*> path = this->path();
    std::vector<Asked> asked;
    for (std::size_t k = 0; k + 1 < path.size(); ++k) {
      const LinkGroup &group = *path[k]->group, &next = *path[k + 1]->group;
      if (group.is_single() && next.is_single()) asked.push_back({{Kind::MergedBeneathTwo, &group, &next}, k});
    }
    add_all(asked, path, twice_, out);
  }

  static std::vector<Part> parts_of(const Neighbour& neighbour) {
    std::vector<Part> out;
    for (std::size_t k = 0; k < neighbour.groups.size(); ++k) out.push_back({&neighbour.groups[k], neighbour.known[k]});
    return out;
  }

  static void add(std::optional<Change> change, Changes& out) {
    if (change) (change->taken < 1 ? out.open : out.tight).push_back(*std::move(change));
  }

  // A change of what costs `value` and must move what costs `bound`; none: it is known to be of no use.
  std::optional<Change> make_change(std::vector<Part> parts, double value, double bound) const {
    double least = 0, taken = 0;
    bool open = false;
    for (const auto& [group, known] : parts) {
      const Segment& s = sum_.segment_[group->first][group->last];
      if (group->is_single()) {
        least += s.value;
        continue;
      }
      least += known->priced ? s.value : known->bound;
      open |= !known->priced && known->bound < s.value * kEqualSum;
      taken = std::max(taken, known->look.taken);
    }
    const double guess = least * (value / bound);
    if (!open || least >= value * kEqualSum || guess >= (taken < 1 ? kHopeful : 1) * value) return std::nullopt;
    return Change{std::move(parts), guess - value, value, bound, taken};
  }

  double bound_of(const LinkGroup& group) { return neighbours_.known(group).bound; }

  void price(const std::vector<const Change*>& changes) {
    std::vector<LinkSolver::Question> questions;
    std::vector<std::pair<const LinkGroup*, GroupPlan>> plans;
    for (const Change* change : changes)
      for (const auto& [group, known] : change->parts) {
        if (group->is_single() || known->priced) continue;
        known->priced = true;
        plans.emplace_back(group, plan(*group, sum_.graph_, sum_.architecture_, sum_.rules_));
        for (int l = group->first; l <= group->last; ++l)
          questions.push_back({l, plans.back().second.passes[l - group->first]});
      }
    const auto found = sum_.solver_.fast(questions, sum_.lambda_, budget_);
    auto next = found.begin();
    for (const auto& [group, p] : plans) {
      sum_.offer(*group, p, std::span(next, next + group->size()));
      next += group->size();
    }
  }

  LeastSum& sum_;
  const SearchBudget& budget_;
  GroupNeighbours neighbours_;
  bool makes_room_;
  // For groups of the best schedule, for pairs of links in it, and for changes that do not fit.
  GroupNeighbours::Lists near_, twice_, beyond_;
};

void LeastSum::climb(const SearchBudget& budget, ChangesAtOnce changes) { Climb(*this, budget, changes).run(); }

}  // namespace heliolite
