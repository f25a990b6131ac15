#include "check_proof/inflate.h"

#include <vector>

#include "check_proof/integers.h"

namespace check_proof {
namespace {

// Bits, the least of a byte first. Behind the end there are zeros, and has_ended() says so.
class Bits {
 public:
  explicit Bits(std::string_view bytes) : bytes_(bytes) {}
  u32 take(int count) {
    while (held_ < count) {
      if (at_ < bytes_.size()) value_ |= static_cast<u64>(static_cast<u8>(bytes_[at_])) << held_;
      else ended_ = true;
      ++at_;
      held_ += 8;
    }
    const u32 out = static_cast<u32>(value_ & ((u64{1} << count) - 1));
    value_ >>= count;
    held_ -= count;
    return out;
  }
  void to_byte() { take(held_ % 8); }
  bool has_ended() const { return ended_; }
  // Of the first byte that is not begun.
  std::size_t position() const { return at_ - static_cast<std::size_t>(held_ / 8); }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
  u64 value_ = 0;
  int held_ = 0;
  bool ended_ = false;
};

// A canonical code: of each length how many symbols there are, and all symbols by code.
class Code {
 public:
  explicit Code(const std::vector<u8>& lengths) {
    for (const u8 l : lengths) ++count_[l];
    count_[0] = 0;
    for (u8 l = 1; l < count_.size(); ++l)
      for (std::size_t s = 0; s < lengths.size(); ++s)
        if (lengths[s] == l) symbol_.push_back(static_cast<u16>(s));
  }
  // -1: no symbol has this code.
  int take(Bits& bits) const {
    int code = 0, first = 0, index = 0;
    for (std::size_t l = 1; l < count_.size(); ++l) {
      code |= static_cast<int>(bits.take(1));
      if (code - first < count_[l]) {
        const std::size_t k = static_cast<std::size_t>(index + code - first);
        return k < symbol_.size() ? symbol_[k] : -1;
      }
      index += count_[l];
      first = (first + count_[l]) << 1;
      code <<= 1;
    }
    return -1;
  }

