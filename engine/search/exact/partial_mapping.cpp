#include "engine/search/exact/partial_mapping.h"

#include <algorithm>
#include <bit>

#include "engine/base/integers.h"
#include "engine/base/split_mix.h"

namespace heliolite {

u64 split_hash(int tensor, double cycles) {
  return cycles == 0 ? 0 : split_mix(std::bit_cast<u64>(cycles) * static_cast<u64>(tensor + 1));
}

PartialMapping::PartialMapping(int tensors, std::size_t channels)
    : tensor_count(static_cast<u8>(tensors)), channel_count(static_cast<u8>(channels)) {
  sum.fill(0), refund.fill(0), split.fill(0);
  for (std::size_t v = 0; v < tensor_count; ++v) pending[v].fill(0), fill[v].fill(0), serve[v].fill(0);
  instances.fill(1);
}

PartialMapping& PartialMapping::operator=(const PartialMapping& other) {
  tile = other.tile;
  iterations = other.iterations;
  tensor_count = other.tensor_count;
  channel_count = other.channel_count;
  const auto copy = [this](const Channels& from, Channels& to) {
    std::copy_n(from.begin(), channel_count, to.begin());
  };
  copy(other.sum, sum);
  copy(other.refund, refund);
  for (std::size_t v = 0; v < tensor_count; ++v) {
    copy(other.pending[v], pending[v]);
    copy(other.fill[v], fill[v]);
    copy(other.serve[v], serve[v]);
  }
  in_place = other.in_place;
  signature = other.signature;
  std::copy_n(other.split.begin(), channel_count, split.begin());
  instances = other.instances;
  units = other.units;
  room = other.room;
  idle = other.idle;
  machine = other.machine;
  servers = other.servers;
  links = other.links;
  rounding = other.rounding;
  sliding_count = other.sliding_count;
  std::copy_n(other.sliding.begin(), sliding_count, sliding.begin());
  return *this;
}

}  // namespace heliolite
