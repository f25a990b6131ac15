#pragma once
// Tiles as numbers: a tile is a divisor of each dimension's size, and their places among the divisors are the digits of
// a number of mixed radix. Tables over all tiles are flat, and what a tile holds is looked up digit by digit.
#include <array>
#include <span>
#include <vector>

#include "engine/base/integers.h"
#include "engine/base/types.h"
#include "engine/proof/instance.h"

namespace heliolite::proof {

using Tile = u32;
using Digits = std::array<u16, kMaxDimensions>;

// The divisors of one dimension's size.
struct DivisorDigits {
  static constexpr u16 kNone = 0xffff;
  struct Step {
    u16 digit = 0;  // of the divisor times a prime
    u32 prime = 0;
  };

  std::vector<u64> divisor;              // [digit], ascending
  std::vector<u16> left;                 // [digit]: that of size / divisor
  std::vector<std::vector<u16>> times;   // [digit][digit]: of the product, kNone where it does not divide the size
  std::vector<std::vector<Step>> steps;  // [digit]: by ascending primes
  std::vector<u32> last_prime;           // [digit]: the largest prime of the divisor, 0 for 1
  std::vector<u64> primes;               // of the size, ascending
};

class ProofTiles {
 public:
  explicit ProofTiles(const Instance& instance);

  int dimension_count() const { return count_; }
  u64 tile_count() const { return tiles_; }  // may be too large for a table
  const DivisorDigits& of(int d) const { return of_[d]; }
  Tile stride(int d) const { return stride_[d]; }
  Tile last() const { return static_cast<Tile>(tiles_ - 1); }  // the whole workload

  Digits digits(Tile tile) const {
    Digits out{};
    for (std::size_t d = static_cast<std::size_t>(count_); d-- > 0;) {
      out[d] = static_cast<u16>(tile / stride_[d]);
      tile %= stride_[d];
    }
    return out;
  }
  u64 extent(const Digits& tile, int d) const { return of_[d].divisor[tile[d]]; }
  // Iterations of dimension d outside a tile.
  u64 left(const Digits& tile, int d) const {
    const DivisorDigits& of = of_[d];
    return of.divisor[of.left[tile[d]]];
  }
  u64 left(const Digits& tile, DimensionMask dimensions) const;
  u16 digit_of(int d, u64 divisor) const;

 private:
  int count_ = 0;
  u64 tiles_ = 1;
  std::vector<DivisorDigits> of_;
  std::array<Tile, kMaxDimensions> stride_{};
};

// What the tensors of an instance hold of a tile, and which positions of a rank tiles meet.
struct ProofTensor {
  struct Rank {
    std::array<u64, kMaxTerms> coefficient{};
    std::array<u8, kMaxTerms> dimension{};
    u8 terms = 0;
    bool slides() const { return terms > 1; }
  };
  std::array<Rank, kMaxRanks> rank{};
  u8 rank_count = 0;
  bool is_output = false, slides = false;
  DimensionMask indexing = 0, sliding = 0, plain = 0;  // plain: alone in its rank, with coefficient 1
  std::array<u8, kMaxDimensions> rank_of{};
  std::array<u64, kMaxDimensions> coefficient{};
  std::array<DimensionMask, kMaxRanks> of_rank{};

  u64 extent(const ProofTiles& tiles, const Digits& tile, int r) const;
  u64 words(const ProofTiles& tiles, const Digits& tile) const;
};

std::vector<ProofTensor> shapes_of(const Instance& instance);

// Different sums of coefficient * index, index < count.
struct StridedTerm {
  u64 coefficient, count;
};
inline constexpr std::size_t kMostStridedTerms = 2 * kMaxTerms;
u64 distinct_sums(std::span<const StridedTerm> terms);

}  // namespace heliolite::proof
