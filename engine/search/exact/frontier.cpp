#include "engine/search/exact/frontier.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "engine/base/integers.h"

namespace heliolite {
namespace {

constexpr u32 kNone = ~u32{0};
// States of one tile that a new one is compared with, the latest first. Only tiles where rounding to blocks decides
// everything have more.
constexpr u32 kMostCompared = 512;

// Memory that most elements have left.
template <class T>
void give_back(std::vector<T>& elements) {
  if (elements.capacity() > 2 * elements.size()) elements.shrink_to_fit();
}

}  // namespace

Frontier::Frontier(const FlowCosts& model, int level)
    : m_(&model),
      dominance_(model, level),
      machines_merge_(level >= model.last_swept()),
      sets_(model.servers.count(level)),
      tile_bits_(std::max<int>(32, std::bit_width(model.lattice.full().index))) {}

void Frontier::get(std::size_t k, PartialMapping& out) const { dominance_.unpack(packed(k), out); }

u64 Frontier::place_of(const FrontierNode& node) const {
  const u64 machine = machines_merge_ ? 0 : node.machine;
  return node.tile.index | (machine * sets_ + node.servers) << tile_bits_;
}

template <class Visit>
bool Frontier::visit_tile(u32 first, Visit visit) const {
  u32 visited = 0;
  for (u32 k = first; k != kNone && visited < kMostCompared; k = nodes_[k].next) {
    if (nodes_[k].dropped) continue;
    ++visited;
    if (!visit(k)) return false;
  }
  return true;
}

Frontier::Added Frontier::add_packed(const PackedMapping& state, bool dominance) {
  const auto [head, fresh] = first_of_tile_.try_emplace(place_of(*state.node), kNone);
  u32 dropped = 0;
  const auto is_new = [&](u32 k) {
    if (dominance_.dominates(packed(k), state)) return false;
    if (dominance_.dominates(state, packed(k))) nodes_[k].dropped = true, ++dropped;
    return true;
  };
  if (dominance && !visit_tile(head->second, is_new)) return {false, dropped};
  FrontierNode node = *state.node;
  node.next = head->second;
  node.dropped = false;
  node.sliding_begin = static_cast<u32>(sliding_.size());
  head->second = static_cast<u32>(nodes_.size());
  sliding_.insert(sliding_.end(), state.sliding, state.sliding + node.sliding_count);
  values_.insert(values_.end(), state.values, state.values + dominance_.width());
  nodes_.push_back(node);
  return {true, dropped};
}

bool Frontier::dominated(const PartialMapping& s) const {
  if (!m_->exact) return false;
  FrontierNode node;
  static_cast<PlacedState&>(node) = s;
  const auto head = first_of_tile_.find(place_of(node));
  if (head == first_of_tile_.end()) return false;
  PackedValues values;
  dominance_.pack(s, values.data());
  const PackedMapping state{values.data(), s.sliding.data(), &node};
  return !visit_tile(head->second, [&](u32 k) { return !dominance_.dominates(packed(k), state); });
}

std::optional<std::size_t> Frontier::dominator(const PartialMapping& s) const {
  if (!m_->exact) return std::nullopt;
  FrontierNode node;
  static_cast<PlacedState&>(node) = s;
  PackedValues values;
  dominance_.pack(s, values.data());
  const PackedMapping state{values.data(), s.sliding.data(), &node};
  for (std::size_t k = 0; k < size(); ++k)
    if (place_of(nodes_[k]) == place_of(node) && dominance_.dominates(packed(k), state)) return k;
  return std::nullopt;
}

Frontier::Added Frontier::add(const PartialMapping& s, FrontierNode node, bool dominance) {
  PackedValues values;
  dominance_.pack(s, values.data());
  static_cast<PlacedState&>(node) = s;
  return add_packed({values.data(), s.sliding.data(), &node}, dominance && m_->exact);
}

Frontier::Added Frontier::add(const Frontier& from, std::size_t k, bool dominance) {
  return add_packed(from.packed(k), dominance && m_->exact);
}

void Frontier::compact() {
  const std::size_t width = dominance_.width();
  std::size_t kept = 0, flows = 0;
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    if (nodes_[k].dropped) continue;
    if (kept != k) {
      nodes_[kept] = nodes_[k];
      // Flows are in the order of their nodes.
      std::copy_n(sliding_.begin() + nodes_[k].sliding_begin, nodes_[k].sliding_count, sliding_.begin() + flows);
      nodes_[kept].sliding_begin = static_cast<u32>(flows);
      std::copy_n(values_.begin() + (k * width), width, values_.begin() + (kept * width));
    }
    flows += nodes_[kept++].sliding_count;
  }
  nodes_.resize(kept);
  values_.resize(kept * width);
  sliding_.resize(flows);
  give_back(nodes_), give_back(values_), give_back(sliding_);
  first_of_tile_ = {};
}

