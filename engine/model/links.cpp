#include "engine/model/links.h"

#include <algorithm>
#include <array>

#include "engine/base/integers.h"
#include "engine/model/keep.h"
#include "engine/model/temporal_traffic.h"

namespace heliolite {
namespace {

// `words` words of each receiver are those of the step before, moved by `by`.
struct ShiftedWords {
  RankMove by{};
  u64 words = 0;
};

using ShiftList = std::vector<ShiftedWords>;

void add_shift(ShiftList& list, const RankMove& by, u64 words) {
  if (words == 0) return;
  for (ShiftedWords& known : list)
    if (known.by == by) return void(known.words += words);
  list.push_back({by, words});
}

RankMove own_move(const CompiledTensor& t, const NestLoop& loop) {
  RankMove out{};
  add_move(t, loop.dimension, loop.step, out);
  return out;
}

// Net move when a loop advances: its own, less what the loops inside have moved, which begin again; `inner` becomes the
// sum with it.
RankMove net_of(const RankMove& own, RankMove& inner) {
  RankMove out;
  for (std::size_t r = 0; r < out.size(); ++r) {
    out[r] = own[r] - inner[r];
    inner[r] += own[r];
  }
  return out;
}

u64 steps_of(const Nest& nest, int j) { return (nest.loop[j].end - 1) * nest.beyond[j]; }

// Below the innermost level: every step asks for one word. A loop over a dimension that has a rank of its own moves
// the words further than any two receivers are apart.
void list_point_shifts(const CompiledTensor& t, const Nest& nest, ShiftList& out) {
  RankMove inner{};
  for (const int j : bits(nest.temporal)) {
    if (contains(t.alone, nest.loop[j].dimension)) break;
    add_shift(out, net_of(own_move(t, nest.loop[j]), inner), steps_of(nest, j));
  }
}

// Further out: what crosses into a tile moves on only along the innermost loop outside it.
void list_tile_shifts(const CompiledTensor& t, const Nest& nest, int level, ShiftList& out) {
  const LoopMask inside = nest.through[level - 1], outside = nest.temporal & ~inside;
  if (outside == 0) return;
  const int a = std::countr_zero(outside);
  const auto along = static_cast<DimensionMask>(t.sharing_any & ~t.alone);
  if (!contains(along, nest.loop[a].dimension)) return;
  const Extents tile = nest.tile(inside);
  const u64 full = box_words(t, tile);
  detail::TileMove first;
  first.add(t, nest.loop[a]);
  const u64 fresh = detail::new_words(t, tile, full, first);
  u64 still = 0, repeats = 0;  // steps of outer loops whose net move is zero, or that of loop a
  RankMove inner = first.by;
  for (const int j : bits(outside & (outside - 1))) {
    if (contains(t.alone, nest.loop[j].dimension)) break;
    const RankMove net = net_of(own_move(t, nest.loop[j]), inner);
    if (net == RankMove{}) still += steps_of(nest, j);
    else if (fresh == full) add_shift(out, net, full * steps_of(nest, j));
    else if (net == first.by) repeats += steps_of(nest, j);
  }
  if (fresh == full) add_shift(out, first.by, full * (nest.loop[a].end - 1) * (nest.beyond[a] - still));
  else add_shift(out, first.by, fresh * nest.loop[a].end * repeats);
}

// All that the answers of a grid depend on.
struct GridKey {
  std::array<u64, 3> places{};  // columns, rows, tensor's ranks
  std::array<u64, 12> end{};
  std::array<RankMove, 12> move{};
  RankMove shift{};
  bool operator==(const GridKey&) const = default;
};

struct GridAnswer {
  LinkShare all, left;
};

GridAnswer ask_grid(std::span<const LinkLoop> loops, u64 columns, u64 rows, const RankMove& shift) {
  LinkGrid grid(loops, columns, rows);
  return {grid.without_links(0), grid.with_links(0, 0, shift)};
}

// Searches ask about a few fan-outs again and again; a pure function is remembered.
class GridCache {
 public:
  const GridAnswer& of(std::span<const LinkLoop> loops, u64 columns, u64 rows, const RankMove& shift) {
    GridKey key;
    Entry& e = entry_[slot(loops, columns, rows, shift, key)];
    if (loops.size() > key.end.size()) {
      e.key = {};
      e.answer = ask_grid(loops, columns, rows, shift);
    } else if (!(e.key == key)) {
      e.answer = ask_grid(loops, columns, rows, shift);
      e.key = key;
    }
    return e.answer;
  }

 private:
  struct Entry {
    GridKey key;
    GridAnswer answer;
  };

