#include "engine/model/imperfect_nest.h"

#include <algorithm>

#include "engine/model/temporal_traffic.h"

namespace heliolite {

ImperfectNest::ImperfectNest(const Compiled& c, const Mapping& m)
    : level_count(c.level_count), loop_count(0), residual(0), perfect(true) {
  ImperfectTile tile;
  tile.middle.fill(1);
  tile.last.fill(1);
  for (int i = 0; i < level_count; ++i) {
    inside[i] = tile;
    add_level(i, m, tile, residual);
  }
  first[level_count] = static_cast<u8>(loop_count);
  inside[level_count] = tile;
  perfect = residual == 0;
  count_instances();
}

void ImperfectNest::add_level(int i, const Mapping& m, ImperfectTile& tile, DimensionMask& imperfect_inside) {
  first[i] = first_temporal[i] = static_cast<u8>(loop_count);
  fanout[i] = columns[i] = 1;
  FanoutContexts& context = contexts[i];
  context.bits = 0;
  DimensionMask uneven = 0;
  master[i] = tile;
  for (; loop_count < m.loop_count && m.loop[loop_count].level == i; ++loop_count) {
    const Loop& from = m.loop[loop_count];
    const u8 d = from.dimension;
    ImperfectLoop& to = loop[loop_count];
    const bool shrinks = contains(imperfect_inside, d);
    to = {from.end, from.residual, tile.middle[d], d, static_cast<u8>(i), from.is_spatial(), shrinks};
    tile.last[d] += tile.middle[d] * (to.residual - 1);
    tile.middle[d] *= to.end;
    if (!to.perfect()) imperfect_inside |= to.bit();
    if (!to.spatial) continue;
    first_temporal[i] = static_cast<u8>(loop_count + 1);
    fanout[i] *= to.end;
    if (from.kind == LoopKind::SpatialX) columns[i] *= to.end;
    if (!to.perfect() && !(uneven & to.bit())) {
      uneven |= to.bit();
      context.dimension[context.bits++] = d;
    }
    master[i] = tile;
  }
}

// Timeloop's averages, multiplied in its order (rule 13).
void ImperfectNest::count_instances() {
  std::array<double, kMaxDimensions> outer;  // iterations of the loops outside, per dimension
  outer.fill(1);
  double average = 1;
  int l = loop_count - 1;
  for (int i = level_count - 1; i >= 0; --i) {
    used[i] = average;
    for (; l >= first[i]; --l) {
      const auto end = static_cast<double>(loop[l].end), rest = static_cast<double>(loop[l].residual);
      double& steps = outer[loop[l].dimension];
      if (loop[l].spatial) average *= end == rest ? end : (rest + end * (steps - 1)) / steps;
      steps = rest + end * (steps - 1);
    }
  }
}

ImperfectExtents ImperfectNest::largest(const ImperfectTile& tile, int outer) const {
  ImperfectExtents extent = tile.last;
  for (int l = outer; l < loop_count; ++l)
    if (loop[l].residual > 1) extent[loop[l].dimension] = tile.middle[loop[l].dimension];
  return extent;
}

u64 imperfect_box_words(const CompiledTensor& t, const ImperfectExtents& extent) {
  return box_words(t, [&](u8 d) { return extent[d]; });
}

namespace {

constexpr u8 kStill = 0xff;  // rank_ of a rank that never moves
constexpr std::size_t kFirstSlots = 256;

// C's round() of twice / 2: halves away from zero.
i64 rounded_half(i64 twice) { return twice >= 0 ? (twice + 1) / 2 : -((1 - twice) / 2); }

u64 mixed(u64 h, u64 value) {
  h = (h ^ value) * 0x9e3779b97f4a7c15u;
  return h ^ (h >> 29);
}

}  // namespace

void ImperfectWalk::run(const CompiledTensor& t, const ImperfectNest& nest, int level, std::span<u64> words) {
  tensor_ = &t;
  nest_ = &nest;
  level_ = level;
  from_ = nest.first_temporal[level];
  contexts_ = words.size();
  prepare();
  State state;
  DimensionMask all = 0;
  visit(nest.loop_count - 1, static_cast<DimensionMask>(~all), state, 1, words.data());
  state_count_ = entries_.size();
}

void ImperfectWalk::prepare() {
  const ImperfectNest& nest = *nest_;
  DimensionMask moving = 0, imperfect = 0;
  for (int l = 0; l < nest.loop_count; ++l) {
    if (!nest.loop[l].perfect()) imperfect |= nest.loop[l].bit();
    if (l >= from_ && !nest.loop[l].spatial) moving |= nest.loop[l].bit();
    relevant_[l] = imperfect;
  }
  cut_ = 0;
  for (int l = nest.first[level_]; l < from_; ++l)
    if (nest.loop[l].residual > 1) cut_ |= nest.loop[l].bit();
  rank_.fill(kStill);
  rank_count_ = 0;
  for (int k = 0; k < tensor_->first_of[kMaxDimensions]; ++k) {
    const CompiledTerm& term = tensor_->by_dimension[k];
    if (contains(moving, term.dimension) && rank_[term.rank] == kStill)
      rank_[term.rank] = static_cast<u8>(rank_count_++);
  }
  sums_.resize(at(nest.loop_count) * contexts_);
  entries_.clear();
  words_.clear();
  if (slots_.empty()) slots_.resize(kFirstSlots);
  std::fill(slots_.begin(), slots_.end(), 0);
}

// One execution of the loops up to `l`.
void ImperfectWalk::visit(int l, DimensionMask last, State& state, u64 weight, u64* out) {
  const ImperfectNest& nest = *nest_;
  for (; l >= from_ && nest.loop[l].spatial; --l)  // unit 0: iteration 0, the last one only if there is no other
    if (nest.loop[l].residual > 1) last = static_cast<DimensionMask>(last & ~nest.loop[l].bit());
  if (l < from_) {
    out[nest.contexts[level_].index(last)] += weight * fresh_words(static_cast<DimensionMask>(last & ~cut_), state);
    return;
  }
  last &= relevant_[l];
  const u64 h = hash(l, last, state);
  const u64* words;
  if (const Entry* known = find(l, last, state, h)) {
    state = known->after;
    words = &words_[known->words];
  } else {
    const State before = state;
    u64* own = &sums_[at(l) * contexts_];
    std::fill_n(own, contexts_, 0);
    iterate(l, last, state, own);
    remember({before, state, 0, h, last, static_cast<u8>(l)}, own);
    words = own;
  }
  for (std::size_t c = 0; c < contexts_; ++c) out[c] += weight * words[c];
}

void ImperfectWalk::iterate(int l, DimensionMask last, State& state, u64* out) {
  const ImperfectLoop& loop = nest_->loop[l];
  const bool innermost = l == nest_->first[level_] && loop.level == level_;
  visit_iterations(loop, (last & loop.bit()) != 0, innermost, [&](u64 index, u64 weight, bool inner_last) {
    shift(state, loop, static_cast<i64>(index));
    visit(l - 1, inner_last ? last : static_cast<DimensionMask>(last & ~loop.bit()), state, weight, out);
    shift(state, loop, -static_cast<i64>(index));
  });
}

// The previous tile as seen from `iterations` further on.
void ImperfectWalk::shift(State& state, const ImperfectLoop& loop, i64 iterations) const {
  if (!state.visited || iterations == 0) return;
  for (int k = tensor_->first_of[loop.dimension]; k < tensor_->first_of[loop.dimension + 1]; ++k) {
    const CompiledTerm& term = tensor_->by_dimension[k];
    state.low[rank_[term.rank]] -= iterations * static_cast<i64>(term.coefficient * loop.step);
  }
}

ImperfectWalk::Tile ImperfectWalk::tile(DimensionMask last) const {
  const ImperfectTile& extents = nest_->inside[level_];
  const auto extent =
      box_along_ranks(*tensor_, [&](u8 d) { return (contains(last, d) ? extents.last : extents.middle)[d]; });
  Tile out{{}, 1};
  for (int r = 0; r < tensor_->rank_count; ++r) {
    if (rank_[r] == kStill) out.rest *= static_cast<u64>(extent[r]);
    else out.extent[rank_[r]] = extent[r];
  }
  return out;
}

// Rule 7: the words of the current tile that the previous one did not have, unless the move is not the remembered one.
u64 ImperfectWalk::fresh_words(DimensionMask last, State& state) const {
  const Tile now = tile(last);
  RankValues move{};
  bool moved = false;
  u64 full = now.rest, overlap = now.rest;
  for (int r = 0; r < rank_count_; ++r) {
    const i64 low = state.low[r], high = low + state.extent[r], extent = now.extent[r];
    move[r] = rounded_half(extent - low - high);
    moved |= move[r] != 0;
    full *= static_cast<u64>(extent);
    overlap *= static_cast<u64>(std::max<i64>(0, std::min(extent, high) - std::max<i64>(0, low)));
  }
  const bool first = !state.visited;
  state.visited = true;
  state.low.fill(0);
  state.extent = now.extent;
  if (first) return full;
  if (!moved) return full - overlap;
  if (!state.has_stride || state.stride == move) {
    state.has_stride = true;
    state.stride = move;
    return full - overlap;
  }
  state.has_stride = false;
  state.stride.fill(0);
  return full;
}

u64 ImperfectWalk::hash(int l, DimensionMask last, const State& state) const {
  u64 h = mixed(static_cast<u64>(l) << 32 | static_cast<u64>(last) << 2 | static_cast<u64>(state.visited) << 1 |
                    static_cast<u64>(state.has_stride),
                0);
  for (int r = 0; r < rank_count_; ++r) {
    h = mixed(h, static_cast<u64>(state.low[r]));
    h = mixed(h, static_cast<u64>(state.extent[r]) << 20 ^ static_cast<u64>(state.stride[r]));
  }
  return h;
}

ImperfectWalk::Entry* ImperfectWalk::find(int l, DimensionMask last, const State& state, u64 hash) {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t s = hash & mask; slots_[s] != 0; s = (s + 1) & mask) {
    Entry& entry = entries_[slots_[s] - 1];
    if (entry.hash == hash && entry.loop == l && entry.last == last && entry.before == state) return &entry;
  }
  return nullptr;
}