ObjectiveKey Frontier::narrow(std::size_t width) {
  compact();
  ObjectiveKey left;
  if (size() <= width) return left;
  std::vector<std::vector<u32>> of_set(sets_);
  for (u32 k = 0; k < size(); ++k) of_set[nodes_[k].servers].push_back(k);
  for (std::vector<u32>& order : of_set) left = std::min(left, narrow(order, width));
  compact();
  return left;
}

// Marks as dropped all but the `width` nodes of `order` with the least keys, without taking them away.
ObjectiveKey Frontier::narrow(std::vector<u32>& order, std::size_t width) {
  ObjectiveKey left;
  if (order.size() <= width) return left;
  const auto less = [&](u32 a, u32 b) {
    const ObjectiveKey &x = nodes_[a].key, &y = nodes_[b].key;
    return x < y || (!(y < x) && a < b);
  };
  std::nth_element(order.begin(), order.begin() + width, order.end(), less);
  for (std::size_t k = width; k < order.size(); ++k) {
    left = std::min(left, nodes_[order[k]].key);
    nodes_[order[k]].dropped = true;
  }
  return left;
}

ObjectiveKey Frontier::shrink(std::size_t most_bytes) {
  compact();
  if (bytes() <= most_bytes) return {};
  const double share = static_cast<double>(most_bytes) / static_cast<double>(bytes());
  std::vector<u32> order(size());
  std::iota(order.begin(), order.end(), u32{0});
  const ObjectiveKey left =
      narrow(order, std::max<std::size_t>(1, static_cast<std::size_t>(static_cast<double>(size()) * share)));
  compact();
  return left;
}

void Frontier::forget_values() {
  values_ = {};
  sliding_ = {};
  nodes_.shrink_to_fit();
}

Mapping nest_of(const FlowCosts& model, const std::vector<Frontier>& layers, int level, const FrontierNode& last) {
  std::vector<const FrontierNode*> path(at(level) + 1);
  path.back() = &last;
  for (int i = level; i-- > 0;) path[i] = &layers[i + 1].node(path[i + 1]->parent);
  // Whether the dimensions of a node have changed places when `last` is reached.
  std::vector<bool> swapped(path.size(), false);
  for (int i = level; i-- > 0;) swapped[i] = swapped[i + 1] != path[i + 1]->swapped;
  const auto placed = [&](const Extents& extents, bool swap) {
    return swap ? model.symmetry->swapped(extents) : extents;
  };
  const Mapspace& space = model.problem->space;
  Mapping mapping;
  mapping.level_count = static_cast<u8>(model.levels());
  Extents tile;
  tile.fill(1);
  for (int i = 0; i <= level; ++i) {
    mapping.keep[i] = model.servers.kept(i, layers[i].node(path[i]->parent).servers);
    const bool swap = swapped[i];
    Extents factor = placed(path[i]->tile.extent, swap);
    for (int d = 0; d < kMaxDimensions; ++d) factor[d] /= tile[d];
    if (model.fanout[i].exists) {
      const SpatialChoice& spatial = model.fanout[i].choices[path[i]->choice];
      const bool swap_choice = swap != path[i]->swapped;
      const Extents x = placed(spatial.x, swap_choice), y = placed(spatial.y, swap_choice);
      const Extents unrolled = placed(spatial.factor.extent, swap_choice);
      for (LoopKind axis : {LoopKind::SpatialX, LoopKind::SpatialY})
        for (u8 d : canonical_order(space, space.levels[i].spatial.order))
          mapping.add(axis, i, d, (axis == LoopKind::SpatialX ? x : y)[d]);
      for (int d = 0; d < kMaxDimensions; ++d) {
        factor[d] /= unrolled[d];
        tile[d] *= unrolled[d];
      }
    }
    for (u64 order = swap ? model.symmetry->swapped(path[i]->order) : path[i]->order; order != 0; order >>= 4) {
      const int d = static_cast<int>(order & 15) - 1;
      mapping.add(LoopKind::Temporal, i, d, factor[d]);
      tile[d] *= factor[d];
    }
  }
  return mapping;
}

