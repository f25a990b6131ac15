#pragma once
// A file's bytes where they are: mapped into memory, so that parts nobody looks at are never read.
#include <cstddef>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace heliolite {

// The bytes of a regular file, read as they are looked at; those of a pipe, read at once. Nobody may make the file
// shorter meanwhile.
class FileMap {
 public:
  // Errors are those of read_file_bytes(), but a regular file may have any size; `most_of_pipe` holds for pipes.
  static Result<FileMap> open(const std::string& path, std::size_t most_of_pipe);

  FileMap(FileMap&& other) noexcept;
  FileMap& operator=(FileMap&& other) noexcept;
  FileMap(const FileMap&) = delete;
  FileMap& operator=(const FileMap&) = delete;
  ~FileMap();

  std::string_view bytes() const;

 private:
  FileMap() = default;

  void* mapped_ = nullptr;
  std::size_t size_ = 0;  // of what is mapped
  std::string piped_;
};

// The first bytes of a regular file, at most `most`; nothing if it is no regular file, or nobody may read it.
std::string first_bytes(const std::string& path, std::size_t most);

}  // namespace heliolite
