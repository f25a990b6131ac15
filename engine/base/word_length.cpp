#include "engine/base/word_length.h"

#include <array>

#include "engine/base/named.h"
#include "engine/base/text.h"

namespace heliolite {
namespace {

// Values of blocks that share a scale are those of the OCP Microscaling Formats (MX) Specification 1.0, section 5.2:
// 32 values and a scale of 8 bits; NVIDIA's NVFP4 has a scale of 8 bits for 16 values. The one scale of a whole tensor
// beside the latter is no part of a word.
constexpr WordLength with_scale(u64 bits, u64 scale_bits, u64 block) {
  return WordLength(bits) + WordLength::of_parts(scale_bits, block);
}
constexpr std::array kFormats{NumberFormat{"mxfp4", with_scale(4, 8, 32)},
                              NumberFormat{"mxfp6", with_scale(6, 8, 32)},
                              NumberFormat{"mxfp8", with_scale(8, 8, 32)},
                              NumberFormat{"mxint8", with_scale(8, 8, 32)},
                              NumberFormat{"nvfp4", with_scale(4, 8, 16)},
                              NumberFormat{"fp4", 4},
                              NumberFormat{"fp6", 6},
                              NumberFormat{"fp8", 8},
                              NumberFormat{"fp16", 16},
                              NumberFormat{"bf16", 16},
                              NumberFormat{"fp32", 32},
                              NumberFormat{"fp64", 64},
                              NumberFormat{"int1", 1},
                              NumberFormat{"int2", 2},
                              NumberFormat{"int4", 4},
                              NumberFormat{"int8", 8},
                              NumberFormat{"int16", 16},
                              NumberFormat{"int32", 32},
                              NumberFormat{"int64", 64}};

constexpr std::size_t kMostDigits = 10;  // 1/1024 has as many behind the point

bool is_decimal(u64 of_bit) {
  for (const u64 prime : {2, 5})
    while (of_bit % prime == 0) of_bit /= prime;
  return of_bit == 1;
}

// "16", "4.25".
std::optional<WordLength> decimal(std::string_view text) {
  const std::size_t point = text.find('.');
  const std::string_view before = text.substr(0, point);
  const std::string_view behind = point == std::string_view::npos ? "" : text.substr(point + 1);
  if (point != std::string_view::npos && (behind.empty() || behind.size() > kMostDigits)) return std::nullopt;
  const std::optional<u64> whole = parse_number<u64>(before);
  const std::optional<u64> parts = behind.empty() ? 0 : parse_number<u64>(behind);
  if (!whole || !parts || *whole > kMaxWordLength) return std::nullopt;
  u64 of_bit = 1;
  for (std::size_t k = 0; k < behind.size(); ++k) of_bit *= 10;
  return WordLength(*whole) + WordLength::of_parts(*parts, of_bit);
}

// "8/32", or "4".
std::optional<WordLength> share(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return decimal(trim(text));
  const std::optional<u64> scale = parse_number<u64>(trim(text.substr(0, slash)));
  const std::optional<u64> block = parse_number<u64>(trim(text.substr(slash + 1)));
  if (!scale || !block || *scale > kMaxWordLength || *block < 1 || *block > kMaxScaleBlock) return std::nullopt;
  return WordLength::of_parts(*scale, *block);
}

}  // namespace

std::optional<std::string> refusal(WordLength length) {
  if (length < WordLength(1) || length > WordLength(kMaxWordLength))
    return fmt::format("must be 1 to {} bits", kMaxWordLength);
  if (!is_decimal(length.of_bit()) || length.of_bit() > kMaxPartsOfBit)
    return fmt::format("must be a decimal fraction of parts of a bit not finer than 1/{}", kMaxPartsOfBit);
  return std::nullopt;
}

std::string text_of(WordLength length) {
  std::string out = fmt::format("{}", length.parts() / length.of_bit());
  u64 rest = length.parts() % length.of_bit();
  if (rest != 0) out += '.';
  for (std::size_t k = 0; rest != 0 && k < kMostDigits; ++k) {
    out += static_cast<char>('0' + rest * 10 / length.of_bit());
    rest = rest * 10 % length.of_bit();
  }
  return out;
}

std::vector<std::string> number_format_names() { return names_of(kFormats); }

std::optional<WordLength> parse_word_length(std::string_view text) {
  const std::string word = lower(std::string(trim(text)));
  if (const NumberFormat* const format = find_row(kFormats, word)) return format->length;
  WordLength sum(0);
  for (const std::string& term : split(word, '+')) {
    const std::optional<WordLength> length = share(term);
    if (!length || sum > WordLength(kMaxWordLength) || sum.of_bit() > kMaxScaleBlock) return std::nullopt;
    sum = sum + *length;
  }
  return refusal(sum) ? std::nullopt : std::optional(sum);
}

std::string word_lengths_allowed() {
  return fmt::format(
      "1 to {} bits: a number such as 8 or 4.25 (of parts not finer than 1/{}), values and the scales "
      "that blocks of them share such as 4+8/32, or {}",
      kMaxWordLength, kMaxPartsOfBit, join(number_format_names(), "or"));
}

std::string word_length_pattern() { return R"(^([0-9.]+(\s*[+]\s*[0-9]+/[0-9]+)*|[A-Za-z]+[0-9]+)$)"; }

}  // namespace heliolite
