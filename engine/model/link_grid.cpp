// Receivers as neighbours on their grid, at one step and over a walk of a nest with imperfect factors.
#include "engine/model/compiled.h"
#include "engine/model/links.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>

#include "engine/base/integers.h"
#include "engine/model/imperfect_nest.h"
#include "engine/model/temporal_traffic.h"

namespace heliolite {
namespace {

// Appends the offsets of all receivers that loops [0, depth) reach from `offset`. A loop runs to its residual where
// those of its dimension outside it are in their last iteration.
void list_units(std::span<const LinkLoop> loops, std::span<const i64> step, std::size_t depth, i64 offset,
                DimensionMask context, std::vector<i64>& out) {
  if (depth == 0) return out.push_back(offset);
  const LinkLoop& loop = loops[depth - 1];
  const bool in_last = contains(context, loop.dimension);
  const u64 count = in_last ? loop.residual : loop.end;
  const auto middle = static_cast<DimensionMask>(context & ~dimension_bit(loop.dimension));
  for (u64 k = 0; k < count; ++k)
    list_units(loops, step, depth - 1, offset + static_cast<i64>(k) * step[depth - 1],
               in_last && k + 1 == count ? context : middle, out);
}

}  // namespace

LinkGrid::LinkGrid(std::span<const LinkLoop> loops, u64 columns, u64 rows)
    : loops_(loops.begin(), loops.end()), columns_(columns), rows_(rows) {
  for (const LinkLoop& loop : loops_)
    for (std::size_t r = 0; r < reach_.size(); ++r) reach_[r] += loop.move[r] * static_cast<i64>(loop.end - 1);
  i64 weight = 1;
  for (std::size_t r = 0; r < reach_.size(); ++r) {
    weight_[r] = weight;
    weight *= 2 * reach_[r] + 1;
  }
  for (const LinkLoop& loop : loops_) {
    i64 step = 0;
    for (std::size_t r = 0; r < reach_.size(); ++r) step += loop.move[r] * weight_[r];
    step_.push_back(step);
  }
}

const std::vector<i64>& LinkGrid::units(DimensionMask context) {
  for (const Listed& known : listed_)
    if (known.context == context) return known.offsets;
  listed_.push_back({context, {}});
  list_units(loops_, step_, loops_.size(), 0, context, listed_.back().offsets);
  return listed_.back().offsets;
}

LinkShare LinkGrid::without_links(DimensionMask context) {
  LinkShare out;
  share(units(context), {}, out);
  return out;
}

LinkShare LinkGrid::with_links(DimensionMask context, DimensionMask before, const RankMove& shift) {
  LinkShare out;
  i64 moved = 0;
  bool possible = true;
  for (std::size_t r = 0; r < shift.size(); ++r) {
    possible &= std::abs(shift[r]) <= reach_[r];
    moved += shift[r] * weight_[r];
  }
  units(before);  // both lists are there before one is referred to
  const std::vector<i64>& now = units(context);
  const std::vector<i64>& old = units(before);
  const auto linked = std::make_unique<bool[]>(now.size());
  for (std::size_t id = 0; id < now.size() && possible; ++id) {
    linked[id] = has_neighbour(id, now[id] + moved, old);
    out.linked += linked[id];
  }
  share(now, {linked.get(), now.size()}, out);
  return out;
}

// Receivers of the step before are numbered as they were then.
bool LinkGrid::has_neighbour(std::size_t id, i64 offset, const std::vector<i64>& before) const {
  const std::size_t column = id % columns_, row = id / columns_;
  const auto had = [&](std::size_t neighbour) { return neighbour < before.size() && before[neighbour] == offset; };
  return (column > 0 && had(id - 1)) || (column + 1 < columns_ && had(id + 1)) || (row > 0 && had(id - columns_)) ||
         (row + 1 < rows_ && had(id + columns_));
}

void LinkGrid::share(const std::vector<i64>& offsets, std::span<const bool> linked, LinkShare& out) {
  std::vector<FanoutReceiver> receivers;
  for (std::size_t id = 0; id < offsets.size(); ++id)
    if (linked.empty() || !linked[id])
      receivers.push_back(
          {static_cast<u64>(offsets[id]), static_cast<u32>(id % columns_), static_cast<u32>(id / columns_)});
  group_receivers(receivers, rows_, out.groups);
  for (const ReceiverGroups& g : out.groups) out.distinct += g.groups;
}

namespace {

// The words that cross a fan-out step by step, as a walk of the nest for one tensor (docs/cost_model.md, rules 6 and 7)
// that knows of each step whether its words are those of the step before, moved: what link transfers are made of
// (docs/link_transfers.md). For factors that need not divide; equal states are walked once.

// Steps of a fan-out that are alike.
struct LinkSteps {
  DimensionMask context = 0, before = 0;  // dimensions in their last context, now and a step before
  bool repeats = false;                   // the words are those of the step before, moved by `shift`
  RankMove shift{};
  u64 words = 0;  // of each receiver, over all these steps

