#include "engine/search/fused/subtree.h"

#include <algorithm>

#include "engine/base/integers.h"
#include "engine/model/keep.h"
#include "engine/model/running_units.h"
#include "engine/network/group_plan.h"

namespace heliolite {
namespace {

using At = ArrayPlace::At;

bool may_keep(const FusedInterval& g, const ArrayTouch& t) {
  return t.is_term ||
         keep_choice(g.architecture->levels[g.level].keep, g.graph->link(t.link), t.tensor) != KeepChoice::Bypass;
}

// Links that read one array from outside can share one tile of it only if they see the same windows and ranks.
bool same_ranks(const ArrayTouch& a, const ArrayTouch& b) {
  return std::ranges::all_of(b.ranks, [&](const CommonRank& r) {
    const auto same = std::ranges::find(a.ranks, r.array, &CommonRank::array);
    return same != a.ranks.end() && same->slides == r.slides && same->window == r.window && same->border == r.border;
  });
}

FusedInterval::Array array_in(const FusedInterval& g, const SharedArray& array) {
  FusedInterval::Array out;
  for (const ArrayTouch& t : array.touches) {
    if (t.link < g.first || t.link > g.last) {
      out.touched_outside = true;
      continue;
    }
    out.first = out.inside.empty() ? t.link : std::min(out.first, t.link);
    out.last = std::max(out.last, t.link);
    out.inside.push_back(&t);
  }
  const bool made_here = array.maker && g.first <= *array.maker && *array.maker <= g.last;
  out.intermediate = made_here && out.inside.size() > 1;
  if (out.inside.empty() || out.intermediate || out.inside.front()->is_term) return out;
  out.holdable = std::ranges::all_of(out.inside, [&](const ArrayTouch* t) {
    return may_keep(g, *t) && (out.inside.size() == 1 || same_ranks(*out.inside.front(), *t));
  });
  out.holdable &= out.inside.size() == 1 || array.why_apart.empty();
  return out;
}

}  // namespace

std::optional<FusedInterval> make_interval(const LinkGraph& graph, const Architecture& architecture, int level,
                                           int first, int last, const FusionRules& rules) {
  FusedInterval out{&graph, &architecture, rules, first, last, level, {}};
  if (!why_not_fused_there(graph, architecture, level, first, last).empty()) return std::nullopt;
  for (int l = first; l <= last; ++l)
    if (graph.links[l].count != graph.links[first].count) return std::nullopt;
  for (const SharedArray& array : graph.arrays) {
    out.array.push_back(array_in(out, array));
    if (!out.array.back().intermediate) continue;
    if (!array.why_apart.empty()) return std::nullopt;
    for (const ArrayTouch* t : out.array.back().inside)
      if (!may_keep(out, *t)) return std::nullopt;
  }
  return out;
}

Subtree whole(const FusedInterval& g) {
  Subtree out;
  out.first = g.first, out.last = g.last;
  for (int l = g.first; l <= g.last; ++l) {
    LinkPass pass;
    pass.size = sizes_of(g.graph->link(l));
    pass.level = *level_in_chain(*g.architecture, g.level, running_chain(g.graph->link(l), *g.architecture));
    out.pass.push_back(std::move(pass));
    out.divided.emplace_back(g.graph->link(l).dimensions.size(), u8{0});
  }
  out.array.resize(g.array.size());
  for (std::size_t a = 0; a < g.array.size(); ++a)
    if (!g.array[a].intermediate && !g.array[a].holdable) out.array[a].at = At::Own;
  return out;
}

std::vector<u64> key_of(const FusedInterval& g, const Subtree& s) {
  std::vector<u64> out{static_cast<u64>(s.first), static_cast<u64>(s.last), s.above, s.iterations,
                       static_cast<u64>(s.depth != 0)};
  for (int l = s.first; l <= s.last; ++l) {
    const LinkPass& p = s.of(l);
    out.insert(out.end(), p.size.begin(), p.size.end());
    out.insert(out.end(), {p.passes, p.parts, u64{p.at_home}, p.stored, p.returned});
    out.insert(out.end(), p.fetched.begin(), p.fetched.end());
    u64 divided = 0;
    for (const u8 d : s.divided[l - s.first]) divided = divided * 3 + d;
    out.push_back(divided);
  }
  for (std::size_t a = 0; a < g.array.size(); ++a) {
    const auto touches = [&](const ArrayTouch* t) { return s.first <= t->link && t->link <= s.last; };
    if (std::ranges::none_of(g.array[a].inside, touches)) continue;
    const ArrayPlace& p = s.array[a];
    out.push_back(static_cast<u64>(p.at) * 4 + (p.slides ? 2 : 0) + (p.last ? 1 : 0));
    if (p.at == At::Open || p.at == At::Due) out.insert(out.end(), {p.tiles, p.sliding_words});
  }
  return out;
}

std::optional<int> sliding_line(const Workload& w, int v, int rank) {
  if (is_plain(w, v, rank) || w.tensors[v].is_output()) return std::nullopt;
  return line_dimension(w, v, rank);
}

u64 tile_extent(const Workload& w, int v, int rank, const LinkSizes& sizes, std::optional<int> line) {
  const Rank& r = w.tensors[v].ranks[rank];
  if (!line) return rank_extent(r, sizes);
  u64 stride = 0;
  for (const Term& term : r.terms) stride += term.dimension == *line ? term.coefficient : 0;
  return stride * sizes[*line];
}

namespace {

u64 extent_under(const FusedInterval& g, const Subtree& s, const ArrayTouch& t, int rank) {
  const Workload& w = g.graph->link(t.link);
  std::optional<int> line = sliding_line(w, t.tensor, rank);
  if (line && s.divided[t.link - s.first][*line] == 0) line.reset();
  return tile_extent(w, t.tensor, rank, s.of(t.link).size, line);
}

int rank_count(const FusedInterval& g, const ArrayTouch& t) {
  return static_cast<int>(g.graph->link(t.link).tensors[t.tensor].ranks.size());
}

u64 tile_of_touch(const FusedInterval& g, const Subtree& s, const ArrayTouch& t) {
  u64 words = 1;
  for (int r = 0; r < rank_count(g, t); ++r) words *= extent_under(g, s, t, r);
  return words;
}

// Lines that windows along a rank share, times what the tile has of the other ranks.
u64 overlap_words(const FusedInterval& g, const Subtree& s, const ArrayTouch& t, int line, u64 lines) {
  u64 words = lines;
  for (int r = 0; r < rank_count(g, t); ++r)
    if (line_dimension(g.graph->link(t.link), t.tensor, r) != line) words *= extent_under(g, s, t, r);
  return words;
}

u64 factor_over(const std::vector<DividedDimension>& how, const std::vector<int>& dimensions) {
  u64 product = 1;
  for (const DividedDimension& d : how)
    if (std::ranges::count(dimensions, d.dimension) != 0) product *= d.factor;
  return product;
}

bool is_rank(const ArrayTouch& t, int d) {
  return std::ranges::any_of(t.ranks, [&](const CommonRank& r) { return std::ranges::count(r.own, d) != 0; });
}

// Puts a loop around the links of a state.
class LoopMaker {
 public:
  LoopMaker(const FusedInterval& g, const Subtree& before) : g_(g), before_(before), s_(before) {}

