#pragma once
// What a link of a group costs at least, whatever tree it is in and wherever its tensors stay (docs/rules/fused.md,
// rules link-bound and home-bound). Trees and groups whose links cost too much are not searched.
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/search/fused/link_solver.h"
#include "engine/search/fused/subtree.h"

namespace heliolite {

// Whether each is a multiple of the other's.
bool is_multiple(const std::vector<u64>& fine, const std::vector<u64>& coarse);

// What a bound is made of.
enum class BoundEffort : u8 {
  Moved,   // what passes must move
  Whole,   // and searches of the whole link, one for all passes with the same homes
  Passes,  // searches of the passes
};
// What a link costs at least at the roots of groups, at one lambda; the same in all groups that see it alike.
struct RootBound {
  std::mutex mutex;  // of what follows where LinkBound::least() and floor() are asked by several threads
  double lower = 0;
  std::optional<BoundEffort> effort{};  // none: nothing is known
  std::optional<Cost> floor{};          // the least energy and the fewest cycles
};
// What links of an array cost together; sought after up to the limit.
struct CommonBound {
  double lower = 0, limit = 0;
};
struct LinkBounds {
  std::mutex mutex;  // of the map `link`
  std::map<std::vector<u64>, RootBound> link;
  std::map<std::vector<u64>, CommonBound> common;  // of an array's links together
};

struct HashOfOpenPass {
  std::size_t operator()(const std::pair<LinkPass, TensorMask>& open) const {
    return HashOfPass{}(open.first) * 31 + open.second;
  }
};

class LinkBound {
 public:
  // All but lambda must outlive it. `known`: of this lambda. `gate` is asked by the threads that ask this.
  LinkBound(const FusedInterval& group, LinkSolver& solver, double lambda, const SearchBudget& budget,
            LinkBounds& known, const Gate& gate);
  LinkBound(const LinkBound&) = delete;
  LinkBound& operator=(const LinkBound&) = delete;

  // What no tree beneath the place is below for the link, with this many words of the fusing level left to it.
  double least(const Subtree& s, int link, u64 room);

  // The least energy and the fewest cycles of the link in any tree beneath the place.
  const Cost& floor(const Subtree& s, int link);

  // The link's bound at the root by what is known; without a search, but for what the passes must move.
  double quick(int link);
  // More of it. search() keeps nothing of what it finds but in the solver: links of different shapes may be searched by
  // several threads at a time; keep() takes it up. `complete`: time did not end the search.
  bool is_searched(int link, BoundEffort effort) const;
  double search(int link, BoundEffort effort);
  void keep(int link, BoundEffort effort, double lower, bool complete);
  // What all links of the group cost at least by what is known: as quick() says of each, or more where the links of an
  // array must agree on its split, or on whether it is held.
  double of_group();
  // More of that. `alone`: [link of the group], and `enough`, of all of them: what need not be known to be above.
  // `looks`: searches of each array's placements, at most. False: there are more, or time has ended it; a later call
  // goes on. After a call of of_group(); groups whose links have different shapes may be searched by several threads at
  // a time.
  bool search_together(std::span<const double> alone, double enough, u64 looks = ~u64{0});
  // All that the bound at the root depends on.
  std::vector<u64> key_at_root(int link) const { return key_of(root_, link, room_); }

 private:
  // A division of an array's ranks by the loops above its home, as one of its links sees it.
  struct Split {
    std::vector<u64> factor;  // [rank of the touch]
    u64 passes = 1;
    LinkSizes size;      // of the link in one pass
    LinkSizes made;      // of the link of divided_touch()
    u64 home_words = 0;  // room of the intermediate's tile; 0: the array is a held one of the link
  };
  // The passes of a link for one of the ways its tensors may stay, and what is known of their cost.
  struct Case {
    LinkPass pass;
    double lower = 0;
    BoundEffort effort = BoundEffort::Moved;
  };

  // What the passes beneath a place must move.
  struct FurtherIn {
    double lower = 0;
    Cost floor{};
  };

