#include "engine/search/bayes/sobol_sequence.h"

#include "engine/base/split_mix.h"

namespace heliolite {
namespace {

u32 reversed(u32 bits) {
  bits = (bits & 0x55555555u) << 1 | (bits >> 1 & 0x55555555u);
  bits = (bits & 0x33333333u) << 2 | (bits >> 2 & 0x33333333u);
  bits = (bits & 0x0f0f0f0fu) << 4 | (bits >> 4 & 0x0f0f0f0fu);
  bits = (bits & 0x00ff00ffu) << 8 | (bits >> 8 & 0x00ff00ffu);
  return bits << 16 | bits >> 16;
}

// Owen's scrambling by a hash: each bit is flipped or not by a function of the bits above it and the seed. On reversed
// bits that is a function in which no bit depends on one above it (Laine and Karras, Computer Graphics Forum 30, 2011;
// the constants are Burley's, J. Computer Graphics Techniques 9, 2020).
u32 scrambled(u32 bits, u32 seed) {
  u32 x = reversed(bits) + seed;
  x ^= x * 0x6c50b47cu;
  x ^= x * 0xb82f1e52u;
  x ^= x * 0xc7afe638u;
  x ^= x * 0x8d22f6e6u;
  return reversed(x);
}

}  // namespace

SobolSequence::SobolSequence(std::size_t dimensions, u64 seed) : sequence_(dimensions) {
  SplitMix random(seed, dimensions);
  for (std::size_t d = 0; d < dimensions; ++d) scramble_.push_back(static_cast<u32>(random.next() >> 32));
}

std::vector<double> SobolSequence::next() {
  constexpr double kUnit = 1.0 / 4294967296.0;  // 2^-32
  std::vector<double> point;
  point.reserve(scramble_.size());
  for (const u32 seed : scramble_)
    point.push_back((scrambled(at_origin_ ? 0 : static_cast<u32>(sequence_() >> 32), seed) + 0.5) * kUnit);
  at_origin_ = false;
  return point;
}

}  // namespace heliolite