  bool alike(const LinkSteps& other) const {
    return context == other.context && before == other.before && repeats == other.repeats && shift == other.shift;
  }
};

// One walk.
class LinkWalk {
 public:
  LinkWalk(const CompiledTensor& t, const ImperfectNest& nest, int level);

  // The steps of the fan-out below `level` that bring the receivers anything.
  std::vector<LinkSteps> run();

 private:
  // Words [low, low + extent) of each rank, relative to the origin of the current tile.
  struct Region {
    RankMove low{}, extent{};
    auto operator<=>(const Region&) const = default;
  };
  using Regions = std::vector<Region>;

  // What the steps before leave behind.
  struct State {
    bool visited = false, has_stride = false;
    RankMove stride{};         // the last move of the tile
    Region tile;               // the last tile
    Regions fresh;             // the words of the last step
    DimensionMask before = 0;  // its context
    auto operator<=>(const State&) const = default;
  };
  struct Key {
    int loop;
    DimensionMask last;
    State state;
    auto operator<=>(const Key&) const = default;
  };
  struct Entry {
    State after;
    std::vector<LinkSteps> steps;
  };

  void visit(int l, DimensionMask last, State& state, u64 weight, std::vector<LinkSteps>& out);
  void iterate(int l, DimensionMask last, State& state, std::vector<LinkSteps>& out);
  void step(DimensionMask last, State& state, u64 weight, std::vector<LinkSteps>& out) const;
  Regions fresh_words(const Region& tile, State& state) const;
  Region tile(DimensionMask last) const;
  void shift(State& state, const ImperfectLoop& loop, i64 iterations) const;