  RootBound& known_at(const Subtree& s, int link, u64 room);
  double at_root(RootBound& known, const Subtree& s, int link, u64 room);
  double of_whole_group(int link);
  const FurtherIn& further_in(const Subtree& s, int link);
  std::vector<Case> cases_anywhere(const Subtree& s, int link);
  double bound(const Subtree& s, int link, u64 room, BoundEffort effort);
  double anywhere(const Subtree& s, int link, BoundEffort effort);
  double with_home(const Subtree& s, int link, int array, u64 room, BoundEffort effort);
  double least_case(int link, std::vector<Case>& cases, BoundEffort effort);
  const ArrayTouch& divided_touch(int array) const;
  const ArrayTouch& split_touch(int link, int array) const;
  std::vector<std::vector<int>> rank_dimensions(int array, int link) const;
  std::vector<Split> splits(const Subtree& s, int link, int array) const;
  bool slides(int link, int tensor, const LinkSizes& size) const;
  bool holds(u64 words) const { return room_ == CompiledLevel::kUnbounded || words <= room_; }
  std::vector<const Split*> coarsest(const Subtree& s, int link, const std::vector<Split>& all, TensorMask held,
                                     u64 room) const;
  bool fits(const Subtree& s, int link, const Split& split, TensorMask held, u64 room) const;
  class CommonSplit;
  // Links that share an array, and the search of what they cost together as long as it is not complete.
  struct Together {
    int array;
    std::vector<int> links;
    CommonBound* known;
    std::shared_ptr<CommonSplit> split{};
  };
  std::vector<Together>& together();
  double gain_of(const Together& t);
  bool search(Together& t, double limit, u64 looks);
  std::vector<std::vector<int>> foreign_dimensions(int array, const std::vector<int>& links) const;
  TensorMask tensors_of(int link, int array) const;
  std::vector<int> links_of(int array) const;
  std::vector<u64> key_of_links(int array, const std::vector<int>& links) const;
  void add_cases(const Subtree& s, int link, const Split& split, TensorMask held, std::vector<Case>& cases);

  const FusedInterval::Array& array_of(int link, int tensor) const;
  std::vector<u64> key_of(const Subtree& s, int link, u64 room) const;
  TensorMask intermediates(int link) const;
  TensorMask open(const Subtree& s, int link) const;
  LinkPass with_homes(LinkPass pass, int link, TensorMask others) const;
  u64 words_once(int link, int tensor) const;
  u64 made_lines(int link, int tensor, int rank, const LinkSizes& size) const;
  u64 tile(const Subtree& s, int link, int tensor, const LinkSizes& size) const;
  u64 tiles(const Subtree& s, int link, TensorMask tensors, const LinkSizes& size) const;
  std::vector<LinkSizes> sizes_in_room(int link, const LinkSizes& size, TensorMask tensors, u64 room) const;
  std::vector<LinkPass> passes_in_room(int link, const LinkPass& pass, const LinkSizes& within, TensorMask tensors,
                                       u64 room) const;
  std::vector<LinkPass> by_room(int link, const LinkPass& pass, const LinkPass& all_room, TensorMask tensors,
                                u64 outside) const;
  void divide_pass(LinkPass& pass, int link, const LinkSizes& size) const;
  void move(LinkPass& pass, int link, int tensor, u64 words) const;
  void come_in_each_pass(LinkPass& pass, int link, int tensor) const;

  const FusedInterval& group_;
  LinkSolver& solver_;
  double lambda_;
  const SearchBudget& budget_;
  const Gate& gate_;
  u64 room_;  // words of the fusing level
  Subtree root_;
  LinkBounds& known_;
  std::vector<RootBound*> known_at_root_;  // [link of the group], of root_
  std::vector<double> searched_at_root_;   // what that says once all is searched; below 0: it is not
  std::optional<std::vector<Together>> together_;
  // [link of the group]: further_in() of its pass and the tensors that may still get a home.
  std::vector<std::unordered_map<std::pair<LinkPass, TensorMask>, FurtherIn, HashOfOpenPass>> further_in_;
};

}  // namespace heliolite
