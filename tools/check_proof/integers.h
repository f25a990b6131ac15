#pragma once
// Exact integers: 128 bits for energies, 256 for products of energies and cycles. There are no doubles in the checker.
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace check_proof {

using u8 = std::uint8_t;
using i8 = std::int8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
__extension__ using i128 = __int128;
__extension__ using u128 = unsigned __int128;

// Above every energy: what bounds say where no completion is legal.
inline constexpr i128 kInfinite = static_cast<i128>(1) << 126;

// v * share / whole, rounded down; share <= whole < 2^62, v >= 0.
constexpr i128 fraction(i128 v, u64 share, u64 whole) { return v / whole * share + v % whole * share / whole; }

constexpr u128 ceil_div(u128 a, u128 b) { return a / b + static_cast<u128>(a % b != 0); }

// A product of at most 256 bits.
struct U256 {
  std::array<u64, 4> limb{};  // least first

  constexpr U256() = default;
  constexpr U256(u128 v) : limb{static_cast<u64>(v), static_cast<u64>(v >> 64), 0, 0} {}  // NOLINT: a wider integer

  // false where the result needs more than 256 bits.
  constexpr bool multiply_add(u64 factor, u64 addend) {
    u128 carry = addend;
    for (u64& l : limb) {
      carry += static_cast<u128>(l) * factor;
      l = static_cast<u64>(carry);
      carry >>= 64;
    }
    return carry == 0;
  }
  constexpr U256 times(u64 factor) const {
    U256 out = *this;
    out.multiply_add(factor, 0);
    return out;
  }
  constexpr u64 divide(u64 divisor) {  // in place; the remainder
    u128 rest = 0;
    for (std::size_t k = limb.size(); k-- > 0;) {
      rest = rest << 64 | limb[k];
      limb[k] = static_cast<u64>(rest / divisor);
      rest %= divisor;
    }
    return static_cast<u64>(rest);
  }
  constexpr bool is_zero() const { return (limb[0] | limb[1] | limb[2] | limb[3]) == 0; }
  constexpr std::strong_ordering operator<=>(const U256& o) const {
    for (std::size_t k = limb.size(); k-- > 0;)
      if (limb[k] != o.limb[k]) return limb[k] <=> o.limb[k];
    return std::strong_ordering::equal;
  }
  constexpr bool operator==(const U256&) const = default;
};

// Decimal digits without a sign or zeros in front; none for anything else, and for more than the type holds.
std::optional<U256> read_u256(std::string_view text);
std::optional<u64> read_u64(std::string_view text);

std::string text_of(U256 v);
std::string text_of(i128 v);
// v * 2^-bits, with six digits behind the point, cut off, where it is no integer.
std::string scaled_text(U256 v, int bits);

}  // namespace check_proof
