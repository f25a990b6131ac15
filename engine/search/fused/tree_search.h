#pragma once
// The best fusion tree of consecutive links for the least energy + lambda x cycles (docs/rules/fused.md): every tree,
// every choice of what is held, every mapping of each link, as a recursion over subtrees. A subtree is settled by its
// state (subtree.h) and the room at the fusing level; what was found or proven of it is remembered.
#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/base/split_mix.h"
#include "engine/search/core/parallel.h"
#include "engine/search/fused/link_bound.h"
#include "engine/search/fused/link_solver.h"
#include "engine/search/fused/subtree.h"

namespace heliolite {

// A tree with the mappings of its links, of one repetition.
struct FusedTree {
  TreeNode node;
  std::vector<LinkMapping> links;  // [link beneath]
  Cost cost;                       // of these, and terms
  double value = 0;                // energy + lambda x cycles, units
  u64 room = 0;                    // words of the fusing level that it needs, its intermediates included
};
using FusedTreePtr = std::shared_ptr<const FusedTree>;

// What is known of a subtree: the best that was found, and what none is below.
struct TreeAnswer {
  FusedTreePtr found;
  double lower_bound = 0;
  bool is_proven(double limit) const { return lower_bound >= (found ? found->value : limit) * (1 - 1e-12); }
};

// A search may remember trees in this part of the memory (SearchOptions::memory_bytes).
inline constexpr u64 kPartsOfMemory = 4;

struct TreeSearchOptions {
  // Every tree; else those with loops directly beneath the root, around several links, with nothing held or all that is
  // not divided, their links mapped by the fast strategy: nothing is proven.
  bool exact = true;
  bool loops = true;      // false: nor any loops
  bool backward = false;  // what is searched forward otherwise: loops, and what is held
};

class TreeSearch {
 public:
  // All but lambda must outlive it. `bounds`: of this lambda.
  TreeSearch(const FusedInterval& group, LinkSolver& solver, double lambda, const SearchBudget& budget,
             LinkBounds& bounds, const TreeSearchOptions& options = {});

  // The best tree of the interval whose value is below `limit`. `others`: searches of the same interval at other
  // lambdas, whose bounds of subtrees are bounds here.
  TreeAnswer run(double limit, std::span<const TreeSearch* const> others = {});
  // What run() answers, by two threads, one of which searches backward: what either has proven of a subtree the other
  // need not search. `backward`: of the same interval and lambda.
  TreeAnswer run_with(TreeSearch& backward, double limit, std::span<const TreeSearch* const> others = {});

  // What no tree is below by bounds at other lambdas, [lambda].
  double least_by(const std::map<double, double>& proven) { return least_by(proven, whole(group_)); }
  // What no tree of the links is below.
  double least() { return least_of(whole(group_), capacity_); }
  // A bound of the group by what is known of its links without searches.
  double quick_least();
  // More of it, by all links of an array at once (LinkBound::of_group()); what is known of that is raised by
  // search_together() as LinkBound::search_together() says, `enough` being of the group.
  double least_together() { return bound_.of_group() + least_terms_; }
  bool search_together(std::span<const double> alone, double enough, u64 looks = ~u64{0}) {
    return bound_.search_together(alone, enough - least_terms_, looks);
  }
  LinkBound& bound() { return bound_; }
  u64 states() const { return states_; }

  // What it remembers, and nothing of it any more: subtrees that come again are searched again.
  u64 bytes() const { return bytes_; }
  void forget();

 private:
  struct Known {
    u64 room;
    TreeAnswer answer;
  };
  struct HashOfKey {
    std::size_t operator()(const std::vector<u64>& key) const {
      HashOfNumbers hash;
      for (const u64 number : key) hash.add(number);
      return hash.value();
    }
  };
  using Memo = std::unordered_map<std::vector<u64>, std::vector<Known>, HashOfKey>;
  // An array that is a term of the sum whose last one the link makes; what reading it costs.
  struct Term {
    int link, array;
    Cost at_home, outermost;
  };

  // What a node holds.
  struct Held {
    Subtree state;
    u64 room = 0;               // of it
    std::vector<int> arrays{};  // in the group's order

    void add(const FusedInterval& group, int array) {
      room += hold(group, state, array);
      arrays.insert(std::ranges::lower_bound(arrays, array), array);
    }
  };

  bool over() const { return ends_ || solver_.over(budget_); }
  void remember(Memo& memo, std::vector<u64> key, u64 room, const TreeAnswer& answer);
  TreeAnswer node(const Subtree& s, u64 room, double limit);
  TreeAnswer with_held(const Subtree& s, u64 room, double limit, bool in_nest);
  bool is_lone(const Subtree& s, const Held& held) const;
  bool has_loops(const Subtree& s) const;
  TreeAnswer child(const Subtree& s, u64 room, bool only, bool in_nest, double limit);
  TreeAnswer leaf(const Subtree& s, u64 room, double limit);
  std::optional<LinkMapping> fast(int link, const LinkPass& pass, double limit);
  bool held_sets(const Held& held, std::span<const int> may, u64 room,
                 const std::function<bool(const Held&)>& visit) const;
  void few_held_sets(const Subtree& s, std::span<const int> may, u64 room,
                     const std::function<bool(const Held&)>& visit) const;
  void loops(const Subtree& s, u64 room, bool only, double limit, TreeAnswer& best);
  double least_by(const std::map<double, double>& proven, const Subtree& s);
  double least_elsewhere(Memo TreeSearch::*memo, const std::vector<u64>& key, const Subtree& s, u64 room);
  double least_known(const Memo& memo, const std::vector<u64>& key, u64 room) const;
  std::optional<TreeAnswer> recall(const Memo& memo, const std::vector<u64>& key, u64 room, double limit) const;

  // Whether what links cost at least is asked (rule link-bound), and whether it is too much.
  bool bounds_links() const;
  bool too_dear(double bound, double limit) const;
  double least_of(const Subtree& s, u64 room);
  double least_of(const Subtree& s, int link, u64 room);
  Cost terms_of(const Subtree& s, int link) const;
  double least_terms(const Subtree& s, int link) const;
  const std::vector<RankClass>& classes(int first, int last);

  const FusedInterval& group_;
  LinkSolver& solver_;
  double lambda_;
  const SearchBudget& budget_;
  TreeSearchOptions options_;
  u64 capacity_;  // words of the fusing level; CompiledLevel::kUnbounded: any
  RuleCounts counts_;
  Gate gate_;
  LinkBound bound_;
  std::vector<Term> terms_;
  double least_terms_ = 0;   // of all of them
  mutable SpinMutex mutex_;  // of what is remembered, which only run() changes and others read
  Memo nodes_, children_;
  std::vector<const TreeSearch*> others_;
  const TreeSearch* partner_ = nullptr;  // searches the same at the same time
  std::atomic<bool> ends_ = false;       // the partner has settled the group
  u64 most_bytes_ = ~u64{0};             // that may be remembered
  std::map<std::pair<int, int>, std::vector<RankClass>> classes_;
  u64 states_ = 0, bytes_ = 0;
};

}  // namespace heliolite
