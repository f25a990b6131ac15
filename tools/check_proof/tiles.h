#pragma once
// Tiles as numbers of mixed radix: the digits of a tile are the places of its extents among the divisors of each size.
// What tensors hold of a tile, and what the receivers of a fan-out and the steps of loops have in common.
#include <map>
#include <mutex>
#include <unordered_map>

#include "check_proof/instance.h"

namespace check_proof {

using Digits = std::array<u8, kDimensions>;
using Extents = std::array<u64, kDimensions>;

// The divisors of a size, and steps between them.
struct Divisors {
  struct Step {
    u8 digit;  // of the divisor times the prime
    u64 prime;
  };
  std::vector<u64> of;                  // ascending
  std::vector<std::vector<Step>> step;  // [digit]: by ascending primes
  std::vector<u64> primes;              // of the size
  int digit(u64 divisor) const;         // -1: it is none
};

// A term of a sum: coefficient * index, index < count.
struct Summand {
  u64 coefficient, count;
};
// Different values of the sum. The largest must be below 2^22.
u64 distinct_sums(const std::vector<Summand>& terms);

class Tiles {
 public:
  explicit Tiles(const Instance& instance);  // refused above 3 million tiles

  u32 count() const { return count_; }
  const Divisors& of(int d) const { return divisors_[d]; }
  Digits digits(u32 tile) const;
  u32 number(const Digits& digits) const;
  u32 stride(int d) const { return stride_[d]; }
  u64 extent(const Digits& at, int d) const { return of(d).of[at[d]]; }
  Extents extents(const Digits& at) const;
  Extents left(const Extents& extents) const;  // iterations outside

  u64 box(int v, int r, const Extents& tile) const;  // extent of a tile in a rank
  u64 words(int v, const Extents& tile) const;
  bool fits(int level, Mask kept, const Extents& tile) const;
  // Different positions along a rank that a tile meets in all iterations outside a larger one, in which it is.
  u64 coverage(int v, int r, const Digits& tile, const Digits& outer) const;

 private:
  const Instance& instance_;
  u32 count_ = 1;
  std::vector<Divisors> divisors_;
  std::array<u32, kDimensions> stride_{};
  mutable std::mutex mutex_;
  mutable std::unordered_map<u64, u64> coverage_;
};

}  // namespace check_proof
