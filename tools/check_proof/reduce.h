#pragma once
// Smaller instances of equal best value, which a proof may speak of instead (docs/rules/proof.md, Reductions).
#include "check_proof/instance.h"
namespace check_proof {
// Two dimensions that tensors and limits treat alike become the first; the second is left with size 1.
inline bool merge(Instance& in, int d, int e) {
  const u64 size_d = in.size[d], size_e = in.size[e], size = size_d * size_e;
  const Mask both = bit(d) | bit(e);
  bool is_alike = true;
  for (const Tensor& t : in.tensors)
    is_alike &= (t.plain & both) == both || ((t.indexing & both) == 0 && t.sliding == 0);
  // Both have no loop, any for which there is room, or their whole sizes.
  const auto join = [&](Limit& a, Limit& b, u64 room) {
    const bool is_whole = a.least == size_d && b.least == size_e, is_none = a.most == 1 && b.most == 1;
    const bool is_any = a.most >= std::min(size_d, room) && b.most >= std::min(size_e, room);
    is_alike &= is_whole ? a.allows(size_d) && b.allows(size_e) : a.allows(1) && b.allows(1) && (is_none || is_any);
    a = {is_whole ? size : 1, is_none ? 1 : size}, b = {};
  };
  for (Level& l : in.levels) {
    const bool on_x = place_of(d, l.x) >= 0, on_y = place_of(d, l.y) >= 0;
    for (std::vector<int>* list : {&l.order, &l.x, &l.y}) {
      const int first = place_of(d, *list), second = place_of(e, *list);
      is_alike &= first < 0 ? second < 0 : second == first + 1 || (second >= 0 && list != &l.order && !l.has_hops);
      std::erase(*list, e);
    }
    is_alike &= !(l.one_axis && on_x && on_y);
    join(l.loops[d], l.loops[e], ~u64{0});
    join(l.unroll[d], l.unroll[e], (on_x ? l.fanout_x : 1) * (on_y ? l.fanout_y : 1));
  }
  in.size[d] = size, in.size[e] = 1;
  return is_alike;
}
// A dimension that indexes every tensor alone has its loops at the outermost level, where any may be.
inline bool batch(Instance& in, int d) {
  const Level& top = in.levels.back();
  const bool is_free = top.loops[d].least <= 1 && top.loops[d].most >= in.size[d] && place_of(d, top.order) < 0;
  for (Level& l : in.levels)
    if (&l != &top && l.loops[d].least <= 1) l.loops[d] = {};
  return is_free && std::ranges::all_of(in.tensors, [&](const Tensor& t) { return contains(t.plain, d); });
}
// Does to an instance what a line `reduce` says, where that may be done.
inline void reduce(Instance& in, const Lines& l) {
  const bool is_merge = l.word(1) == "merge";
  if (!is_merge && l.word(1) != "batch") l.refuse("no reduction but 'batch' and 'merge' yet");
  l.expect("reduce", is_merge ? 4 : 3);
  const int d = dimension_of(in, l.word(2)), e = dimension_of(in, l.word(l.count() - 1));
  if (d < 0 || e < 0 || is_merge == (d == e) || !(is_merge ? merge(in, d, e) : batch(in, d)))
    l.wrong(is_merge ? "two dimensions that tensors and limits treat alike expected"
                     : "a dimension alone in every tensor, with a free loop at the outermost level, expected");
}
}  // namespace check_proof
