#pragma once
// What a link of a group costs at least, whatever tree it is in and wherever its tensors stay (docs/rules/fused.md,
// rules link-bound and home-bound). Trees and groups whose links cost too much are not searched.
#include <map>
#include <vector>

#include "engine/search/fused/link_solver.h"
#include "engine/search/fused/subtree.h"

namespace heliolite {

// Bounds at the roots of groups, at one lambda. A link has the same in all groups that see it alike.
using LinkBounds = std::map<std::vector<u64>, double>;

class LinkBound {
 public:
  // All but lambda must outlive it. `known`: of this lambda.
  LinkBound(const FusedInterval& group, LinkSolver& solver, double lambda, const SearchBudget& budget,
            LinkBounds& known);

  // What no tree beneath the place is below for the link, with this many words of the fusing level left to it.
  double least(const Subtree& s, int link, u64 room);

 private:
  // A division of an intermediate's ranks by the loops above its home, as one of its links sees it.
  struct Split {
    std::vector<u64> factor;  // [rank of the touch]
    u64 passes = 1;
    LinkSizes size;      // of the link in one pass
    u64 home_words = 0;  // room of the intermediate's tile
  };
  // The passes of a link for one of the ways its tensors may stay, and what is known of their cost.
  struct Case {
    LinkPass pass;
    double lower = 0;
  };

  double at_root(const Subtree& s, int link, u64 room);
  double anywhere(const Subtree& s, int link, bool searched);
  double with_home(const Subtree& s, int link, int array, u64 room);
  std::vector<Split> splits(const Subtree& s, int link, int array) const;
  std::vector<const Split*> coarsest(const Subtree& s, int link, const std::vector<Split>& all, TensorMask held,
                                     u64 room) const;
  void add_cases(const Subtree& s, int link, const Split& split, TensorMask held, std::vector<Case>& cases);

  const FusedInterval::Array& array_of(int link, int tensor) const;
  std::vector<u64> key_of(const Subtree& s, int link, u64 room) const;
  TensorMask intermediates(int link) const;
  TensorMask open(const Subtree& s, int link) const;
  LinkPass with_homes(LinkPass pass, int link, TensorMask others) const;
  u64 words_once(int link, int tensor) const;
  u64 tile(const Subtree& s, int link, int tensor, const LinkSizes& size) const;
  void move(LinkPass& pass, int link, int tensor, u64 words) const;

  const FusedInterval& group_;
  LinkSolver& solver_;
  double lambda_;
  const SearchBudget& budget_;
  u64 room_;  // words of the fusing level
  Subtree root_;
  LinkBounds& known_;
};

}  // namespace heliolite
