#include "engine/base/file_map.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "engine/base/file_bytes.h"
#include "engine/base/file_claims.h"
#include "engine/base/integers.h"

namespace heliolite {
namespace {

bool is_regular(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

}  // namespace

Result<FileMap> FileMap::open(const std::string& path, std::size_t most_of_pipe) {
  FileMap map;
  if (!is_regular(path)) {
    Result<std::string> bytes = read_file_bytes(path, most_of_pipe);
    if (!bytes) return bytes.errors();
    map.piped_ = *std::move(bytes);
    return map;
  }
  if (Diagnostics taken = FileClaims::of_program().read(path); !taken.empty()) return taken;
  const auto unreadable = [&] {
    return Diagnostic{path, 0, "", fmt::format("cannot be read: {}", std::strerror(errno))};
  };
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (file < 0) return unreadable();
  struct stat status {};
  void* mapped = MAP_FAILED;
  if (fstat(file, &status) == 0 && status.st_size > 0)
    mapped = mmap(nullptr, at(status.st_size), PROT_READ, MAP_PRIVATE, file, 0);
  const bool failed = status.st_size > 0 && mapped == MAP_FAILED;
  Result<FileMap> answer = failed ? Result<FileMap>(unreadable()) : Result<FileMap>(std::move(map));
  ::close(file);
  if (answer && status.st_size > 0) {
    answer->mapped_ = mapped;
    answer->size_ = at(status.st_size);
  }
  return answer;
}

FileMap::FileMap(FileMap&& other) noexcept
    : mapped_(std::exchange(other.mapped_, nullptr)), size_(other.size_), piped_(std::move(other.piped_)) {}

FileMap& FileMap::operator=(FileMap&& other) noexcept {
  std::swap(mapped_, other.mapped_);
  std::swap(size_, other.size_);
  std::swap(piped_, other.piped_);
  return *this;
}

FileMap::~FileMap() {
  if (mapped_ != nullptr) munmap(mapped_, size_);
}

std::string_view FileMap::bytes() const {
  return mapped_ == nullptr ? std::string_view(piped_) : std::string_view(static_cast<const char*>(mapped_), size_);
}

std::string first_bytes(const std::string& path, std::size_t most) {
  if (!is_regular(path) || !FileClaims::of_program().read(path).empty()) return "";
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (file < 0) return "";
  std::string bytes(most, '\0');
  const ssize_t count = ::read(file, bytes.data(), most);
  ::close(file);
  bytes.resize(count < 0 ? 0 : at(count));
  return bytes;
}

}  // namespace heliolite
