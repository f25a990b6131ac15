#include "engine/sweep/permutation.h"

#include "engine/base/split_mix.h"

namespace heliolite {
namespace {

constexpr int kRounds = 6;

}  // namespace

Permutation::Permutation(u64 size, u64 seed) : size_(size), seed_(split_mix(seed)) {
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
    const u64 next = left ^ (split_mix_final(seed_ + right + (round << half_bits_) * 0x632be59bd9b4e019ULL) & mask);
    left = right;
    right = next;
  }
  return left << half_bits_ | right;
}

}  // namespace heliolite
