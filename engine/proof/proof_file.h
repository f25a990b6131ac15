#pragma once
// The file of a proof: lines as they come, packed by gzip where asked for, up to a limit. Nothing in it depends on when
// or where it was written. And SHA-256, by which a proof names the instance that it is of.
#include <memory>
#include <ostream>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/base/types.h"

namespace heliolite::proof {

class ProofFile {
 public:
  // Writes to `out`, which must outlive it; `limit`: of the bytes in the file.
  ProofFile(std::ostream& out, bool packed, u64 limit);
  ~ProofFile();
  ProofFile(const ProofFile&) = delete;
  ProofFile& operator=(const ProofFile&) = delete;

  // False: the limit is reached.
  bool write(std::string_view text);
  bool finish();

  u64 bytes() const { return bytes_; }  // written so far

 private:
  struct Packer;
  bool pass_on(std::string_view bytes);
  bool pack(std::string_view text, bool ends);

  std::ostream& out_;
  const u64 limit_;
  u64 bytes_ = 0;
  std::unique_ptr<Packer> packer_;  // null: the file is plain text
};

// The text of a proof's file, packed or not. Errors: it is cut off or damaged, or has more than `most` bytes.
Result<std::string> unpacked(const std::string& bytes, std::size_t most);

std::string sha256_text(std::string_view text);  // FIPS 180-4; 64 hexadecimal digits

}  // namespace heliolite::proof