  std::vector<Looped> run(const RankClass& ranks, u64 iterations) {
    if (!divide_all(ranks, iterations)) return {};
    s_.above = before_.iterations;
    s_.iterations = before_.iterations * iterations;
    ++s_.depth;
    for (std::size_t a = 0; a < g_.array.size(); ++a)
      if (!(g_.array[a].intermediate ? pass_on(a) : from_outside(a))) return {};
    return choices();
  }

 private:
  const std::vector<DividedDimension>& how(int link) const { return loop_[link - s_.first].divided; }
  bool is_beneath(int link) const { return s_.first <= link && link <= s_.last; }

  // The sizes that the loop leaves. A dimension is divided again by a node and its child only, one that slides not at
  // all.
  bool divide_all(const RankClass& ranks, u64 iterations) {
    for (int l = s_.first; l <= s_.last; ++l) {
      LinkPass& pass = s_.of(l);
      std::vector<u8>& divided = s_.divided[l - s_.first];
      auto parts = divide(pass.size, ranks.of(l), iterations);
      if (!parts) return false;
      const Workload& link = g_.graph->link(l);
      for (u8& d : divided) d = d == 2 ? 1 : d;
      for (const DividedDimension& d : *parts) {
        const u8 earlier = before_.divided[l - s_.first][d.dimension];
        if (earlier == 1 || (earlier == 2 && counts_windows(link, d.dimension))) return false;
        divided[d.dimension] = 2;
        pass.size[d.dimension] /= d.factor;
        if (contains(link.indexing(link.output()), d.dimension)) pass.parts *= d.factor;
      }
      pass.passes *= iterations;
      loop_.push_back({l, *std::move(parts)});
    }
    return true;
  }

