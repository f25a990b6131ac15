// Integer tiles of a convolution with two windows on a machine with a scratchpad for image and filter and an
// accumulator for outputs (GEMMINI). Source: Dinh, Optimization-Based Mappers and Lower Bounds for Tensor
// Problems, 4.3.2; its footprint of the image is (w + r')(h + s') r'' s'' a channel and image, r' = ceil(R / stride).
#include "engine/bounds/published/published.h"

#include <algorithm>

#include "engine/base/integers.h"

namespace heliolite {
namespace {

u64 whole(double x) { return static_cast<u64>(x); }

// Calls visit(b, w, h) for every block of positions of at most `most` outputs.
template <class Visit>
void for_each_block(const Convolution& conv, u64 most, Visit&& visit) {
  for (u64 b = 1; b <= std::min(most, whole(conv.batch)); ++b)
    for (u64 w = 1; w <= std::min(most / b, whole(conv.windows[0].outputs)); ++w)
      for (u64 h = 1; h <= std::min(most / (b * w), whole(conv.windows[1].outputs)); ++h) visit(b, w, h);
}

void set_taps(IntegerConvTile& t, const Convolution& conv) {
  for (std::size_t i = 0; i < 2; ++i)
    t.taps[i] = std::min(t.quotients[i] * t.remainders[i], whole(conv.windows[i].taps));
}

// Calls visit(tile) with every choice of r', r'', s', s''.
template <class Visit>
void for_each_taps(const Convolution& conv, Visit&& visit) {
  IntegerConvTile t;
  auto& [q, p] = t.quotients;
  auto& [r, s] = t.remainders;
  for (q = 1; q <= whole(conv.windows[0].quotients()); ++q)
    for (p = 1; p <= whole(conv.windows[1].quotients()); ++p)
      for (r = 1; r <= whole(conv.windows[0].stride); ++r)
        for (s = 1; s <= whole(conv.windows[1].stride); ++s) {
          set_taps(t, conv);
          visit(t);
        }
}

}  // namespace

u64 IntegerConvTile::volume() const {
  return batch * in_channels * out_channels * outputs[0] * outputs[1] * taps[0] * taps[1];
}
u64 IntegerConvTile::image_words() const {
  return batch * in_channels * (outputs[0] + quotients[0]) * (outputs[1] + quotients[1]) * remainders[0] *
         remainders[1];
}
u64 IntegerConvTile::filter_words() const { return in_channels * out_channels * taps[0] * taps[1]; }
u64 IntegerConvTile::out_words() const { return batch * out_channels * outputs[0] * outputs[1]; }

std::optional<IntegerConvTile> largest_integer_tile(const Convolution& conv, const ScratchpadMachine& machine) {
  std::optional<IntegerConvTile> best;
  u64 most = 0;
  for_each_taps(conv, [&](IntegerConvTile t) {
    const u64 filter = t.taps[0] * t.taps[1];  // words for one pair of channels
    for_each_block(conv, machine.accumulator, [&](u64 b, u64 w, u64 h) {
      t.batch = b;
      t.outputs = {w, h};
      t.in_channels = 1;
      const u64 image = t.image_words(), block = b * w * h * filter;
      const u64 most_k = std::min(machine.accumulator / (b * w * h), whole(conv.out_channels));
      // k c is at most k M / (image + k filter), which grows with k.
      const double limit = static_cast<double>(machine.scratchpad) * static_cast<double>(most_k) /
                           static_cast<double>(image + most_k * filter);
      if (static_cast<double>(block) * limit < static_cast<double>(most)) return;
      for (u64 k = most_k; k > 0; --k) {
        const u64 c = std::min(machine.scratchpad / (image + k * filter), whole(conv.in_channels));
        if (block * k * c <= most) continue;
        most = block * k * c;
        t.out_channels = k;
        best = t;
        best->in_channels = c;
      }
    });
  });
  return best;
}

namespace {

// The extents that the vendor's tiler changes, with their limits; taps are cut as extents of their own.
class VendorTiler {
 public:
  VendorTiler(const Convolution& conv, const ScratchpadMachine& machine)
      : conv_(conv),
        rows_{machine.scratchpad / kArraySide, machine.accumulator / kArraySide},
        most_{whole(conv.batch),        whole(conv.windows[1].outputs), whole(conv.windows[0].outputs),
              whole(conv.out_channels), whole(conv.windows[1].taps),    whole(conv.windows[0].taps),
              whole(conv.in_channels)},
        extents_(most_) {}