 private:
  std::array<int, 16> count_{};
  std::vector<u16> symbol_;
};

constexpr std::array<u16, 29> kLength = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                         31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
constexpr std::array<u16, 30> kDistance = {1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
                                           33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
                                           1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
int length_bits(int k) { return k < 8 || k == 28 ? 0 : k / 4 - 1; }
int distance_bits(int k) { return k < 4 ? 0 : k / 2 - 1; }

bool stored_block(Bits& bits, std::string& out, std::size_t most) {
  bits.to_byte();
  const u32 size = bits.take(16), check = bits.take(16);
  if ((size ^ check) != 0xffff || out.size() + size > most) return false;
  for (u32 k = 0; k < size && !bits.has_ended(); ++k) out += static_cast<char>(bits.take(8));
  return !bits.has_ended();
}

bool coded_block(Bits& bits, const Code& literals, const Code& distances, std::string& out, std::size_t begin,
                 std::size_t most) {
  while (!bits.has_ended()) {
    const int symbol = literals.take(bits);
    if (symbol == 256) return !bits.has_ended();
    if (symbol < 0 || symbol > 285 || out.size() + 258 > most) return false;
    if (symbol < 256) {
      out += static_cast<char>(symbol);
      continue;
    }
    const std::size_t length = kLength[static_cast<std::size_t>(symbol - 257)] + bits.take(length_bits(symbol - 257));
    const int far = distances.take(bits);
    if (far < 0 || far > 29) return false;
    const std::size_t distance = kDistance[static_cast<std::size_t>(far)] + bits.take(distance_bits(far));
    if (distance > out.size() - begin) return false;
    for (std::size_t k = 0; k < length; ++k) out += out[out.size() - distance];
  }
  return false;
}

bool dynamic_block(Bits& bits, std::string& out, std::size_t begin, std::size_t most) {
  constexpr std::array<u8, 19> kOrder = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
  const std::size_t literals = bits.take(5) + 257, distances = bits.take(5) + 1, codes = bits.take(4) + 4;
  std::vector<u8> meta(19), lengths;
  for (std::size_t k = 0; k < codes; ++k) meta[kOrder[k]] = static_cast<u8>(bits.take(3));
  const Code code(meta);
  while (lengths.size() < literals + distances) {
    const int symbol = code.take(bits);
    if (symbol < 0 || bits.has_ended() || (symbol == 16 && lengths.empty())) return false;
    if (symbol < 16) lengths.push_back(static_cast<u8>(symbol));
    else if (symbol == 16) lengths.insert(lengths.end(), 3 + bits.take(2), u8{lengths.back()});
    else lengths.insert(lengths.end(), symbol == 17 ? 3 + bits.take(3) : 11 + bits.take(7), u8{0});
  }
  if (lengths.size() != literals + distances) return false;
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(literals);
  return coded_block(bits, Code({lengths.begin(), middle}), Code({middle, lengths.end()}), out, begin, most);
}

bool fixed_block(Bits& bits, std::string& out, std::size_t begin, std::size_t most) {
  std::vector<u8> lengths(288, 8);
  for (std::size_t k = 144; k < 280; ++k) lengths[k] = k < 256 ? 9 : 7;
  return coded_block(bits, Code(lengths), Code(std::vector<u8>(30, 5)), out, begin, most);
}

u32 crc32(std::string_view bytes) {
  u32 out = ~u32{0};
  std::array<u32, 256> table{};
  for (u32 k = 0; k < 256; ++k) {
    table[k] = k;
    for (int b = 0; b < 8; ++b) table[k] = (table[k] & 1) != 0 ? table[k] >> 1 ^ 0xedb88320 : table[k] >> 1;
  }
  for (const char c : bytes) out = out >> 8 ^ table[(out ^ static_cast<u8>(c)) & 255];
  return ~out;
}

// Where the member's data begin; npos where its head is damaged.
std::size_t head_of(std::string_view bytes) {
  constexpr std::size_t kNone = std::string_view::npos;
  if (bytes.size() < 18 || !is_gzip(bytes) || bytes[2] != 8 || (bytes[3] & 0xe0) != 0) return kNone;
  const int flags = bytes[3];
  std::size_t at = 10;
  if ((flags & 4) != 0) at += 2 + static_cast<u8>(bytes[10]) + 256 * std::size_t{static_cast<u8>(bytes[11])};
  for (const int bit : {8, 16}) {
    if ((flags & bit) == 0) continue;
    const std::size_t end = at < bytes.size() ? bytes.find('\0', at) : kNone;
    if (end == kNone) return kNone;
    at = end + 1;
  }
  if ((flags & 2) != 0) at += 2;
  return at < bytes.size() ? at : kNone;
}

}  // namespace

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

std::optional<std::string> gunzip(std::string_view bytes, std::size_t most) {
  std::string out;
  while (!bytes.empty()) {
    const std::size_t begin = out.size(), head = head_of(bytes);
    if (head == std::string_view::npos) return std::nullopt;
    Bits bits(bytes.substr(head));
    for (bool last = false; !last;) {
      last = bits.take(1) != 0;
      const u32 kind = bits.take(2);
      const bool good = kind == 0   ? stored_block(bits, out, most)
                        : kind == 1 ? fixed_block(bits, out, begin, most)
                                    : kind == 2 && dynamic_block(bits, out, begin, most);
      if (!good) return std::nullopt;
    }
    bits.to_byte();
    const u32 sum = bits.take(32), size = bits.take(32);
    const std::string_view member = std::string_view(out).substr(begin);
    if (bits.has_ended() || sum != crc32(member) || size != static_cast<u32>(member.size())) return std::nullopt;
    bytes.remove_prefix(head + bits.position());
  }
  return out;
}

}  // namespace check_proof
