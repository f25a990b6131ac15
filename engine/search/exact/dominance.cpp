// Rule state-dominance (docs/rules/exact.md): a partial mapping is dropped if another with the same tile and servers is
// no worse in everything that can matter outside.
#include "engine/search/exact/frontier.h"

#include <algorithm>
#include <bit>

#include "engine/base/integers.h"

namespace heliolite {
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
