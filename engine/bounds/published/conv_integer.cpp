#include "engine/bounds/published/conv_integer.h"

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