void ImperfectWalk::remember(Entry entry, const u64* own) {
  if (2 * (entries_.size() + 1) > slots_.size()) grow();
  entry.words = words_.size();
  words_.insert(words_.end(), own, own + contexts_);
  entries_.push_back(entry);
  const std::size_t mask = slots_.size() - 1;
  std::size_t s = entry.hash & mask;
  while (slots_[s] != 0) s = (s + 1) & mask;
  slots_[s] = static_cast<u32>(entries_.size());
}

void ImperfectWalk::grow() {
  slots_.assign(slots_.size() * 2, 0);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t k = 0; k < entries_.size(); ++k) {
    std::size_t s = entries_[k].hash & mask;
    while (slots_[s] != 0) s = (s + 1) & mask;
    slots_[s] = static_cast<u32>(k + 1);
  }
}

namespace {

// Words apart, per iteration of each spatial loop: offsets of all ranks linearised over the box they span.
std::array<u64, kMaxLoops> linear_steps(const CompiledTensor& t, const ImperfectNest& nest, int begin, int end) {
  std::array<u64, kMaxRanks> span;  // largest offset + 1
  for (int r = 0; r < t.rank_count; ++r) span[r] = 1;
  for (int l = begin; l < end; ++l) {
    const ImperfectLoop& loop = nest.loop[l];
    for (int k = t.first_of[loop.dimension]; k < t.first_of[loop.dimension + 1]; ++k)
      span[t.by_dimension[k].rank] += t.by_dimension[k].coefficient * loop.step * (loop.end - 1);
  }
  std::array<u64, kMaxRanks> weight;
  u64 product = 1;
  for (int r = 0; r < t.rank_count; ++r) {
    weight[r] = product;
    product *= span[r];
  }
  std::array<u64, kMaxLoops> step;
  for (int l = begin; l < end; ++l) {
    const ImperfectLoop& loop = nest.loop[l];
    step[l] = 0;
    for (int k = t.first_of[loop.dimension]; k < t.first_of[loop.dimension + 1]; ++k)
      step[l] += t.by_dimension[k].coefficient * loop.step * weight[t.by_dimension[k].rank];
  }
  return step;
}

// Lists the receivers in use by counting through the loops like an odometer. A dimension that is unrolled along both
// axes runs its inner loop to the residual only in the last iteration of the outer one.
struct ReceiverList {
  const ImperfectNest& nest;
  int begin;
  const std::array<u64, kMaxLoops>& step;
  u64 grid_columns;
  std::vector<FanoutReceiver>& out;

