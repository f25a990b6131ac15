#include "engine/sweep/permutation.h"

namespace heliolite {
namespace {

constexpr int kRounds = 6;

// The finalizer of splitmix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
u64 mix(u64 x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

}  // namespace

Permutation::Permutation(u64 size, u64 seed) : size_(size), seed_(mix(seed + 0x9e3779b97f4a7c15ULL)) {
  while (u64{1} << (2 * half_bits_) < size_) ++half_bits_;
}

u64 Permutation::operator()(u64 index) const {
  do index = shuffle(index);
  while (index >= size_);
  return index;
}

u64 Permutation::shuffle(u64 index) const {
  const u64 mask = (u64{1} << half_bits_) - 1;
  u64 left = index >> half_bits_, right = index & mask;
  for (u64 round = 0; round < kRounds; ++round) {
    const u64 next = left ^ (mix(seed_ + right + (round << half_bits_) * 0x632be59bd9b4e019ULL) & mask);
    left = right;
    right = next;
  }
  return left << half_bits_ | right;
}

}  // namespace heliolite