  const CompiledTensor& tensor_;
  const ImperfectNest& nest_;
  int level_;
  int from_;               // the level's first temporal loop
  DimensionMask cut_ = 0;  // dimensions that the level's spatial loops keep in the middle
  std::map<Key, Entry> known_;
};

void add_steps(std::vector<LinkSteps>& out, LinkSteps steps) {
  for (LinkSteps& known : out)
    if (known.alike(steps)) return void(known.words += steps.words);
  out.push_back(steps);
}

// C's round() of twice / 2.
i64 half_away_from_zero(i64 twice) { return twice >= 0 ? (twice + 1) / 2 : -((1 - twice) / 2); }

LinkWalk::LinkWalk(const CompiledTensor& t, const ImperfectNest& nest, int level)
    : tensor_(t), nest_(nest), level_(level), from_(nest.first_temporal[level]) {
  for (int l = nest.first[level]; l < from_; ++l)
    if (nest.loop[l].residual > 1) cut_ |= nest.loop[l].bit();
}

std::vector<LinkSteps> LinkWalk::run() {
  std::vector<LinkSteps> out;
  State state;
  visit(nest_.loop_count - 1, static_cast<DimensionMask>(~DimensionMask{0}), state, 1, out);
  return out;
}

// One execution of the loops up to `l`.
void LinkWalk::visit(int l, DimensionMask last, State& state, u64 weight, std::vector<LinkSteps>& out) {
  for (; l >= from_ && nest_.loop[l].spatial; --l)  // unit 0: iteration 0, the last one only if there is no other
    if (nest_.loop[l].residual > 1) last = static_cast<DimensionMask>(last & ~nest_.loop[l].bit());
  if (l < from_) return step(last, state, weight, out);
  const auto [entry, is_new] = known_.try_emplace({l, last, state});
  if (is_new) {
    iterate(l, last, state, entry->second.steps);
    entry->second.after = state;
  }
  state = entry->second.after;
  for (LinkSteps steps : entry->second.steps) {
    steps.words *= weight;
    add_steps(out, steps);
  }
}

void LinkWalk::iterate(int l, DimensionMask last, State& state, std::vector<LinkSteps>& out) {
  const ImperfectLoop& loop = nest_.loop[l];
  visit_iterations(loop, (last & loop.bit()) != 0, false, [&](u64 index, u64 weight, bool inner_last) {
    shift(state, loop, static_cast<i64>(index));
    visit(l - 1, inner_last ? last : static_cast<DimensionMask>(last & ~loop.bit()), state, weight, out);
    shift(state, loop, -static_cast<i64>(index));
  });
}

// One execution of the fan-out. Compute units ask for the words themselves, whatever they had before.
void LinkWalk::step(DimensionMask last, State& state, u64 weight, std::vector<LinkSteps>& out) const {
  LinkSteps now;
  now.context = nest_.contexts[level_].last(nest_.contexts[level_].index(last));
  now.before = state.before;
  const Region box = tile(static_cast<DimensionMask>(last & ~cut_));
  Regions fresh = level_ == 0 ? Regions{box} : fresh_words(box, state);
  std::sort(fresh.begin(), fresh.end());
  for (const Region& region : fresh) {
    u64 words = weight;
    for (int r = 0; r < tensor_.rank_count; ++r) words *= static_cast<u64>(region.extent[r]);
    now.words += words;
  }
  if (fresh.size() == state.fresh.size() && !fresh.empty()) {
    for (std::size_t r = 0; r < now.shift.size(); ++r) now.shift[r] = fresh[0].low[r] - state.fresh[0].low[r];
    now.repeats = true;
    for (std::size_t k = 0; k < fresh.size(); ++k) {
      Region moved = state.fresh[k];
      for (std::size_t r = 0; r < now.shift.size(); ++r) moved.low[r] += now.shift[r];
      now.repeats &= moved == fresh[k];
    }
    if (!now.repeats) now.shift = {};
  }
  if (!now.repeats) now.before = 0;
  if (!fresh.empty()) add_steps(out, now);
  state.visited = true;
  state.tile = box;
  state.fresh = std::move(fresh);
  state.before = now.context;
}

LinkWalk::Region LinkWalk::tile(DimensionMask last) const {
  Region out;
  out.extent.fill(1);
  if (level_ == 0) return out;
  const ImperfectTile& extents = nest_.inside[level_];
  out.extent = box_along_ranks(tensor_, [&](u8 d) { return (contains(last, d) ? extents.last : extents.middle)[d]; });
  return out;
}

// Rule 7: the words of the tile that the one before did not have, unless the move is not the remembered one; as boxes,
// cut rank by rank.
LinkWalk::Regions LinkWalk::fresh_words(const Region& tile, State& state) const {
  if (!state.visited) return {tile};
  const Region& old = state.tile;
  RankMove move{};
  bool moved = false, apart = false;
  for (std::size_t r = 0; r < move.size(); ++r) {
    move[r] = half_away_from_zero(2 * tile.low[r] + tile.extent[r] - 2 * old.low[r] - old.extent[r]);
    moved |= move[r] != 0;
    apart |= tile.low[r] + tile.extent[r] <= old.low[r] || old.low[r] + old.extent[r] <= tile.low[r];
  }
  if (moved && state.has_stride && state.stride != move) {
    state.has_stride = false;
    state.stride = {};
    return {tile};
  }
  if (moved) {
    state.has_stride = true;
    state.stride = move;
  }
  if (apart) return {tile};
  Regions out;
  Region rest = tile;
  for (std::size_t r = 0; r < move.size(); ++r) {
    if (rest.low[r] < old.low[r]) {
      out.push_back(rest);
      out.back().extent[r] = old.low[r] - rest.low[r];
      rest.extent[r] -= out.back().extent[r];
      rest.low[r] = old.low[r];
    }
    if (const i64 high = old.low[r] + old.extent[r]; high < rest.low[r] + rest.extent[r]) {
      out.push_back(rest);
      out.back().low[r] = high;
      out.back().extent[r] = rest.low[r] + rest.extent[r] - high;
      rest.extent[r] = high - rest.low[r];
    }
  }
  return out;
}

// The past as seen from `iterations` further on.
void LinkWalk::shift(State& state, const ImperfectLoop& loop, i64 iterations) const {
  if (iterations == 0 || !state.visited) return;
  RankMove move{};
  add_move(tensor_, loop.dimension, iterations * static_cast<i64>(loop.step), move);
  for (std::size_t r = 0; r < move.size(); ++r) {
    state.tile.low[r] -= move[r];
    for (Region& region : state.fresh) region.low[r] -= move[r];
  }
}

}  // namespace

// Each step by itself: words that all receivers find at a neighbour, or none, or some, as the sender has least to send.
void take_from_peers(const Compiled& c, const CompiledTensor& t, const ImperfectNest& nest, int level, LevelNest& out) {
  std::vector<LinkLoop> loops;
  for (int l = nest.first[level]; l < nest.first_temporal[level]; ++l) {
    const ImperfectLoop& loop = nest.loop[l];
    loops.push_back({loop.end, loop.residual, loop.dimension, {}});
    add_move(t, loop.dimension, static_cast<i64>(loop.step), loops.back().move);
  }
  LinkGrid grid(loops, std::max(c.level[level].fanout_x, nest.columns[level]),
                std::max(c.level[level].fanout_y, nest.fanout[level] / nest.columns[level]));
  for (const LinkSteps& steps : LinkWalk(t, nest, level).run()) {
    LinkShare share = grid.without_links(steps.context);
    if (steps.repeats) {
      LinkShare less = grid.with_links(steps.context, steps.before, steps.shift);
      if (less.linked > 0 && less.distinct < share.distinct) share = std::move(less);
    }
    for (const ReceiverGroups& g : share.groups) add_record(g, steps.words, out.records);
    out.peer_words += static_cast<double>(share.linked * steps.words);
  }
  for (const NestRecord& r : out.records) {
    out.accesses_sum += r.words;
    out.share += r.words * static_cast<double>(r.multicast) / static_cast<double>(nest.fanout[level]);
  }
}

}  // namespace heliolite