  void list(int l, u64 offset, DimensionMask last) {
    if (l < begin) {
      const u64 id = out.size();
      out.push_back({offset, static_cast<u32>(id % grid_columns), static_cast<u32>(id / grid_columns)});
      return;
    }
    const ImperfectLoop& loop = nest.loop[l];
    const bool in_last = (last & loop.bit()) != 0;
    const u64 count = in_last ? loop.residual : loop.end;
    for (u64 k = 0; k < count; ++k) {
      const bool stays_last = in_last && k + 1 == count;
      list(l - 1, offset + k * step[l], stays_last ? last : static_cast<DimensionMask>(last & ~loop.bit()));
    }
  }
};

u64 receivers_along(const ImperfectNest& nest, int level, int dimension, bool last) {
  u64 middle_count = 1, last_count = 1;
  for (int l = nest.first_temporal[level] - 1; l >= nest.first[level]; --l) {
    const ImperfectLoop& loop = nest.loop[l];
    if (loop.dimension != dimension) continue;
    middle_count *= loop.end;
    last_count = loop.end * (last_count - 1) + loop.residual;
  }
  return last ? last_count : middle_count;
}

}  // namespace

u64 active_receivers(const ImperfectNest& nest, int level, DimensionMask last) {
  u64 count = 1;
  DimensionMask seen = 0;
  for (int l = nest.first[level]; l < nest.first_temporal[level]; ++l) {
    const ImperfectLoop& loop = nest.loop[l];
    if (seen & loop.bit()) continue;
    seen |= loop.bit();
    count *= receivers_along(nest, level, loop.dimension, (last & loop.bit()) != 0);
  }
  return count;
}

