#pragma once
// Rule home-bound (docs/rules/fused.md) of all links of an array at once: the loops above its home are the same for all
// of them, so one split is good for one of them and dear for another; it is held for all of them or for none; and what
// else is held there, or further out, takes room while each of them runs. A choice of all that is a placement:
// common_split.cpp lists them, common_search.cpp looks at the least of them more closely.
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/search/fused/link_bound.h"

namespace heliolite {

// The least that the links of an array cost together beneath the loops above its home.
class LinkBound::CommonSplit {
 public:
  CommonSplit(LinkBound& bound, int array, std::vector<int> links);
  ~CommonSplit() { b_.solver_.hold(counted_, 0); }
  CommonSplit(const CommonSplit&) = delete;
  CommonSplit& operator=(const CommonSplit&) = delete;

  // Whether there is memory to keep it until it goes on.
  bool hold() {
    const u64 own = bytes();
    const bool is_held = b_.solver_.hold(counted_, own);
    counted_ = is_held ? own : 0;
    return is_held;
  }

  // Raises `lower` up to the least, or to what is not below the limit, by so many looks at most. False: time or looks
  // have ended it, and it may be called again.
  bool run(double limit, double& lower, u64 looks) { return (is_listed_ || list()) && refine(limit, lower, looks); }

 private:
  using RankFactors = std::vector<u64>;  // [rank of the array]

  // An array that links of the shared one touch, too, and may be held with it.
  struct Touch {
    std::size_t link;  // of links_
    int tensor;
  };
  struct Other {
    int array;
    std::vector<Touch> touches{};
  };
  // Where it may stay: beneath some of the loops above the home, or further in, or in the nests.
  struct Stay {
    bool home = false;
    u64 room = 0;             // of its tile, while all links run
    bool further_in = false;  // with a tile of which the part beneath all loops is known
    const RankFactors* above = nullptr;
    std::vector<u64> moved{};  // [touch]; 0: it does not count there
  };

  // What that makes of a link: passes one of which it runs in.
  struct Way {
    std::size_t link;         // of links_
    u64 taken = 0;            // words of the level, while all links run
    unsigned further_in = 0;  // tensors that are held there
    bool in_room = false;     // whether the tiles of these are known to fit
    double lower = 0;         // what it costs at least, whatever the cases
    LinkPass all_room{};      // the pass before these tiles take room
    std::vector<std::size_t> cases{};
  };
  // A choice for all of them.
  struct Placement {
    std::vector<std::size_t> ways;  // [links_]
  };
  // What its links were known to cost at least when it was last asked: that only rises.
  struct Sum {
    double least;
    std::size_t placement;
    auto operator<=>(const Sum&) const = default;
  };

  // A search of a case that is due.
  struct Look {
    std::size_t way, number;  // of ways_ and of cases_
    BoundEffort known;
    double limit = kNoSum;
    double raised = 0;
  };

  // About what it takes.
  u64 bytes() const {
    constexpr u64 kOfPlacement = 96, kOfWay = 700;
    return placements_.size() * (kOfPlacement + links_.size() * sizeof(std::size_t)) +
           (ways_.size() + cases_.size()) * kOfWay;
  }

  Other& other(int array);

  // common_split.cpp: every placement. False: there was no time for them.
  bool list();

  // The array is in the nests of all links.
  void apart();

  bool is_intermediate(const Other& o) const { return b_.group_.array[o.array].intermediate; }

  // In the nests, or wherever it may be held.
  std::vector<Stay> unplaced(const Other& o) const;

  // At some node, where it comes in once, with a tile that is not beneath all loops.
  Stay anywhere(const Other& o) const;

  // False: there was no time for them.
  bool splits();

  // Room of the array's tile.
  u64 home_words(const Split& first) const;
  u64 words_of(int array, int link, int tensor, const Split& s) const;

  // Loops that may be above a node at the home or further out. Where a part of a rank's loops is above, none is lost
  // if that ends where one dimension of some link is divided up: an array that has the dimension comes in as often
  // beneath all loops over it, with a smaller tile; another no more often above them.
  std::vector<const RankFactors*> prefixes(const RankFactors& factor, const std::vector<const Split*>& split) const;

  std::vector<Stay> stays_of(const Other& o, const std::vector<const Split*>& split,
                             const std::vector<const RankFactors*>& above) const;

