#include "engine/sweep/store_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "engine/base/integers.h"

namespace heliolite {
namespace {

using Identity = std::pair<dev_t, ino_t>;

// SQLite locks bytes from 2^30 on, some hundred of them.
constexpr off_t kLockedByte = off_t{1} << 62;

struct flock request(short type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = kLockedByte;
  lock.l_len = 1;
  return lock;
}

bool is_file(const struct stat& status) { return S_ISREG(status.st_mode); }

int open_file(const std::string& path, bool make) {
  const int flags = O_CLOEXEC | O_NONBLOCK;
  const int both = ::open(path.c_str(), O_RDWR | flags | (make ? O_CREAT : 0), 0644);
  return both >= 0 || make ? both : ::open(path.c_str(), O_RDONLY | flags);
}

}  // namespace

struct DatabaseFile::Entry {
  Identity identity;
  std::vector<int> descriptors;  // more than one only if the name changed its file while it was opened
  u64 users = 0;
  bool locked = false;
};

struct DatabaseFile::Registry {
  std::mutex mutex;
  std::map<Identity, Entry> entries;
};

DatabaseFile::Registry& DatabaseFile::registry() {
  static Registry all;
  return all;
}

DatabaseFile DatabaseFile::open(const std::string& path, bool make) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  DatabaseFile out;
  struct stat status {};
  const bool exists = stat(path.c_str(), &status) == 0;
  if (exists ? !is_file(status) : !make) return out;
  auto found = exists ? all.entries.find({status.st_dev, status.st_ino}) : all.entries.end();
  if (found == all.entries.end()) {
    const int descriptor = open_file(path, make);
    if (descriptor < 0) return out;
    fstat(descriptor, &status);
    const Identity identity{status.st_dev, status.st_ino};
    found = all.entries.try_emplace(identity).first;
    found->second.identity = identity;
    found->second.descriptors.push_back(descriptor);
  }
  out.entry_ = &found->second;
  ++out.entry_->users;
  return out;
}

DatabaseFile::DatabaseFile(DatabaseFile&& other) noexcept
    : entry_(std::exchange(other.entry_, nullptr)), locked_(std::exchange(other.locked_, false)) {}

DatabaseFile& DatabaseFile::operator=(DatabaseFile&& other) noexcept {
  if (this == &other) return *this;
  release();
  entry_ = std::exchange(other.entry_, nullptr);
  locked_ = std::exchange(other.locked_, false);
  return *this;
}

DatabaseFile::~DatabaseFile() { release(); }

void DatabaseFile::release() {
  if (entry_ == nullptr) return;
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  if (locked_) {
    struct flock unlock = request(F_UNLCK);
    fcntl(entry_->descriptors.front(), F_OFD_SETLK, &unlock);
    entry_->locked = locked_ = false;
  }
  if (--entry_->users == 0) {
    for (const int descriptor : entry_->descriptors) close(descriptor);
    all.entries.erase(entry_->identity);
  }
  entry_ = nullptr;
}

std::string DatabaseFile::bytes(std::size_t from, std::size_t count) const {
  std::string out(count, '\0');
  const ssize_t got = pread(entry_->descriptors.front(), out.data(), count, static_cast<off_t>(from));
  out.resize(got > 0 ? at(got) : 0);
  return out;
}

bool DatabaseFile::is_at(const std::string& path) const {
  struct stat status {};
  return entry_ != nullptr && stat(path.c_str(), &status) == 0 &&
         entry_->identity == Identity{status.st_dev, status.st_ino};
}

u64 DatabaseFile::names() const {
  struct stat status {};
  return fstat(entry_->descriptors.front(), &status) == 0 ? status.st_nlink : 1;
}

DatabaseFile::Lock DatabaseFile::lock() {
  const std::lock_guard guard(registry().mutex);
  if (entry_->locked) return Lock::Held;
  struct flock wanted = request(F_WRLCK);
  if (fcntl(entry_->descriptors.front(), F_OFD_SETLK, &wanted) != 0)
    return errno == EAGAIN || errno == EACCES ? Lock::Held : Lock::Impossible;
  entry_->locked = locked_ = true;
  return Lock::Taken;
}

bool DatabaseFile::held_elsewhere() const {
  const std::lock_guard guard(registry().mutex);
  if (entry_ == nullptr || entry_->locked) return false;
  struct flock question = request(F_WRLCK);
  return fcntl(entry_->descriptors.front(), F_OFD_GETLK, &question) == 0 && question.l_type != F_UNLCK;
}

bool DatabaseFile::held() const { return held_elsewhere() || (entry_ != nullptr && entry_->locked); }

}  // namespace heliolite
