#include "engine/model/link_walk.h"

#include <algorithm>

#include "engine/base/integers.h"
#include "engine/model/executed_iterations.h"
#include "engine/model/tile_box.h"

namespace heliolite {
namespace {

void add_steps(std::vector<LinkSteps>& out, LinkSteps steps) {
  for (LinkSteps& known : out)
    if (known.alike(steps)) return void(known.words += steps.words);
  out.push_back(steps);
}

// C's round() of twice / 2.
i64 half_away_from_zero(i64 twice) { return twice >= 0 ? (twice + 1) / 2 : -((1 - twice) / 2); }

}  // namespace

LinkWalk::LinkWalk(const CompiledTensor& t, const ImperfectNest& nest, int level)
    : tensor_(t), nest_(nest), level_(level), from_(nest.first_temporal[at(level)]) {
  for (int l = nest.first[at(level)]; l < from_; ++l)
    if (nest.loop[at(l)].residual > 1) cut_ |= nest.loop[at(l)].bit();
}

std::vector<LinkSteps> LinkWalk::run() {
  std::vector<LinkSteps> out;
  State state;
  visit(nest_.loop_count - 1, static_cast<DimensionMask>(~DimensionMask{0}), state, 1, out);
  return out;
}

// One execution of the loops up to `l`.
void LinkWalk::visit(int l, DimensionMask last, State& state, u64 weight, std::vector<LinkSteps>& out) {
  for (; l >= from_ && nest_.loop[at(l)].spatial; --l)  // unit 0: iteration 0, the last one only if there is no other
    if (nest_.loop[at(l)].residual > 1) last = static_cast<DimensionMask>(last & ~nest_.loop[at(l)].bit());
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
  const ImperfectLoop& loop = nest_.loop[at(l)];
  visit_iterations(loop, (last & loop.bit()) != 0, false, [&](u64 index, u64 weight, bool inner_last) {
    shift(state, loop, static_cast<i64>(index));
    visit(l - 1, inner_last ? last : static_cast<DimensionMask>(last & ~loop.bit()), state, weight, out);
    shift(state, loop, -static_cast<i64>(index));
  });
}

// One execution of the fan-out. Compute units ask for the words themselves, whatever they had before.
void LinkWalk::step(DimensionMask last, State& state, u64 weight, std::vector<LinkSteps>& out) const {
  LinkSteps now;
  now.context = nest_.contexts[at(level_)].last(nest_.contexts[at(level_)].index(last));
  now.before = state.before;
  const Region box = tile(static_cast<DimensionMask>(last & ~cut_));
  Regions fresh = level_ == 0 ? Regions{box} : fresh_words(box, state);
  std::sort(fresh.begin(), fresh.end());
  for (const Region& region : fresh) {
    u64 words = weight;
    for (int r = 0; r < tensor_.rank_count; ++r) words *= static_cast<u64>(region.extent[at(r)]);
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
  const ImperfectTile& extents = nest_.inside[at(level_)];
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

}  // namespace heliolite
