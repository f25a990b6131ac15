#pragma once
// Exact integers: 64 bits for words and cycles, 128 for energies, 256 for the values of claims; there are no doubles.
// And the lines of a file, one space between words, and what is said of a line that is wrong.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>
namespace check_proof {
using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
__extension__ using i128 = __int128;
__extension__ using u128 = unsigned __int128;
// Above every energy: what bounds say where no completion is legal.
inline constexpr i128 kInfinite = static_cast<i128>(1) << 126;
constexpr u128 ceil_div(u128 a, u128 b) { return a / b + static_cast<u128>(a % b != 0); }
// Up to 256 bits; the most significant limb is the first, so that arrays compare as numbers do.
using Big = std::array<u64, 4>;
constexpr i128 low(const Big& v) { return static_cast<i128>(static_cast<u128>(v[2]) << 64 | v[3]); }
constexpr Big big(u128 v) { return {0, 0, static_cast<u64>(v >> 64), static_cast<u64>(v)}; }
// v * factor + addend, in place; false where that needs more than 256 bits.
constexpr bool multiply(Big& v, u64 factor, u64 addend = 0) {
  u128 carry = addend;
  for (std::size_t k = v.size(); k-- > 0; carry >>= 64) {
    carry += static_cast<u128>(v[k]) * factor;
    v[k] = static_cast<u64>(carry);
  }
  return carry == 0;
}
// In place; the remainder.
constexpr u64 divide(Big& v, u64 divisor) {
  u128 rest = 0;
  for (u64& limb : v) {
    rest = rest << 64 | limb;
    limb = static_cast<u64>(rest / divisor);
    rest %= divisor;
  }
  return static_cast<u64>(rest);
}

// Decimal digits without a sign or zeros in front; none for anything else, and for more than the type holds.
inline std::optional<Big> read_big(std::string_view text) {
  Big out{};
  if (text.empty() || (text.size() > 1 && text[0] == '0')) return std::nullopt;
  for (const char c : text)
    if (c < '0' || c > '9' || !multiply(out, 10, static_cast<u64>(c - '0'))) return std::nullopt;
  return out;
}
inline std::string text_of(Big v) {
  std::string out;
  do out += static_cast<char>('0' + divide(v, 10));
  while (v != Big{});
  return {out.rbegin(), out.rend()};
}

// v * 2^-bits, with six digits behind the point, cut off, where it is no integer.
inline std::string scaled_text(const Big& v, int bits) {
  Big millionths = v;
  if (!multiply(millionths, 1000000)) return text_of(v) + " x 2^-" + std::to_string(bits);
  for (int k = 0; k < bits; ++k) divide(millionths, 2);
  const u64 fraction = divide(millionths, 1000000);
  return text_of(millionths) + (fraction == 0 ? "" : "." + std::to_string(1000000 + fraction).substr(1));
}

// Thrown where a line is wrong, and caught where files are checked. Refused: the checker cannot say anything of it.
struct Wrong {
  u64 line = 0;  // from 1; 0: of the whole file
  std::string what;
  bool refused = false;
};
// The parts of a text between separators; an empty text has one empty part.
inline std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> out;
  for (std::size_t begin = 0, end = 0; end != std::string_view::npos; begin = end + 1) {
    end = text.find(separator, begin);
    out.push_back(text.substr(begin, end - begin));
  }
  return out;
}

