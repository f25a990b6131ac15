// What a partial mapping need not know: bandwidths that cannot delay it, and flows without a price.
#include "engine/base/integers.h"
#include "engine/search/exact/nest_steps.h"

namespace heliolite {

// Flows without a price need not be known (rule cycles-first).
void NestSteps::drop_free_flows(PartialMapping& s) const {
  if (!m_.cycles_only || c_.linked != 0) return;
  const auto is_free = [&](const Channels& fill, const Channels& serve) {
    for (std::size_t k = 0; k < m_.channels.size(); ++k)
      if (fill[k] > 0 || serve[k] > 0) return false;
    return true;
  };
  for (const int v : bits(s.in_place))
    if (is_free(s.fill[at(v)], s.serve[at(v)])) s.in_place &= static_cast<TensorMask>(~(1u << v));
  for (int f = s.sliding_count; f-- > 0;)
    if (is_free(s.sliding[at(f)].fill, s.sliding[at(f)].serve)) s.sliding[at(f)] = s.sliding[--s.sliding_count];
}

int NestSteps::forget_idle(PartialMapping& s, int level) const {
  int idle = 0;
  for (std::size_t k = 1; k < m_.channels.size(); ++k) {
    const Channel& channel = m_.channels[k];
    if (channel.kind != Channel::Kind::Cycles || channel.level > level || contains(s.idle, k)) continue;
    // At most: every loop outside fetches again, and no fan-out spreads a word.
    double most = s.sum[k];
    for (int v = 0; v < c_.tensor_count; ++v) {
      const auto t = at(v);
      most += s.pending[t][k];
      if (contains(s.in_place, v)) most += (s.fill[t][k] + s.serve[t][k]) * s.iterations;
    }
    for (int f = 0; f < s.sliding_count; ++f) {
      const SlidingFlow& flow = s.sliding[at(f)];
      most += (flow.fill[k] + flow.serve[k]) * flow.fetched * s.iterations;
    }
    double used = 1;
    for (int f = channel.level + 1; f <= level; ++f) used *= s.instances[at(f)];
    if (most / used > m_.macs / s.units * (1 - 1e-9)) continue;
    s.idle |= static_cast<u16>(1u << k);
    s.sum[k] = s.refund[k] = 0, s.split[k] = 0;
    for (int v = 0; v < c_.tensor_count; ++v) {
      const auto t = at(v);
      s.pending[t][k] = s.fill[t][k] = s.serve[t][k] = 0;
    }
    for (int f = 0; f < s.sliding_count; ++f) s.sliding[at(f)].fill[k] = s.sliding[at(f)].serve[k] = 0;
    ++idle;
  }
  if (idle > 0) drop_free_flows(s);
  return idle;
}

}  // namespace heliolite
