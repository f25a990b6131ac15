#include "engine/sweep/store_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace heliolite {
namespace {

namespace fs = std::filesystem;

// Two names of one database, through a link, share the lock.
std::string lock_path(const std::string& database) {
  std::error_code problem;
  const fs::path real = fs::weakly_canonical(fs::absolute(database, problem), problem);
  return (problem ? database : real.string()) + ".lock";
}

struct flock whole_file() {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

std::string contents(int descriptor) {
  std::array<char, 256> bytes{};
  const ssize_t size = pread(descriptor, bytes.data(), bytes.size(), 0);
  return size > 0 ? std::string(bytes.data(), static_cast<std::size_t>(size)) : "another process";
}

// Whether the open file is still the one of that name: a holder that ends removes it.
bool same_file(int descriptor, const std::string& path) {
  struct stat open {
  }, named{};
  return fstat(descriptor, &open) == 0 && stat(path.c_str(), &named) == 0 && open.st_ino == named.st_ino &&
         open.st_dev == named.st_dev;
}

}  // namespace

std::string writer_name() {
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  return host[0] ? fmt::format("process {} on {}", getpid(), host.data()) : fmt::format("process {}", getpid());
}

Result<WriterLock> WriterLock::take(const std::string& database) {
  const std::string path = lock_path(database);
  const auto refuse = [&](const std::string& why) { return Diagnostic{database, 0, "", why}; };
  std::error_code ignored;
  if (const fs::path folder = fs::path(path).parent_path(); !fs::is_directory(folder, ignored))
    return refuse(fmt::format("there is no folder {}", folder.string()));
  for (;;) {
    const int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor < 0) return refuse(fmt::format("{} cannot be made: {}", path, std::strerror(errno)));
    WriterLock lock(descriptor, path);
    struct flock request = whole_file();
    if (fcntl(descriptor, F_OFD_SETLK, &request) != 0) {
      lock.path_.clear();  // not ours to remove
      if (errno != EAGAIN && errno != EACCES)
        return refuse(fmt::format("{} cannot be locked: {}", path, std::strerror(errno)));
      return refuse(
          fmt::format("{} writes it: wait until it ends, or end it and go on with --resume", contents(descriptor)));
    }
    if (!same_file(descriptor, path)) {
      lock.path_.clear();
      continue;
    }
    const std::string name = writer_name();
    if (ftruncate(descriptor, 0) != 0 || pwrite(descriptor, name.data(), name.size(), 0) < 0)
      return refuse(fmt::format("{} cannot be written: {}", path, std::strerror(errno)));
    return lock;
  }
}

WriterLock::WriterLock(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}

WriterLock::WriterLock(WriterLock&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), path_(std::exchange(other.path_, {})) {}

WriterLock& WriterLock::operator=(WriterLock&& other) noexcept {
  if (this == &other) return *this;
  release();
  descriptor_ = std::exchange(other.descriptor_, -1);
  path_ = std::exchange(other.path_, {});
  return *this;
}

WriterLock::~WriterLock() { release(); }

void WriterLock::release() {
  if (descriptor_ < 0) return;
  if (!path_.empty()) unlink(path_.c_str());
  ::close(descriptor_);
  descriptor_ = -1;
}

std::optional<std::string> lock_holder(const std::string& database) {
  const int descriptor = open(lock_path(database).c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return std::nullopt;
  struct flock question = whole_file();
  const bool held = fcntl(descriptor, F_OFD_GETLK, &question) == 0 && question.l_type != F_UNLCK;
  std::optional<std::string> out;
  if (held) out = contents(descriptor);
  ::close(descriptor);
  return out;
}

}  // namespace heliolite