// Walks over the lines of a text that outlives it.
class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) {}
  bool at_end() const { return offset_ == text_.size(); }
  u64 number() const { return number_; }
  // All in front of the current line, from the one that was current at mark() on.
  void mark() { mark_ = begin_; }
  std::string_view before() const { return text_.substr(mark_, begin_ - mark_); }
  // The next line becomes the current one.
  void next() {
    begin_ = offset_;
    ++number_;
    words_.clear();
    const std::size_t end = text_.find('\n', offset_);
    if (end == std::string_view::npos) wrong("a line that ends expected, the file ends here");
    words_ = split(text_.substr(offset_, end - offset_), ' ');
    offset_ = end + 1;
    for (const std::string_view w : words_)
      if (w.empty()) wrong("words with one space between them expected");
  }
  // The next line, where it begins with these words; it must then have `count` of them; 0: any number.
  bool take(std::string_view words, std::size_t count = 0) {
    const std::string_view rest = text_.substr(offset_);
    const bool is_next = rest.starts_with(std::string(words) + " ") || rest.starts_with(std::string(words) + "\n");
    if (is_next) must(words, count);
    return is_next;
  }
  // The next line, which must begin with these words and have as many.
  void must(std::string_view words, std::size_t count) {
    next();
    expect(words, count);
  }
  void expect(std::string_view words, std::size_t count) const {  // of the current line
    const std::vector<std::string_view> expected = split(words, ' ');
    for (std::size_t k = 0; k < expected.size(); ++k)
      if (k >= words_.size() || words_[k] != expected[k]) wrong("'" + std::string(words) + "' expected");
    if (count != 0 && words_.size() != count) wrong(std::to_string(count) + " words expected");
  }
  const std::vector<std::string_view>& words() const { return words_; }
  std::size_t count() const { return words_.size(); }
  std::string_view word(std::size_t k) const {
    if (k >= words_.size()) wrong("more words expected");
    return words_[k];
  }
  u64 integer(std::string_view text) const {
    const std::optional<Big> out = read_big(text);
    if (!out || *out > big(~u64{0}))
      wrong("a decimal integer below 2^64 expected, not '" + std::string(text.substr(0, 40)) + "'");
    return (*out)[3];
  }
  u64 positive(std::string_view text) const {
    if (integer(text) == 0) wrong("a number above 0 expected");
    return integer(text);
  }
  [[noreturn]] void wrong(const std::string& what) const { throw Wrong{number_, what, false}; }
  [[noreturn]] void refuse(const std::string& what) const { throw Wrong{number_, what, true}; }

 private:
  std::string_view text_;
  std::size_t mark_ = 0, begin_ = 0, offset_ = 0;
  u64 number_ = 0;
  std::vector<std::string_view> words_;
};

// SHA-256 (FIPS 180-4), by which a proof names the instance that it is of.
inline constexpr std::array<u32, 64> kShaRound = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

inline void absorb(std::array<u32, 8>& h, const char* block) {
  std::array<u32, 64> w{};
  for (std::size_t k = 0; k < 64; ++k) {
    for (std::size_t b = 0; b < 4 && k < 16; ++b) w[k] = w[k] << 8 | static_cast<u8>(block[4 * k + b]);
    if (k < 16) continue;
    const u32 a = w[k - 15], b = w[k - 2];
    w[k] = w[k - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) + w[k - 7] +
           (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
  }
  std::array<u32, 8> s = h;
  for (std::size_t k = 0; k < 64; ++k) {
    const u32 t1 = s[7] + (std::rotr(s[4], 6) ^ std::rotr(s[4], 11) ^ std::rotr(s[4], 25)) +
                   ((s[4] & s[5]) ^ (~s[4] & s[6])) + kShaRound[k] + w[k];
    const u32 t2 = (std::rotr(s[0], 2) ^ std::rotr(s[0], 13) ^ std::rotr(s[0], 22)) +
                   ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
    s = {t1 + t2, s[0], s[1], s[2], s[3] + t1, s[4], s[5], s[6]};
  }
  for (std::size_t k = 0; k < 8; ++k) h[k] += s[k];
}

inline std::string sha256(std::string_view text) {
  std::string padded(text);
  padded += '\x80';
  padded.append((120 - padded.size() % 64) % 64, '\0');
  for (int shift = 56; shift >= 0; shift -= 8) padded += static_cast<char>(static_cast<u64>(text.size()) * 8 >> shift);
  std::array<u32, 8> h = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                          0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  for (std::size_t k = 0; k < padded.size(); k += 64) absorb(h, padded.data() + k);
  std::string out;
  for (const u32 word : h)
    for (int shift = 28; shift >= 0; shift -= 4) out += "0123456789abcdef"[word >> shift & 15];
  return out;
}

// A whole file; -: the standard input.
inline std::string read_file(const std::string& path) {
  std::ostringstream out;
  std::ifstream file;
  if (path != "-") file.open(path, std::ios::binary);
  if (!file.is_open() && path != "-") throw Wrong{0, "cannot be opened", true};
  out << (path == "-" ? std::cin : file).rdbuf();
  if (out.view().starts_with("\x1f\x8b")) throw Wrong{0, "gzipped: zcat it, and read - instead of the file", true};
  return std::move(out).str();
}
}  // namespace check_proof