  std::size_t slot(std::span<const LinkLoop> loops, u64 columns, u64 rows, const RankMove& shift, GridKey& key) const {
    u64 h = columns * 31 + rows;
    const auto mix = [&](u64 word) { h = (h ^ word) * 0x9e37'79b9'7f4a'7c15U, h ^= h >> 29; };
    key.places = {columns, rows, loops.size()};
    for (std::size_t k = 0; k < std::min(loops.size(), key.end.size()); ++k) {
      mix(key.end[k] = loops[k].end);
      key.move[k] = loops[k].move;
      for (const i64 words : loops[k].move) mix(static_cast<u64>(words));
    }
    key.shift = shift;
    for (const i64 words : shift) mix(static_cast<u64>(words));
    return h % entry_.size();
  }

  std::vector<Entry> entry_ = std::vector<Entry>(1024);
};

// The loops of the fan-out below a level as the grid takes them.
std::span<const LinkLoop> link_loops(const CompiledTensor& t, const Nest& nest, int level) {
  thread_local std::vector<LinkLoop> out;
  out.clear();
  for (const int j : bits(nest.fanout[level]))
    out.push_back({nest.loop[j].end, nest.loop[j].end, nest.loop[j].dimension, own_move(t, nest.loop[j])});
  return out;
}

bool may_link(const Compiled& c, int v, const Nest& nest, int level) {
  if (!contains(c.level[level].peers, v) || !nest.has_spatial(level)) return false;
  if (level == 0) return true;
  const DimensionMask sharing = c.tensor[v].sharing_any;
  for (const int j : bits(nest.fanout[level]))
    if (contains(sharing, nest.loop[j].dimension)) return true;
  return false;
}

}  // namespace

// Where tiles never overlap nobody has what a neighbour needs next, except below the innermost level, where compute
// units ask for a word at each step.
TensorMask tensors_of_peers(const Compiled& c, const StorageLevel& level, int i, const Workload& workload) {
  TensorMask out = 0;
  if (level.fanout() == 1) return out;
  const KeepRule excluded{level.constraints.spatial.no_peers, {}};
  for (int v = 0; v < c.tensor_count; ++v)
    if ((i == 0 || c.tensor[v].sliding) && keep_choice(excluded, workload, v) != KeepChoice::Keep)
      out = static_cast<TensorMask>(out | 1u << v);
  return out;
}

bool take_from_peers(const Compiled& c, int v, const Nest& nest, int level, LevelNest& out) {
  if (!may_link(c, v, nest, level)) return false;
  const CompiledTensor& t = c.tensor[v];
  const CompiledLevel& machine = c.level[level];
  thread_local ShiftList shifts;
  shifts.clear();
  if (level == 0) list_point_shifts(t, nest, shifts);
  else list_tile_shifts(t, nest, level, shifts);
  if (shifts.empty()) return false;
  // Step 1. Words that move on as two neighbours are apart, and those that the sender is better off without.
  const auto loops = link_loops(t, nest, level);
  const u64 columns = std::max(machine.fanout_x, nest.product_x[level]);
  const u64 rows = std::max(machine.fanout_y, nest.product_y[level]);
  thread_local GridCache cache;
  out.records.clear();
  u64 moved = 0, taken = 0;
  for (const ShiftedWords& shift : shifts) {
    const GridAnswer& grid = cache.of(loops, columns, rows, shift.by);
    if (grid.left.linked == 0 || grid.left.distinct >= grid.all.distinct) continue;
    for (const ReceiverGroups& g : grid.left.groups) add_record(g, shift.words, out.records);
    taken += grid.left.linked * shift.words;
    moved += shift.words;
  }
  if (moved == 0) return false;
  out.peer_words = static_cast<double>(taken);
  // Step 2. All others come from the sender.
  u64 rest = nest.steps - moved;
  if (level > 0) {
    Box box;
    nest.measure(t, nest.through[level - 1], box);
    rest = temporal_traffic(t, nest.moving(t), nest, nest.through[level - 1], box) - moved;
  }
  const GridAnswer& grid = cache.of(loops, columns, rows, shifts.front().by);
  if (rest > 0)
    for (const ReceiverGroups& g : grid.all.groups) add_record(g, rest, out.records);
  return true;
}

TensorMask tensors_from_peers(const Compiled& c, const Nest& nest) {
  TensorMask out = 0;
  LevelNest unused;
  for (const int v : bits(c.peers))
    for (int i = 0; i < c.level_count && !contains(out, v); ++i)
      if (take_from_peers(c, v, nest, i, unused)) out = static_cast<TensorMask>(out | 1u << v);
  return out;
}

}  // namespace heliolite
