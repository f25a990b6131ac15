// Passes of a link as its bounds see them (docs/rules/fused.md, rule home-bound): what of its tensors is in the room
// beneath loops, the largest passes that fit, and what they move.
#include <algorithm>
#include <functional>

#include "engine/base/integers.h"
#include "engine/network/group_plan.h"
#include "engine/search/fused/link_bound.h"
#include "engine/space/divisors.h"

namespace heliolite {
namespace {

constexpr u64 kFinestRoom = 64;  // part of a level by which room is told apart

// The line of a rank that slides, if the sizes leave a part of it; none: they do not.
std::optional<int> divided_line(const Workload& link, int v, int rank, const LinkSizes& size, const LinkSizes& before) {
  std::optional<int> line = sliding_line(link, v, rank);
  if (line && size[*line] == before[*line]) line.reset();
  return line;
}

bool slides_along_part(const Workload& link, int v, const LinkSizes& size) {
  const LinkSizes all = sizes_of(link);
  for (int r = 0; r < static_cast<int>(link.tensors[v].ranks.size()); ++r)
    if (divided_line(link, v, r, size, all)) return true;
  return false;
}

u64 words_in_all(const LinkSizes& size) {
  u64 out = 1;
  for (const u64 s : size) out *= s;
  return out;
}

}  // namespace

bool LinkBound::slides(int link, int tensor, const LinkSizes& size) const {
  return slides_along_part(group_.graph->link(link), tensor, size);
}

// Words of a tensor's tile under the loops that leave these sizes; of an intermediate at most those that are made.
u64 LinkBound::tile(const Subtree& s, int link, int tensor, const LinkSizes& size) const {
  const Workload& w = group_.graph->link(link);
  u64 words = 1;
  for (int r = 0; r < static_cast<int>(w.tensors[tensor].ranks.size()); ++r) {
    const u64 extent = tile_extent(w, tensor, r, size, divided_line(w, tensor, r, size, s.of(link).size));
    words *= std::min(extent, made_lines(link, tensor, r, size));
  }
  return words;
}

// Lines that the maker of an intermediate makes in a pass of these sizes: a reader's windows go beyond them at borders.
u64 LinkBound::made_lines(int link, int tensor, int rank, const LinkSizes& size) const {
  const Workload& w = group_.graph->link(link);
  const FusedInterval::Array& own = array_of(link, tensor);
  const std::optional<int> line = sliding_line(w, tensor, rank);
  if (!own.intermediate || !line) return ~u64{0};
  for (const ArrayTouch* t : own.inside) {
    if (t->link != link || t->tensor != tensor || t->is_term) continue;
    for (const CommonRank& r : t->ranks) {
      if (std::ranges::count(r.own, *line) == 0) continue;
      const SharedArray& array = group_.graph->array(group_.graph->array_of[link][tensor]);
      u64 lines = 1;
      for (const int d : r.array) lines *= group_.graph->link(*array.maker).dimensions[d].size;
      return lines / (w.dimensions[*line].size / size[*line]);
    }
  }
  return ~u64{0};
}

// Room of the tensors' tiles under the loops that leave these sizes; an array that is two of them stays once.
u64 LinkBound::tiles(const Subtree& s, int link, TensorMask tensors, const LinkSizes& size) const {
  const std::vector<int>& arrays = group_.graph->array_of[link];
  u64 words = 0;
  for (const int v : bits(tensors)) {
    bool is_counted = false;
    for (int other = 0; other < v; ++other) is_counted |= contains(tensors, other) && arrays[other] == arrays[v];
    if (is_counted) continue;
    words += room_words(arrays[v], tile(s, link, v, size), group_.level, *group_.graph, *group_.architecture);
  }
  return words;
}

// The largest sizes that divide these and beneath which the tiles fit: passes of finer ones cost as much at least.
std::vector<LinkSizes> LinkBound::sizes_in_room(int link, const LinkSizes& size, TensorMask tensors, u64 room) const {
  if (room == CompiledLevel::kUnbounded || tiles(root_, link, tensors, size) <= room) return {size};
  std::vector<LinkSizes> all{size}, fit, out;
  for (std::size_t d = 0; d < size.size(); ++d) {
    bool has = false;
    for (const int v : bits(tensors)) has |= has_dimension(group_.graph->link(link), v, static_cast<int>(d));
    if (!has) continue;
    std::vector<LinkSizes> next;
    for (const LinkSizes& before : all)
      for (const u64 part : divisors(size[d])) {
        next.push_back(before);
        next.back()[d] = part;
      }
    all = std::move(next);
  }
  for (LinkSizes& s : all)
    if (tiles(root_, link, tensors, s) <= room) fit.push_back(std::move(s));
  std::ranges::stable_sort(fit, std::greater(), words_in_all);
  for (const LinkSizes& s : fit)
    if (std::ranges::none_of(out, [&](const LinkSizes& o) { return is_multiple(o, s); })) out.push_back(s);
  return out;
}

void LinkBound::move(LinkPass& pass, int link, int tensor, u64 words) const {
  if (tensor != group_.graph->link(link).output()) {
    pass.fetched[tensor] = words;
    return;
  }
  const u64 once = group_.graph->link(link).tensor_words(tensor);
  pass.stored = words;
  pass.returned = words - std::min(words, once);
}

// The tensor comes in with its tile in each pass; if it slides along one of their loops, once in all.
void LinkBound::come_in_each_pass(LinkPass& pass, int link, int tensor) const {
  const u64 once = words_once(link, tensor);
  if (once != 0 && !slides(link, tensor, pass.size))
    move(pass, link, tensor, std::max(once, pass.passes * tile(root_, link, tensor, pass.size)));
}

// Runs the link in as many passes of these sizes as there are in one of the pass.
void LinkBound::divide_pass(LinkPass& pass, int link, const LinkSizes& size) const {
  const Workload& own = group_.graph->link(link);
  const DimensionMask made = own.indexing(own.output());
  for (std::size_t d = 0; d < size.size(); ++d) {
    const u64 parts = pass.size[d] / size[d];
    pass.passes *= parts;
    if (contains(made, d)) pass.parts *= parts;
  }
  pass.size = size;
}

// The passes, `within` these sizes, beneath which the tiles of the tensors fit into the room: as they are, or as all
// loops above the innermost of their homes leave them. That tensor comes in with its tile in each iteration of these.
std::vector<LinkPass> LinkBound::passes_in_room(int link, const LinkPass& pass, const LinkSizes& within,
                                                TensorMask tensors, u64 room) const {
  std::vector<LinkPass> out;
  for (const LinkSizes& size : sizes_in_room(link, within, tensors, room)) {
    LinkPass part = pass;
    divide_pass(part, link, size);
    if (size == pass.size) return {part};
    for (const int v : bits(tensors)) {
      LinkPass one = part;
      if (!contains(intermediates(link), v)) come_in_each_pass(one, link, v);
      if (std::ranges::count(out, one) == 0) out.push_back(std::move(one));
    }
  }
  return out;
}

// What is held takes room while a pass runs: its tiles beneath all loops above the innermost of the homes. The pass
// stands for all of its sizes, or parts of them, whose tiles of these `tensors` take `pass.taken` words at least, less
// those `outside`, which others take. Returned are two parts of that: those whose tiles take at least half of what they
// may, which leaves little to the nest; and the largest of those whose tiles take less, made from the pass before what
// is held took room. Empty: the tiles differ by less than a part of the level.
std::vector<LinkPass> LinkBound::by_room(int link, const LinkPass& pass, const LinkPass& all_room, TensorMask tensors,
                                         u64 outside) const {
  if (room_ == CompiledLevel::kUnbounded) return {};
  const u64 most = tiles(root_, link, tensors, pass.size), least = pass.taken - std::min(pass.taken, outside);
  if (most <= least || (most - least) * kFinestRoom < room_) return {};
  const u64 middle = least + ceil_div(most - least, u64{2});
  std::vector<LinkPass> out{pass};
  out.back().taken = outside + middle;
  for (LinkPass& few : passes_in_room(link, all_room, pass.size, tensors, middle - 1)) {
    if (tiles(root_, link, tensors, few.size) < least) continue;
    few.taken = pass.taken;
    out.push_back(std::move(few));
  }
  return out;
}

// A pass whose intermediates, and these other tensors, have a home, where all that comes or leaves does so once.
LinkPass LinkBound::with_homes(LinkPass pass, int link, TensorMask others) const {
  const Workload& own = group_.graph->link(link);
  pass.at_home = static_cast<TensorMask>(pass.at_home | intermediates(link) | others);
  for (const int v : bits(others)) move(pass, link, v, words_once(link, v));
  if (contains(intermediates(link), own.output()) && array_of(link, own.output()).touched_outside)
    pass.stored = own.tensor_words(own.output());
  return pass;
}

}  // namespace heliolite
