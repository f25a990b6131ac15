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

#include "engine/base/integers.h"

namespace heliolite {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWait = "wait until it ends, or end it and go on with --resume";
constexpr const char* kSomebody = "another process";

// Two names of one database, through a symbolic link, share the lock.
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
  return size > 0 ? std::string(bytes.data(), at(size)) : kSomebody;
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
      return refuse(fmt::format("{} writes it: {}", contents(descriptor), kWait));
    }
    if (!same_file(descriptor, path)) {
      lock.path_.clear();
      continue;
    }
    const std::string name = writer_name();
    if (ftruncate(descriptor, 0) != 0 || pwrite(descriptor, name.data(), name.size(), 0) < 0)
      return refuse(fmt::format("{} cannot be written: {}", path, std::strerror(errno)));
    if (fs::exists(database, ignored))
      if (Diagnostics errors = lock.take_file(database); !errors.empty()) return errors;
    return lock;
  }
}

Diagnostics WriterLock::take_file(const std::string& database) {
  const auto refuse = [&](const std::string& why) { return Diagnostics{{database, 0, "", why}}; };
  DatabaseFile file = DatabaseFile::open(database, true);
  if (!file.readable()) return {};  // what is wrong with it is said by whoever opens the database
  switch (file.lock()) {
    case DatabaseFile::Lock::Taken: break;
    case DatabaseFile::Lock::Held:
      return refuse(fmt::format("{}, under another name of it or with {} removed, writes it: {}", kSomebody,
                                lock_path(database), kWait));
    case DatabaseFile::Lock::Impossible:
      if (access(database.c_str(), W_OK) == 0) return refuse(fmt::format("cannot be locked: {}", std::strerror(errno)));
      break;
  }
  if (file.names() > 1)
    return refuse(fmt::format(
        "the file has {} names (hard links), and what a killed writer left beside one of them is not seen through "
        "another: remove the others, or write to a copy",
        file.names()));
  file_ = std::move(file);
  return {};
}

WriterLock::WriterLock(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}

WriterLock::WriterLock(WriterLock&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      path_(std::exchange(other.path_, {})),
      file_(std::move(other.file_)) {}

WriterLock& WriterLock::operator=(WriterLock&& other) noexcept {
  if (this == &other) return *this;
  release();
  descriptor_ = std::exchange(other.descriptor_, -1);
  path_ = std::exchange(other.path_, {});
  file_ = std::move(other.file_);
  return *this;
}

WriterLock::~WriterLock() { release(); }

void WriterLock::release() {
  file_ = {};
  if (descriptor_ < 0) return;
  if (!path_.empty() && same_file(descriptor_, path_)) unlink(path_.c_str());
  ::close(descriptor_);
  descriptor_ = -1;
}

std::optional<std::string> lock_holder(const std::string& database) {
  std::optional<std::string> out;
  if (DatabaseFile::open(database).held()) out = kSomebody;
  const int descriptor = open(lock_path(database).c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return out;
  struct flock question = whole_file();
  if (fcntl(descriptor, F_OFD_GETLK, &question) == 0 && question.l_type != F_UNLCK) out = contents(descriptor);
  ::close(descriptor);
  return out;
}

}  // namespace heliolite