// Rule state-dominance (docs/rules/exact.md): a partial mapping is dropped if another with the same tile and servers is
// no worse in everything that can matter outside.

namespace {

// Sums of cycles that differ by less may be equal. The cost model divides and adds the words of each tensor in doubles
// before it rounds up to whole cycles: the same words of other tensors may take a cycle more.
constexpr double kClearlyLess = 1 - 1e-12;

// Whether the words that x takes from peers cost at most what those of y do, now and in every completion.
bool no_more_from_peers(const SlidingFlow& x, const SlidingFlow& y) {
  const FlowPeers &a = x.peers, &b = y.peers;
  return a.site == b.site && a.apart == b.apart && a.arrived == b.arrived && a.first_iterations == b.first_iterations &&
         x.full == y.full && x.fetched - a.saved <= y.fetched - b.saved && a.over <= b.over;
}

}  // namespace

Dominance::Dominance(const FlowCosts& model, int level)
    : m_(&model),
      channels_(model.channels.size()),
      tensors_(at(model.compiled->tensor_count)),
      levels_(at(model.levels())),
      tail_(channels_ * (3 + 3 * tensors_)),
      width_(tail_ + 3 + levels_ + (model.ramps ? 2 * tensors_ : 0)),
      units_matter_(model.timed || model.problem->space.least_units > 1),
      room_matters_(level >= 0 && model.level[level].shares_outside) {
  for (const Channel& c : model.channels) {
    if (c.kind != Channel::Kind::Energy) compared_[c.level] = true;
    same_steps_ |= c.kind == Channel::Kind::Cycles;
  }
  same_steps_ |= model.leaks;
  if (same_steps_) compared_.fill(true);
}

void Dominance::pack(const PartialMapping& s, double* out) const {
  const auto put = [&](const Channels& x, double sign) {
    for (std::size_t k = 0; k < channels_; ++k) *out++ = sign * x[k];
  };
  put(s.sum, 1);
  put(s.refund, -1);
  for (std::size_t v = 0; v < tensors_; ++v) put(s.pending[v], 1);
  for (std::size_t v = 0; v < tensors_; ++v) put(s.fill[v], 1), put(s.serve[v], 1);
  for (std::size_t k = 0; k < channels_; ++k) *out++ = std::bit_cast<double>(s.split[k]);
  *out++ = units_matter_ ? -s.units : 0;
  *out++ = s.iterations;
  *out++ = s.in_place;
  for (std::size_t i = 0; i < levels_; ++i) *out++ = s.instances[i];
  if (m_->ramps)
    for (std::size_t v = 0; v < tensors_; ++v) *out++ = s.ramps.words[v], *out++ = s.ramps.cycles[v];
}

void Dominance::unpack(const PackedMapping& from, PartialMapping& s) const {
  const FrontierNode& node = *from.node;
  const double* in = from.values;
  const auto take = [&](Channels& x, double sign) {
    for (std::size_t c = 0; c < channels_; ++c) x[c] = sign * *in++;
  };
  take(s.sum, 1);
  take(s.refund, -1);
  for (std::size_t v = 0; v < tensors_; ++v) take(s.pending[v], 1);
  for (std::size_t v = 0; v < tensors_; ++v) take(s.fill[v], 1), take(s.serve[v], 1);
  for (std::size_t k = 0; k < channels_; ++k) s.split[k] = std::bit_cast<u64>(*in++);
  ++in;
  s.iterations = *in++;
  s.in_place = static_cast<TensorMask>(*in++);
  s.units = 1;
  for (std::size_t i = 0; i < levels_; ++i) s.units *= s.instances[i] = *in++;
  s.ramped = m_->ramps;
  if (m_->ramps)
    for (std::size_t v = 0; v < tensors_; ++v) s.ramps.words[v] = *in++, s.ramps.cycles[v] = *in++;
  static_cast<PlacedState&>(s) = node;
  std::copy_n(from.sliding, node.sliding_count, s.sliding.begin());
}

// Whether each tensor has as many cycles of bandwidth k in a's closed flows as in b's, if a closes those in `closes`.
bool Dominance::same_split(const double* a, const double* b, std::size_t k, unsigned closes) const {
  if (m_->channels[k].kind != Channel::Kind::Cycles) return true;
  const double iterations = a[tail_ + 1];
  u64 split = std::bit_cast<u64>(a[tail_ - channels_ + k]);
  for (const int v : bits(closes)) split += split_hash(v, a[(2 + tensors_ + 2 * at(v)) * channels_ + k] * iterations);
  return split == std::bit_cast<u64>(b[tail_ - channels_ + k]);
}

