#include "engine/sweep/store_log.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstring>
#include <fstream>
#include <utility>

#include "engine/base/types.h"

namespace heliolite {
namespace {

constexpr std::size_t kHeaderBytes = 32, kFrameBytes = 24;
constexpr u32 kMagic = 0x377f0682;  // the lowest bit says that checksums are of big-endian words

u32 word(const char* bytes, bool big_endian = true) {
  u32 out = 0;
  for (int i = 0; i < 4; ++i) out = out << 8 | static_cast<unsigned char>(bytes[big_endian ? i : 3 - i]);
  return out;
}

struct Checksum {
  u32 a = 0, b = 0;

  void add(const char* bytes, std::size_t count, bool big_endian) {
    for (std::size_t i = 0; i + 8 <= count; i += 8) {
      a += word(bytes + i, big_endian) + b;
      b += word(bytes + i + 4, big_endian) + a;
    }
  }
  bool operator==(const Checksum&) const = default;
};

Checksum checksum_at(const char* bytes) { return {word(bytes), word(bytes + 4)}; }

// The index of the log, as the writer left it in shared memory: two equal copies of a header of 48 bytes.
struct LogIndex {
  bool valid = false;
  u32 frames = 0;   // that were committed
  u32 in_file = 0;  // of those, the first ones that are in the database itself already
  std::array<char, 8> salt{};
};

LogIndex read_index(const std::string& path) {
  std::array<char, 136> bytes{};
  LogIndex out;
  std::ifstream file(path, std::ios::binary);
  if (!file.read(bytes.data(), bytes.size())) return out;
  const auto native = [&](std::size_t at) {
    u32 value = 0;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
  };
  Checksum sum;
  sum.add(bytes.data(), 40, std::endian::native == std::endian::big);
  out.valid = std::memcmp(bytes.data(), bytes.data() + 48, 48) == 0 && bytes[12] == 1 &&
              sum == Checksum{native(40), native(44)};
  out.frames = native(16);
  out.in_file = native(96);
  std::memcpy(out.salt.data(), bytes.data() + 32, out.salt.size());
  return out;
}

struct Log {
  bool header = false;  // it is whole
  std::array<char, 8> salt{};
  u32 whole = 0;      // frames up to the last transaction that SQLite takes
  bool more = false;  // there is a later transaction, behind something that is damaged
};

// Frames form a chain: the checksum of each goes on from that of the one before it.
Log read_log(std::istream& file) {
  Log log;
  std::array<char, kHeaderBytes> header{};
  if (!file.read(header.data(), header.size())) return log;
  const bool big_endian = (word(header.data()) & 1) != 0;
  Checksum chain;
  chain.add(header.data(), 24, big_endian);
  log.header = (word(header.data()) & ~1u) == kMagic && chain == checksum_at(header.data() + 24);
  if (!log.header) return log;
  std::memcpy(log.salt.data(), header.data() + 16, log.salt.size());
  std::string frame(kFrameBytes + word(header.data() + 8), '\0');
  bool whole = true;
  for (u32 n = 1; file.read(frame.data(), static_cast<std::streamsize>(frame.size())); ++n) {
    chain.add(frame.data(), 8, big_endian);
    chain.add(frame.data() + kFrameBytes, frame.size() - kFrameBytes, big_endian);
    const bool same_log = std::memcmp(frame.data() + 8, log.salt.data(), log.salt.size()) == 0;
    const bool fits = same_log && chain == checksum_at(frame.data() + 16);
    const bool ends_transaction = word(frame.data() + 4) != 0;
    whole = whole && fits;
    if (whole && ends_transaction) log.whole = n;
    log.more = log.more || (!whole && fits && ends_transaction);
    chain = checksum_at(frame.data() + 16);
  }
  return log;
}

}  // namespace

std::optional<std::string> lost_log(const std::string& database) {
  const LogIndex index = read_index(database + "-shm");
  std::ifstream file(database + "-wal", std::ios::binary);
  const bool has_bytes = file && file.peek() != std::ifstream::traits_type::eof();
  const bool all_in_file = index.frames <= index.in_file;
  constexpr const char* kLost = "rows that were written last are lost; --resume searches them again";
  if (!has_bytes) {
    if (!index.valid || index.frames == 0 || all_in_file) return std::nullopt;
    return fmt::format("its log {}-wal is missing: {}", database, kLost);
  }
  file.clear();
  const Log log = read_log(file);
  if (!log.header) {
    file.clear();
    file.seekg(0, std::ios::end);
    // Less than a header is what a power cut leaves of a log that was begun.
    if (file.tellg() < static_cast<std::streamoff>(kHeaderBytes) && !(index.valid && index.frames > 0))
      return std::nullopt;
    return fmt::format("its log {}-wal is damaged at its beginning: {}", database, kLost);
  }
  const bool of_this_log = index.valid && index.salt == log.salt;
  if (!log.more && !(of_this_log && index.frames > log.whole)) return std::nullopt;
  return fmt::format("its log {}-wal is damaged or cut after {} pages: {}", database, log.whole, kLost);
}

}  // namespace heliolite