  // An intermediate that is made and read beneath the loop: of a rank of it, alike for both.
  bool pass_on(std::size_t a) {
    const SharedArray& array = g_.graph->arrays[a];
    const FusedInterval::Array& own = g_.array[a];
    const int maker = *array.maker;
    if (!is_beneath(maker)) return true;
    const ArrayTouch& made = array.touches.front();
    for (const ArrayTouch* t : own.inside) {
      if (t->link == maker || !is_beneath(t->link)) continue;
      const Workload& link = g_.graph->link(maker);
      for (const DividedDimension& d : how(maker))
        if (!has_dimension(link, made.tensor, d.dimension)) return false;
      for (const DividedDimension& d : how(t->link))
        if (!is_rank(*t, d.dimension)) return false;
      for (const CommonRank& r : t->ranks) {
        const u64 parts_made = factor_over(how(maker), r.array), parts_read = factor_over(how(t->link), r.own);
        if (parts_made != parts_read || (!r.divides && parts_made > 1)) return false;
      }
    }
    const bool all_beneath = is_beneath(own.first) && is_beneath(own.last);
    return !all_beneath || before_.array[a].at == At::Home || slide(a, made);
  }

  // Lines that neighbouring iterations share stay; along one loop only.
  bool slide(std::size_t a, const ArrayTouch& made) {
    u64 shared = 0;
    std::optional<int> along;
    bool slides = false;
    for (const ArrayTouch* t : g_.array[a].inside) {
      if (t->is_term || t == &made) continue;
      for (const CommonRank& r : t->ranks) {
        if (!r.slides || factor_over(how(t->link), r.own) <= 1) continue;
        if (before_.array[a].slides || (along && *along != r.array[0])) return false;
        along = r.array[0];
        slides = true;
        shared = std::max(shared, overlap_words(g_, before_, made, r.array[0], r.overlap()));
      }
    }
    if (slides) s_.array[a].slides = true;
    room_ += room_words(static_cast<int>(a), shared, g_.level, *g_.graph, *g_.architecture);
    return true;
  }

  // What may still be held here or further in.
  bool from_outside(std::size_t a) {
    const FusedInterval::Array& own = g_.array[a];
    ArrayPlace& place = s_.array[a];
    if (place.at == At::Home || place.at == At::Own || own.inside.empty()) return true;
    if (!is_beneath(own.first) || !is_beneath(own.last)) return true;
    const ArrayTouch& first = *own.inside.front();
    const Workload& link = g_.graph->link(first.link);
    u64 so_far = 1;
    place.tiles = 1;
    for (const DividedDimension& d : how(first.link)) {
      so_far *= d.factor;
      if (has_dimension(link, first.tensor, d.dimension)) place.tiles = so_far;
    }
    const bool lacks = place.tiles != so_far;
    for (const ArrayTouch* t : own.inside)
      for (const CommonRank& r : t->ranks) {
        const auto same = std::ranges::find(first.ranks, r.array, &CommonRank::array);
        if (same == first.ranks.end() || factor_over(how(first.link), same->own) == factor_over(how(t->link), r.own))
          continue;
        if (place.at == At::Due) return false;  // different tiles
        place.at = At::Own;
        return true;
      }
    if (place.at == At::Due && place.last) return false;
    int lines = 0;
    u64 overlap = 0;
    if (!link.tensors[first.tensor].is_output())
      for (const CommonRank& r : first.ranks)
        if (r.slides && factor_over(how(first.link), r.own) > 1) {
          ++lines;
          overlap = overlap_words(g_, before_, first, r.own[0], r.overlap());
        }
    if (lines > 1 || (lines == 1 && place.at == At::Due)) {
      if (place.at == At::Due) return false;
      place.at = At::Own;
    } else if (lines == 1) {
      sliding_.push_back({a, overlap, before_.iterations * tile_of_touch(g_, before_, first), lacks});
    } else if (place.at == At::Due && lacks) {
      place.last = true;
    }
    return true;
  }

  // Each sliding array is held here or further in, or not at all.
  std::vector<Looped> choices() const {
    std::vector<Looped> out;
    for (u64 held = 0; held < u64{1} << sliding_.size(); ++held) {
      Looped one{s_, room_, loop_};
      for (std::size_t k = 0; k < sliding_.size(); ++k) {
        const Sliding& x = sliding_[k];
        ArrayPlace& place = one.state.array[x.array];
        if (!contains(held, k)) {
          place.at = At::Own;
          continue;
        }
        place.at = At::Due;
        place.last = x.lacks;
        place.sliding_words = x.fetched;
        one.room += room_words(static_cast<int>(x.array), x.overlap, g_.level, *g_.graph, *g_.architecture);
      }
      out.push_back(std::move(one));
    }
    return out;
  }

  struct Sliding {
    std::size_t array;
    u64 overlap, fetched;
    bool lacks;
  };

