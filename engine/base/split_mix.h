#pragma once
// SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014): numbers with all bits
// mixed, for hashes and streams of random numbers.
#include "engine/base/types.h"

namespace heliolite {

// What each number adds to the generator's state.
inline constexpr u64 kSplitMixStep = 0x9e3779b97f4a7c15;

// SplitMix64's finalizer. One to one; 0 stays 0.
constexpr u64 split_mix_final(u64 x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

// The number of the stream that comes next in state x.
constexpr u64 split_mix(u64 x) { return split_mix_final(x + kSplitMixStep); }

// The hash of several numbers, one after the other.
class HashOfNumbers {
 public:
  void add(u64 number) { hash_ = split_mix(hash_ ^ number); }
  u64 value() const { return hash_; }

 private:
  u64 hash_ = 0;
};

// The random numbers of a sample. A stream is as good as its start, so every sample has its own.
class SplitMix {
 public:
  // The stream of one sample.
  SplitMix(u64 seed, u64 sample) : state_(split_mix_final(seed) ^ split_mix_final(~sample)) {}

  u64 next() {
    state_ += kSplitMixStep;
    return split_mix_final(state_);
  }

  // A number below n; the probabilities differ by n / 2^64 at most.
  u64 below(u64 n) { return static_cast<u64>((static_cast<u128>(next()) * n) >> 64); }
  // A number below `n` of any size, from two numbers of the stream.
  u128 below_any(u128 n) {
    const u128 high = next();
    return (high << 64 | next()) % n;
  }

 private:
  u64 state_;
};

}  // namespace heliolite
