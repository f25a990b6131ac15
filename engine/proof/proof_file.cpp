#include "engine/proof/proof_file.h"

#include <zlib.h>

#include <array>

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

}  // namespace heliolite::proof