  // Whether the loops are over ranks of the array alone, as those above the home of an intermediate are.
  bool divides_only(const Other& o, const std::vector<const Split*>& split) const;

  // Held beneath these loops: it comes in in each of their iterations.
  Stay beneath(const Other& o, const std::vector<const Split*>& split, bool takes_room) const;

  // Every choice of where the other arrays stay that fits: the nodes at the home or further out are on one path.
  void place(const std::vector<const Split*>& split, bool home, const std::vector<std::vector<Stay>>& stays, u64 words);

  void add(const std::vector<const Split*>& split, bool home, const std::vector<const Stay*>& chosen, u64 taken);

  template <typename F>
  void for_touches(std::size_t k, const std::vector<const Stay*>& chosen, const F& f) const {
    for (std::size_t o = 0; o < others_.size(); ++o)
      for (std::size_t n = 0; n < others_[o].touches.size() && chosen[o]->home; ++n)
        if (others_[o].touches[n].link == k) f(*chosen[o], others_[o].touches[n], chosen[o]->moved[n]);
  }

  std::size_t way_of(Way way, const LinkPass& pass);
  std::size_t case_of(std::size_t k, const LinkPass& pass);
  std::size_t least_case(const Way& way) const {
    return *std::ranges::min_element(way.cases, {}, [&](std::size_t c) { return cases_[c].lower; });
  }
  double lower_of(const Way& way) const {
    double out = kNoSum;
    for (const std::size_t c : way.cases) out = std::min(out, cases_[c].lower);
    return std::max(out, way.lower);
  }
  double sum_of(const Placement& p) const {
    double out = 0;
    for (const std::size_t w : p.ways) out += lower_of(ways_[w]);
    return out;
  }

  // common_search.cpp: the placements with the least sums are looked at more closely, until that has been done of the
  // least.
  bool refine(double limit, double& lower, u64 looks);

  // The first ones below the limit, at least one, by what is known of their links now.
  std::vector<std::size_t> least_placements(double limit);

  // Looks at links of which least is known in the first placement, and in others that have no link in common with
  // those: several at a time. Of how many placements; 0: enough is known of all links of the first.
  std::size_t look_closer(const std::vector<std::size_t>& least);

  // The links of which least is known, of one shape the first. None: enough is known of all.
  std::vector<Look> looks_of(const Placement& p) const;
  std::size_t shape_of(const Look& look) const { return b_.solver_.shape(links_[ways_[look.way].link]); }

  // Whether both would be searched as one: the whole links, or passes that differ in their room alone.
  bool share_state(const Look& a, const Look& b) const;

  // What a case need not be known to be above: then it is in no placement that is the least. Limits rise by steps that
  // are not too small.
  double limit_of(const Look& look, double least) const;
  void search(Look& look) const;

  // Tiles of what is held further in must fit beside the others: as they are in the passes, or beneath more loops. Of
  // these the least are enough, because passes of finer ones cost as much at least.
  void put_in_room(Way& way);
  // And what they take is not the nest's (LinkBound::by_room()), in the least case. False: there is no more to it.
  bool take_room(Way& way);
  void add_case(Way& way, const LinkPass& pass);

  LinkBound& b_;
  int array_;
  std::vector<int> links_;
  std::vector<std::vector<std::vector<int>>> ranks_;  // [links_][rank of the array]: dimensions of the link
  std::vector<TensorMask> shared_;                    // [links_]: tensors that are the array, if it comes from outside
  std::vector<std::vector<int>> foreign_;             // [links_]: dimensions that loops above the home may divide, too
  std::vector<Other> others_;
  std::vector<std::vector<Split>> splits_;                      // [links_]
  std::map<RankFactors, std::vector<const Split*>> by_factor_;  // [links_]
  std::vector<Placement> placements_;
  std::set<Sum> sums_;  // of all placements
  bool is_listed_ = false;
  u64 counted_ = 0;  // bytes, by the solver
  std::vector<Case> cases_;
  std::vector<Way> ways_;
  std::map<std::pair<std::size_t, LinkPass>, std::size_t> case_number_;
  std::map<std::tuple<std::size_t, unsigned, LinkPass>, std::size_t> way_number_;
};

}  // namespace heliolite