  std::optional<IntegerConvTile> run() {
    while (!fits(extents_))
      if (!cut()) return std::nullopt;
    while (grown(kColumns)) {
    }
    for (bool more = true; more;) {
      more = false;
      for (std::size_t i = 0; i < extents_.size(); ++i) more = grown(i) || more;
    }
    return tile(extents_);
  }

 private:
  static constexpr std::size_t kRows = 1, kColumns = 2, kOutChannels = 3, kInChannels = 6;
  using ConvExtents = std::array<u64, 7>;

  // The largest extent, the first of equal ones; columns are spared as long as they only fill the array.
  bool cut() {
    std::size_t largest = extents_.size();
    for (std::size_t i = 0; i < extents_.size(); ++i) {
      if (i == kColumns && extents_[i] <= kArraySide && extents_[kRows] > 1) continue;
      if (largest == extents_.size() || extents_[i] > extents_[largest]) largest = i;
    }
    u64& extent = extents_[largest];
    if (extent == 1) return false;
    if (largest != kOutChannels && largest != kInChannels) return --extent, true;
    extent = std::max<u64>(1, (extent - 1) / kArraySide * kArraySide);
    return true;
  }

  bool grown(std::size_t i) {
    if (extents_[i] == most_[i]) return false;
    ++extents_[i];
    if (fits(extents_)) return true;
    --extents_[i];
    return false;
  }

  bool fits(const ConvExtents& extents) const {
    const TileRows rows = tile_rows(conv_, tile(extents));
    return rows.scratchpad <= rows_.scratchpad && rows.accumulator <= rows_.accumulator;
  }

  IntegerConvTile tile(const ConvExtents& e) const {
    IntegerConvTile t;
    t.batch = e[0];
    t.outputs = {e[kColumns], e[kRows]};
    t.out_channels = e[kOutChannels];
    t.taps = {e[5], e[4]};
    t.in_channels = e[kInChannels];
    for (std::size_t i = 0; i < 2; ++i) {
      const u64 stride = whole(conv_.windows[i].stride);
      t.remainders[i] = std::min(stride, t.taps[i]);
      t.quotients[i] = ceil_div(t.taps[i], t.remainders[i]);
    }
    return t;
  }

  const Convolution& conv_;
  TileRows rows_;
  ConvExtents most_, extents_;
};

}  // namespace

std::optional<IntegerConvTile> vendor_tile(const Convolution& conv, const ScratchpadMachine& machine) {
  return VendorTiler(conv, machine).run();
}

TileRows tile_rows(const Convolution& conv, const IntegerConvTile& tile) {
  u64 pixels = tile.batch;
  for (std::size_t i = 0; i < 2; ++i) pixels *= tile.outputs[i] * whole(conv.windows[i].stride) + tile.taps[i] - 1;
  const u64 out = ceil_div(tile.out_channels, kArraySide);
  return {ceil_div(tile.in_channels, kArraySide) * pixels + out * tile.taps[0] * tile.taps[1] * tile.in_channels,
          out * tile.batch * tile.outputs[0] * tile.outputs[1]};
}

double allocated_rows(const Convolution& conv, const IntegerConvTile& tile) {
  const TileRows rows = tile_rows(conv, tile);
  return static_cast<double>(rows.scratchpad + rows.accumulator) * conv.macs() / static_cast<double>(tile.volume());
}

std::optional<OutputStationaryTile> least_loads_tile(const Convolution& conv, const ScratchpadMachine& machine) {
  std::optional<OutputStationaryTile> best;
  IntegerConvTile t;
  for (std::size_t i = 0; i < 2; ++i) {
    t.quotients[i] = whole(conv.windows[i].quotients());
    t.remainders[i] = whole(conv.windows[i].stride);
  }
  set_taps(t, conv);
  const u64 filter = t.taps[0] * t.taps[1];
  for_each_block(conv, machine.accumulator, [&](u64 b, u64 w, u64 h) {
    t.batch = b;
    t.outputs = {w, h};
    const u64 image = t.image_words();
    if (image >= machine.scratchpad) return;
    const u64 most_k =
        std::min({machine.accumulator / (b * w * h), whole(conv.out_channels), (machine.scratchpad - image) / filter});
    const u64 blocks = ceil_div(whole(conv.batch), b) * ceil_div(whole(conv.windows[0].outputs), w) *
                       ceil_div(whole(conv.windows[1].outputs), h);
    for (u64 k = most_k; k > 0; --k) {
      const u64 loads = blocks * ceil_div(whole(conv.out_channels), k) * whole(conv.in_channels) * (image + k * filter);
      if (best && loads >= best->loads) continue;
      t.out_channels = k;
      best = {t, loads};
    }
  });
  return best;
}

}  // namespace heliolite
