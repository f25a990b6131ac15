#pragma once
// Small integer operations that many files need.
#include <bit>
#include <concepts>
#include <cstddef>
#include <limits>
#include <type_traits>

#include "engine/base/types.h"

namespace heliolite {

// Numbers that end at the largest one.

// a * b, or the largest u64 when that does not fit.
inline u64 saturating_product(u64 a, u64 b) {
  constexpr u64 kMost = std::numeric_limits<u64>::max();
  const u128 product = u128{a} * b;
  return product > kMost ? kMost : static_cast<u64>(product);
}

// a + b, likewise.
constexpr u64 saturated_sum(u64 a, u64 b) { return a + b < a ? std::numeric_limits<u64>::max() : a + b; }

// A number that is not negative without its fraction, or the largest u64 when that does not fit.
inline u64 saturated(double number) {
  constexpr double kBeyond = 18446744073709551616.0;  // 2^64
  return number >= kBeyond ? std::numeric_limits<u64>::max() : static_cast<u64>(number);
}

// A number that is never negative, or a value of an enumeration, as an index.
template <class Number>
requires std::integral<Number> || std::is_enum_v<Number>
constexpr std::size_t at(Number i) { return static_cast<std::size_t>(i); }

// Whole numbers up to here are doubles.
inline constexpr u64 kExactInDoubles = u64{1} << 53;

// a / b, rounded up; a + b must not overflow.
constexpr u32 ceil_div(u32 a, u32 b) { return (a + b - 1) / b; }
constexpr u64 ceil_div(u64 a, u64 b) { return (a + b - 1) / b; }
constexpr u128 ceil_div(u128 a, u128 b) { return (a + b - 1) / b; }

// Whether bit i of a mask is set.
template <std::integral Mask, std::integral Index>
constexpr bool contains(Mask mask, Index i) {
  return (mask >> i & 1) != 0;
}

// The bits that are set in a mask, the lowest first: for (const int v : bits(keep)).
class bits {
 public:
  template <std::integral Mask>
  constexpr explicit bits(Mask mask) : mask_(static_cast<std::make_unsigned_t<Mask>>(mask)) {}

  class Iterator {
   public:
    constexpr explicit Iterator(u64 left) : left_(left) {}
    constexpr int operator*() const { return std::countr_zero(left_); }
    constexpr Iterator& operator++() {
      left_ &= left_ - 1;
      return *this;
    }
    friend constexpr bool operator==(const Iterator&, const Iterator&) = default;

   private:
    u64 left_;
  };
  constexpr Iterator begin() const { return Iterator(mask_); }
  constexpr Iterator end() const { return Iterator(0); }

 private:
  u64 mask_;
};
// The mask of dimension d alone.
constexpr DimensionMask dimension_bit(int d) { return static_cast<DimensionMask>(1U << d); }

}  // namespace heliolite