void imperfect_groups(const CompiledTensor& t, const ImperfectNest& nest, int level, const CompiledLevel& machine,
                      DimensionMask last, std::vector<ReceiverGroups>& out) {
  out.clear();
  if (!nest.has_spatial(level)) {
    out.push_back({1, 1, 0});
    return;
  }
  thread_local std::vector<FanoutReceiver> receivers;  // reused: this is called in searches
  receivers.clear();
  const int begin = nest.first[level], end = nest.first_temporal[level];
  const u64 columns = std::max(machine.fanout_x, nest.columns[level]);
  const u64 rows = std::max(machine.fanout_y, nest.fanout[level] / nest.columns[level]);
  const auto step = linear_steps(t, nest, begin, end);
  ReceiverList{nest, begin, step, columns, receivers}.list(end - 1, 0, last);
  group_receivers(receivers, rows, out);
}

u64 distinct_receivers(const CompiledTensor& t, const ImperfectNest& nest, int level, const CompiledLevel& machine,
                       DimensionMask last) {
  if (!nest.has_spatial(level)) return 1;
  u64 count = 1;
  DimensionMask seen = 0;
  std::array<u64, kMaxDimensions> along, step;
  for (int l = nest.first[level]; l < nest.first_temporal[level]; ++l) {  // innermost first: gives the step
    const ImperfectLoop& loop = nest.loop[l];
    const u8 d = loop.dimension;
    if ((seen & loop.bit()) || !contains(t.indexing, d)) continue;
    seen |= loop.bit();
    along[d] = receivers_along(nest, level, d, (last & loop.bit()) != 0);
    step[d] = t.by_dimension[t.first_of[d]].coefficient * loop.step;
    count *= along[d];
  }
  if (!t.sliding || count == 1) return count;
  bool enumerate = t.entangled;
  for (int r = 0; r < t.rank_count && !enumerate; ++r) {
    std::array<u8, 2> d{};
    int sharing = 0;
    for (int k = 0; k < kMaxDimensions && sharing <= 2; ++k)
      if (contains(seen & t.sharing[r], k)) {
        if (sharing < 2) d[sharing] = static_cast<u8>(k);
        ++sharing;
      }
    if (sharing == 2) {
      const u64 pairs = along[d[0]] * along[d[1]];
      count = count / pairs * distinct_sums(step[d[0]], along[d[0]], step[d[1]], along[d[1]]);
    }
    enumerate = sharing > 2;
  }
  if (!enumerate) return count;
  thread_local std::vector<ReceiverGroups> groups;
  imperfect_groups(t, nest, level, machine, last, groups);
  u64 distinct = 0;
  for (const ReceiverGroups& g : groups) distinct += g.groups;
  return distinct;
}

}  // namespace heliolite
