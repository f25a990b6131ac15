#pragma once
// The length of a word in bits: a whole number, or a decimal fraction where blocks of values share a scale (4.25 bits:
// 32 values of 4 bits and a scale of 8). Exact: nothing is ever rounded.
#include <fmt/format.h>

#include <compare>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/types.h"

namespace heliolite {

inline constexpr u64 kMaxWordLength = 1024;    // bits
inline constexpr u64 kMaxPartsOfBit = 1024;    // a length is a whole number of these parts of a bit, at most
inline constexpr u64 kMaxScaleBlock = 65'536;  // values that share a scale

class WordLength {
 public:
  constexpr WordLength() = default;
  constexpr WordLength(u64 bits) : parts_(bits) {}  // NOLINT: a whole number of bits is a length

  // parts / of_bit bits; of_bit is above 0.
  static constexpr WordLength of_parts(u64 parts, u64 of_bit) {
    const u64 common = std::gcd(parts, of_bit);
    WordLength out(parts / common);
    out.of_bit_ = of_bit / common;
    return out;
  }

  constexpr u64 parts() const { return parts_; }    // of a bit, of_bit() of them in one, as few as possible
  constexpr u64 of_bit() const { return of_bit_; }  // 1: whole bits
  constexpr bool is_whole() const { return of_bit_ == 1; }
  constexpr explicit operator double() const { return static_cast<double>(parts_) / static_cast<double>(of_bit_); }

  // How often `unit` goes into `words` words of this length.
  constexpr u64 in_units(WordLength unit, u64 words = 1) const {
    return static_cast<u64>(u128{words} * parts_ * unit.of_bit_ / (u128{of_bit_} * unit.parts_));
  }

  // The same, what is left of a unit counted as one.
  constexpr u64 in_units_up(WordLength unit, u64 words) const {
    const u128 parts = u128{words} * parts_ * unit.of_bit_, of_unit = u128{of_bit_} * unit.parts_;
    return static_cast<u64>(parts / of_unit + (parts % of_unit != 0 ? 1 : 0));
  }

  friend constexpr WordLength operator*(WordLength length, u64 words) {
    return of_parts(length.parts_ * words, length.of_bit_);
  }
  friend constexpr WordLength operator+(WordLength a, WordLength b) {
    return of_parts(a.parts_ * b.of_bit_ + b.parts_ * a.of_bit_, a.of_bit_ * b.of_bit_);
  }
  // The longest length of which both are multiples; that of a and nothing is a.
  friend constexpr WordLength gcd(WordLength a, WordLength b) {
    return of_parts(std::gcd(a.parts_ * b.of_bit_, b.parts_ * a.of_bit_), a.of_bit_ * b.of_bit_);
  }
  friend constexpr bool operator==(WordLength, WordLength) = default;
  friend constexpr std::strong_ordering operator<=>(WordLength a, WordLength b) {
    return u128{a.parts_} * b.of_bit_ <=> u128{b.parts_} * a.of_bit_;
  }

 private:
  u64 parts_ = 0, of_bit_ = 1;
};

// Why a length is refused; of one that is not, none.
std::optional<std::string> refusal(WordLength length);

// "16", "4.25".
std::string text_of(WordLength length);

// A format of numbers that has a name, and how many bits a value takes, its share of a block's scale included.
struct NumberFormat {
  std::string_view name;
  WordLength length;
};
std::vector<std::string> number_format_names();

// Reads "16", "4.25", the name of a format ("mxfp4", in any case), or values with scales that blocks of them share
// ("4+8/32": 4 bits and 8 for 32 values). Nothing where it is none of these, or refused.
std::optional<WordLength> parse_word_length(std::string_view text);

// What parse_word_length() reads, for messages, and a regular expression that every such text matches.
std::string word_lengths_allowed();
std::string word_length_pattern();

// As a number of JSON; both are exact.
template <class Json>
void to_json(Json& json, WordLength length) {
  if (length.is_whole()) json = length.parts();
  else json = static_cast<double>(length);
}

}  // namespace heliolite

template <>
struct fmt::formatter<heliolite::WordLength> : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(heliolite::WordLength length, Context& context) const {
    return formatter<std::string_view>::format(heliolite::text_of(length), context);
  }
};
