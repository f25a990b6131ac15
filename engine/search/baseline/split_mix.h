#pragma once
// The random numbers of a sample: SplitMix64 (Steele, Lea, Flood, OOPSLA 2014). A stream is as good as its start, so
// every sample has its own.
#include "engine/base/types.h"

namespace heliolite {

class SplitMix {
 public:
  // The stream of one sample.
  SplitMix(u64 seed, u64 sample) : state_(mix(seed) ^ mix(~sample)) {}

  u64 next() {
    state_ += 0x9e3779b97f4a7c15;
    return mix(state_);
  }

  // A number below n; the probabilities differ by n / 2^64 at most.
  u64 below(u64 n) { return static_cast<u64>((static_cast<u128>(next()) * n) >> 64); }
  // The same for counts of any size, from two numbers of the stream.
  u128 below_any(u128 n) {
    const u128 high = next();
    return (high << 64 | next()) % n;
  }

 private:
  static u64 mix(u64 z) {
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  u64 state_;
};

}  // namespace heliolite
