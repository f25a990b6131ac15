#include "engine/proof/proof_file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <array>
#include <bit>

namespace heliolite::proof {

struct ProofFile::Packer {
  z_stream stream{};
  std::array<char, std::size_t{1} << 16> packed{};

  Packer() {
    constexpr int kGzip = 15 + 16;  // the largest window, and the format's header, which names no file and no time
    constexpr int kMemory = 9;
    deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kGzip, kMemory, Z_DEFAULT_STRATEGY);
  }
  ~Packer() { deflateEnd(&stream); }
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;
};

ProofFile::ProofFile(std::ostream& out, bool packed, u64 limit)
    : out_(out), limit_(limit), packer_(packed ? std::make_unique<Packer>() : nullptr) {}

ProofFile::~ProofFile() = default;

bool ProofFile::pass_on(std::string_view bytes) {
  bytes_ += bytes.size();
  if (bytes_ > limit_) return false;
  out_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return true;
}

bool ProofFile::pack(std::string_view text, bool ends) {
  z_stream& z = packer_->stream;
  std::string input(text);  // zlib's interface may not promise to leave it as it is
  z.next_in = reinterpret_cast<Bytef*>(input.data());
  z.avail_in = static_cast<uInt>(input.size());
  do {
    z.next_out = reinterpret_cast<Bytef*>(packer_->packed.data());
    z.avail_out = static_cast<uInt>(packer_->packed.size());
    deflate(&z, ends ? Z_FINISH : Z_NO_FLUSH);
    if (!pass_on({packer_->packed.data(), packer_->packed.size() - z.avail_out})) return false;
  } while (z.avail_out == 0);
  return true;
}

bool ProofFile::write(std::string_view text) { return packer_ ? pack(text, false) : pass_on(text); }

Result<std::string> unpacked(const std::string& bytes, std::size_t most) {
  if (!bytes.starts_with("\x1f\x8b")) return bytes;
  z_stream z{};
  constexpr int kGzip = 15 + 16;
  inflateInit2(&z, kGzip);
  std::string input = bytes, out, block(std::size_t{1} << 20, '\0');
  z.next_in = reinterpret_cast<Bytef*>(input.data());
  z.avail_in = static_cast<uInt>(input.size());
  int state = Z_OK;
  while (state == Z_OK && out.size() <= most) {
    z.next_out = reinterpret_cast<Bytef*>(block.data());
    z.avail_out = static_cast<uInt>(block.size());
    state = inflate(&z, Z_NO_FLUSH);
    out.append(block, 0, block.size() - z.avail_out);
  }
  inflateEnd(&z);
  if (state != Z_STREAM_END) return Diagnostic{"", 0, "", "its packed bytes are cut off, damaged or too many"};
  return out;
}

bool ProofFile::finish() { return !packer_ || pack({}, true); }

namespace {

constexpr std::array<u32, 64> kRound{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

using Words = std::array<u32, 8>;

void add_block(Words& hash, const unsigned char* bytes) {
  std::array<u32, 64> w{};
  for (std::size_t k = 0; k < 16; ++k)
    w[k] = u32{bytes[4 * k]} << 24 | u32{bytes[4 * k + 1]} << 16 | u32{bytes[4 * k + 2]} << 8 | bytes[4 * k + 3];
  for (std::size_t k = 16; k < 64; ++k) {
    const u32 a = w[k - 15], b = w[k - 2];
    w[k] = w[k - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) + w[k - 7] +
           (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
  }
  Words h = hash;
  for (std::size_t k = 0; k < 64; ++k) {
    const u32 e = h[4], a = h[0];
    const u32 t1 =
        h[7] + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + ((e & h[5]) ^ (~e & h[6])) + kRound[k] + w[k];
    const u32 t2 = (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & h[1]) ^ (a & h[2]) ^ (h[1] & h[2]));
    h = {t1 + t2, h[0], h[1], h[2], h[3] + t1, h[4], h[5], h[6]};
  }
  for (std::size_t k = 0; k < 8; ++k) hash[k] += h[k];
}

}  // namespace

std::string sha256_text(std::string_view text) {
  std::string padded(text);
  padded += static_cast<char>(0x80);
  while (padded.size() % 64 != 56) padded += '\0';
  const u64 bit_count = u64{text.size()} * 8;
  for (int shift = 56; shift >= 0; shift -= 8) padded += static_cast<char>(bit_count >> shift & 0xff);
  Words hash{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  for (std::size_t k = 0; k < padded.size(); k += 64)
    add_block(hash, reinterpret_cast<const unsigned char*>(padded.data()) + k);
  std::string out;
  for (const u32 word : hash) out += fmt::format("{:08x}", word);
  return out;
}

}  // namespace heliolite::proof
