#pragma once
// The least energy + lambda x cycles of a network at one lambda, its layers fused or not (docs/rules/fused.md): groups
// run one after another, so it is a shortest path over the places where the network is cut into groups. What a group
// costs is asked for only where the path goes through it. It is asked for in slices of time: what one leaves undone the
// next goes on with.
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "engine/network/fused_cost.h"
#include "engine/network/group_plan.h"
#include "engine/search/fused/group_looks.h"
#include "engine/search/fused/link_solver.h"
#include "engine/search/fused/tree_search.h"

namespace heliolite {

// A way to run a network.
struct KnownSchedule {
  FusedSchedule schedule;
  Cost cost;
  bool fused = false;
  std::vector<Cost> links{};  // [link]: of its nests in one run, without terms of sums; none if it is fused
};

// Told of each schedule that is the best so far.
using BetterSchedule = std::function<void(const KnownSchedule&)>;

// What a climb goes by: single changes, or also two of which the second makes room for the first.
enum class ChangesAtOnce : u8 { One, Two };

class LeastSum {
 public:
  // All but lambda must outlive it. `budget`: of the first slice.
  LeastSum(const LinkGraph& graph, const Architecture& architecture, const FusionRules& rules, LinkSolver& solver,
           GroupLooks& looks, double lambda, const SearchBudget& budget, BetterSchedule report = {});

  // What no schedule is below, the least value of all that are `known` at most; 0 if there was no time for bounds.
  // Where the best of the known ones has no groups, some are looked for. `trees`: else they are left for later slices.
  // It ends where that is `enough` (units).
  double run(const std::vector<KnownSchedule>& known, bool trees, double enough);
  // Whether shares of time ended searches of the last slice: another may go on with these.
  bool has_cut() const { return has_cut_; }
  // Another lambda, whose trees have been searched: it must outlive this one.
  void know(const LeastSum& other) { others_.push_back(&other); }
  // A later slice: the same by more of it.
  double next_slice(const std::vector<KnownSchedule>& known, const SearchBudget& budget, bool trees, double enough);
  // What searches of trees remember, and nothing of it any more.
  u64 bytes() const;
  void forget();

  // In place of that, quickly and with nothing proven. Mappings of every link alone, which the best schedule has then.
  void links_alone();
  // Changes of the best schedule as long as they make it better (climb.cpp).
  void climb(const SearchBudget& budget, ChangesAtOnce changes);
  // The best of those known for this lambda, its changes, and better mappings of what that comes to.
  void improve(const std::vector<KnownSchedule>& known);

  // The best schedule that was found, and the best without groups; nothing: none.
  std::optional<KnownSchedule> best() const;
  std::optional<KnownSchedule> unfused() const;

  u64 trees() const { return trees_; }

 private:
  // Consecutive links as one step of a path through the network.
  struct Segment {
    double lower = 0;  // of all repetitions
    double value = kNoSum;
    bool settled = false;  // nothing more is to be found
    std::optional<LinkGroup> group{};
    std::vector<Mapping> mappings{};
    Cost cost{};                // of one repetition
    std::vector<Cost> nests{};  // of a link alone: without terms
  };
  // Trees of such links at one fusing level. Bounds of links that share an array come in rounds, each with twice the
  // looks of the one before: a group that a few of them take off the best path is worth no more.
  static constexpr u64 kFirstLooks = 16;
  struct Level {
    std::unique_ptr<FusedInterval> interval;
    std::unique_ptr<TreeSearch> trees, backward;  // the same from its end, of a second thread
    double lower = 0;
    std::optional<BoundEffort> searched{};  // the bounds of its links
    bool common = false;                    // and those of all links of an array
    u64 looks = kFirstLooks;                // that are next spent on each array's links
    bool is_searched = false;               // its trees, below some limit

    u64 bytes() const { return trees->bytes() + (backward ? backward->bytes() : 0); }
    u64 states() const { return trees->states() + (backward ? backward->states() : 0); }
    void forget() {
      trees->forget();
      if (backward) backward->forget();
    }
  };
  // A step of a path through the network.
  struct Step {
    int first, last;
  };

  const KnownSchedule* begin(const std::vector<KnownSchedule>& known);
  void look_for_groups();
  double least_of(const std::vector<KnownSchedule>& known) const;
  void singles(const std::vector<KnownSchedule>& known);
  bool search_alone(const std::vector<Step>& steps);
  std::vector<Step> links() const;
  void single(int link, const LinkAnswer& answer);
  GroupPlan alone(int link) const;
  void fast(int first, int last, bool loops, const SearchBudget& budget);
  void refit(const LinkGroup& group, const SearchBudget& budget);
  class Climb;
  void offer(const LinkGroup& group, const GroupPlan& plan, std::span<const std::optional<LinkMapping>> found);
  void seed(const std::vector<LinkGroup>& groups);
  void report_better();
  double prove(double least, bool trees, double enough);
  void take(Segment& s, int first, int last, int level, const FusedTree& tree);
  void bound(int first, int last);
  void inherit();
  bool search_bounds(const std::vector<Step>& steps, BoundEffort effort);
  bool search_common(const std::vector<Step>& steps, const std::vector<double>& enough);
  void raise(const Step& step);
  std::set<std::size_t> shapes_of(const Step& step) const;
  static bool have_common(const std::set<std::size_t>& a, const std::set<std::size_t>& b);
  bool search_trees(const std::vector<Step>& steps, const std::vector<double>& limits);
  void make_room(const Step& next);
  std::map<double, const Level*> elsewhere(int first, int last, int level) const;
  void search(const Step& step, double limit);
  TreeAnswer search(Level& own, double limit);
  FusedTree with_first_mappings(FusedTree tree, const FusedInterval& interval);

  std::vector<double> from_start() const;
  std::vector<double> to_end() const;
  std::vector<double> shortest_values(std::vector<int>* cut = nullptr) const;
  double value_of_best() const { return shortest_values()[0]; }
  std::vector<Step> steps_below(const std::vector<double>& before, const std::vector<double>& after,
                                double value) const;
  std::vector<Step> least_path(const std::vector<double>& after) const;
  double runs(int link) const { return static_cast<double>(graph_.links[link].count); }

  const LinkGraph& graph_;
  const Architecture& architecture_;
  const FusionRules& rules_;
  LinkSolver& solver_;
  GroupLooks& looks_;
  double lambda_;
  SearchBudget budget_;  // of the slice
  int n_;
  std::vector<int> fusing_levels_;
  std::vector<std::vector<Segment>> segment_;  // [first][last]
  LinkBounds bounds_;
  std::map<std::pair<int, int>, std::vector<Level>> levels_;
  std::vector<const LeastSum*> others_;
  u64 trees_ = 0;
  int bounded_ = 0;  // groups whose bounds have begun: those before [bounded_ / n_][bounded_ % n_]
  BetterSchedule report_;
  bool has_cut_ = false;
  double reported_ = kNoSum;  // value of the schedule that was reported last
};

}  // namespace heliolite