bool Dominance::dominates(const PackedMapping& packed_a, const PackedMapping& packed_b) const {
  const auto& [a, a_sliding, a_at] = packed_a;
  const auto& [b, b_sliding, b_at] = packed_b;
  const FrontierNode &a_node = *a_at, &b_node = *b_at;
  if (a_node.sliding_count != b_node.sliding_count || a_node.peers.inexact) return false;
  if (room_matters_ && a_node.room > b_node.room) return false;
  const bool same_machine = a_node.machine == b_node.machine;
  if (!same_machine && m_->leaks && !m_->problem->family->leaks_no_more(a_node.machine, b_node.machine)) return false;
  const double* const a_tail = a + tail_;  // units, iterations, tensors in place, instances, ramps
  const double* const b_tail = b + tail_;
  const auto a_place = static_cast<unsigned>(a_tail[2]), b_place = static_cast<unsigned>(b_tail[2]);
  if ((b_place & ~a_place) != 0 || a_tail[0] > b_tail[0]) return false;
  if (same_steps_ && a_tail[0] != b_tail[0]) return false;
  for (std::size_t k = tail_ + 3 + levels_; k < width_; ++k)
    if (a[k] > b[k]) return false;
  const unsigned closes = a_place & ~b_place;
  const double iterations = a_tail[1];
  const double *a_pending = a + 2 * channels_, *a_flows = a_pending + tensors_ * channels_;
  const double *b_pending = b + 2 * channels_, *b_flows = b_pending + tensors_ * channels_;
  double better = 0;
  for (std::size_t k = 0; k < channels_; ++k) {
    double sum = a[k];
    for (const int v : bits(closes)) sum += a_flows[at(v) * 2 * channels_ + k] * iterations;
    if (sum > b[k] || a[channels_ + k] > b[channels_ + k]) return false;
    if (a_node.peers.fanouts != 0 && sum > b[k] - m_->peer_rounding[k] &&
        (sum < b[k] || a_node.signature != b_node.signature))
      return false;
    if (sum > b[k] * kClearlyLess && !same_split(a, b, k, closes)) return false;
    if (k == 0) better = b[k] - sum;
  }
  for (std::size_t v = 0; v < tensors_; ++v) {
    const bool closed = contains(closes, v);
    for (std::size_t k = 0; k < channels_; ++k) {
      const double* flow = a_flows + v * 2 * channels_ + k;
      const double* other = b_flows + v * 2 * channels_ + k;
      const double pending = a_pending[v * channels_ + k];
      if (closed ? pending + flow[channels_] * iterations > b_pending[v * channels_ + k]
                 : pending > b_pending[v * channels_ + k] || flow[0] > other[0] || flow[channels_] > other[channels_])
        return false;
    }
  }
  // Words are counted over all instances: the more of them share a level's, the better. Cycles of a bandwidth are
  // rounded in a way that depends on the steps: they are compared only between states that use the same instances.
  bool same_instances = true;
  double a_used = 1, b_used = 1;
  for (std::size_t i = levels_; i-- > 0;) {
    if (compared_[i] && (a_used < b_used || (same_steps_ && a_used != b_used))) return false;
    a_used *= a_tail[3 + i], b_used *= b_tail[3 + i];
    same_instances &= a_tail[3 + i] == b_tail[3 + i];
  }
  bool equal = closes == 0 && same_machine && a_node.signature == b_node.signature && same_instances && better == 0;
  for (std::size_t f = 0; f < a_node.sliding_count; ++f) {
    const SlidingFlow &x = a_sliding[f], &y = b_sliding[f];
    if (x.tensor != y.tensor || x.start != y.start || x.moving != y.moving || x.extent != y.extent ||
        x.first != y.first || x.inner != y.inner || x.fetched > y.fetched || x.delta != y.delta)
      return false;
    if ((x.peers.apart || y.peers.apart) && !no_more_from_peers(x, y)) return false;
    for (std::size_t k = 0; k < channels_; ++k)
      if (x.fill[k] > y.fill[k] || x.serve[k] > y.serve[k]) return false;
    equal &= x.fetched == y.fetched && x.peers.saved == y.peers.saved && x.peers.over == y.peers.over;
  }
  // Blocks are rounded up in the end: a must be better by more than that, or move the same words.
  return equal || better >= a_node.rounding;
}

}  // namespace heliolite