  const FusedInterval& g_;
  const Subtree& before_;
  Subtree s_;
  std::vector<DividedLink> loop_;
  u64 room_ = 0;
  std::vector<Sliding> sliding_;
};

}  // namespace

u64 tile_under(const FusedInterval& g, const Subtree& s, int a) {
  const SharedArray& array = g.graph->array(a);
  return tile_of_touch(g, s, g.array[a].intermediate ? array.touches.front() : *g.array[a].inside.front());
}

std::vector<Looped> under_loop(const FusedInterval& g, const Subtree& s, const RankClass& ranks, u64 iterations) {
  return LoopMaker(g, s).run(ranks, iterations);
}

std::vector<int> holdable_at(const FusedInterval& g, const Subtree& s) {
  std::vector<int> out;
  for (std::size_t a = 0; a < g.array.size(); ++a) {
    const FusedInterval::Array& own = g.array[a];
    if (!own.holdable || own.first < s.first || own.last > s.last) continue;
    if (s.array[a].at == At::Open || s.array[a].at == At::Due) out.push_back(static_cast<int>(a));
  }
  return out;
}

u64 hold(const FusedInterval& g, Subtree& s, int a) {
  const FusedInterval::Array& own = g.array[a];
  const ArrayTouch& first = *own.inside.front();
  ArrayPlace& place = s.array[a];
  const u64 tile = tile_under(g, s, a);
  const u64 moved = place.at == At::Due ? place.sliding_words : s.above * place.tiles * tile;
  place.at = At::Home;
  for (const ArrayTouch* t : own.inside)
    if (!t->is_term) s.of(t->link).at_home |= static_cast<TensorMask>(1U << t->tensor);
  LinkPass& pass = s.of(first.link);
  if (g.graph->array(a).maker == first.link) {
    pass.stored = moved;
    pass.returned = moved - g.graph->words(a);
  } else {
    pass.fetched[first.tensor] = moved;
  }
  return room_words(a, tile, g.level, *g.graph, *g.architecture);
}

std::vector<bool> whole_dimensions(const FusedInterval& g, int array) {
  std::vector<bool> out(g.graph->link(*g.graph->array(array).maker).dimensions.size(), false);
  for (const ArrayTouch* t : g.array[array].inside) {
    if (t->between != Between::Norm && (t->between != Between::Softmax || g.rules.incremental_softmax)) continue;
    const Workload& reader = g.graph->link(t->link);
    for (const CommonRank& r : t->ranks)
      if (!std::ranges::all_of(r.own, [&](int d) { return has_dimension(reader, reader.output(), d); }))
        for (const int d : r.array) out[d] = true;
  }
  return out;
}

namespace {

bool has_whole_rows(const FusedInterval& g, const Subtree& s, int array) {
  const int maker = *g.graph->array(array).maker;
  const std::vector<bool> whole = whole_dimensions(g, array);
  for (std::size_t d = 0; d < whole.size(); ++d)
    if (whole[d] && s.of(maker).size[d] != g.graph->link(maker).dimensions[d].size) return false;
  return true;
}

}  // namespace

std::optional<Child> child_of(const FusedInterval& g, const Subtree& s, int first, int last) {
  Child out;
  Subtree& c = out.state;
  c.first = first, c.last = last;
  c.pass.assign(s.pass.begin() + (first - s.first), s.pass.begin() + (last - s.first + 1));
  c.divided.assign(s.divided.begin() + (first - s.first), s.divided.begin() + (last - s.first + 1));
  c.array = s.array;
  c.above = s.above, c.iterations = s.iterations, c.depth = s.depth;
  for (std::size_t a = 0; a < g.array.size(); ++a) {
    const FusedInterval::Array& own = g.array[a];
    if (!own.intermediate || s.array[a].at == At::Home || own.first < s.first || own.last > s.last) continue;
    if (first <= own.first && own.last <= last) continue;  // it may have its home further in
    const int maker = *g.graph->arrays[a].maker;
    if (maker > last || own.last < first) continue;  // not there yet, or not any more
    out.live +=
        room_words(static_cast<int>(a), tile_under(g, s, static_cast<int>(a)), g.level, *g.graph, *g.architecture);
    if (!has_whole_rows(g, s, static_cast<int>(a))) return std::nullopt;
    c.array[a].at = At::Home;
    for (const ArrayTouch* t : own.inside) {
      if (t->link < first || t->link > last) continue;
      if (!t->is_term) c.of(t->link).at_home |= static_cast<TensorMask>(1U << t->tensor);
      if (t->link == maker && own.touched_outside) c.of(maker).stored = g.graph->words(static_cast<int>(a));
    }
  }
  // What is held for links of other children, too, is no longer to be decided.
  return out;
}

}  // namespace heliolite
