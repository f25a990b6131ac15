#include "engine/base/file_bytes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <vector>

#include "engine/base/file_claims.h"
#include "engine/base/file_identity.h"
#include "engine/base/integers.h"

namespace heliolite {
namespace {

using namespace std::chrono_literals;

constexpr auto kLook = 100ms;        // between two looks whether somebody writes
constexpr auto kNobodyWrites = 3s;   // a writer that is started together with us is there by then
constexpr auto kNothingComes = 60s;  // a writer that thinks first gets so long

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int operator*() const { return number_; }

 private:
  int number_;
};

class Reader {
 public:
  Reader(const std::string& path, std::size_t most) : path_(path), most_(most) {}

  Result<std::string> run() {
    struct stat status {};
    const bool found = stat(path_.c_str(), &status) == 0;
    if (found && S_ISDIR(status.st_mode)) return complaint("is a directory, not a file");
    regular_ = found && S_ISREG(status.st_mode);
    if (regular_ && at(status.st_size) > most_) return too_large();
    // A pipe that we were given is read where it is: opened anew it would not say that its writer has ended.
    const std::optional<int> given = regular_ ? std::nullopt : own_descriptor(path_);
    named_pipe_ = found && S_ISFIFO(status.st_mode) && !given;
    const Descriptor file(given ? fcntl(*given, F_DUPFD_CLOEXEC, 0)
                                : open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | (regular_ ? 0 : O_NONBLOCK)));
    if (*file < 0) return unreadable();
    return contents(*file, given.has_value());
  }

 private:
  Diagnostic complaint(std::string message) const { return {path_, 0, "", std::move(message)}; }
  Diagnostic unreadable() const { return complaint(fmt::format("cannot be read: {}", std::strerror(errno))); }
  Diagnostic too_large() const {
    return complaint(fmt::format("larger than {} MiB, the largest file accepted", most_ >> 20));
  }

  // `blocks`: a read without bytes would wait.
  Result<std::string> contents(int file, bool blocks) {
    std::string text;
    std::vector<char> block(std::size_t{1} << 16);
    auto begin = std::chrono::steady_clock::now();  // of the wait for the next bytes
    for (;;) {
      pollfd question{file, POLLIN, 0};
      const int ready = regular_ ? 1 : poll(&question, 1, std::chrono::milliseconds(kLook).count());
      if (ready < 0 && errno == EINTR) return complaint("interrupted while waiting for it");
      const bool skip = ready == 0 && blocks;
      const ssize_t count = skip ? -1 : ::read(file, block.data(), block.size());
      if (count > 0) {
        text.append(block.data(), at(count));
        if (text.size() > most_) return too_large();
        begin = std::chrono::steady_clock::now();
        continue;
      }
      // A named pipe that nobody has opened yet looks like one at its end.
      const bool unopened = count == 0 && named_pipe_ && ready == 0 && text.empty();
      if (count == 0 && !unopened) return text;
      if (count < 0 && !skip && errno != EAGAIN && errno != EINTR) return unreadable();
      const auto waited = std::chrono::steady_clock::now() - begin;
      if (unopened && waited > kNobodyWrites)
        return complaint("is a pipe that nobody writes to: start what writes to it first");
      if (waited > kNothingComes)
        return complaint(fmt::format("is a pipe from which nothing came for {} seconds",
                                     std::chrono::seconds(kNothingComes).count()));
    }
  }

  const std::string& path_;
  const std::size_t most_;
  bool regular_ = false;
  bool named_pipe_ = false;
};

}  // namespace

Result<std::string> read_file_bytes(const std::string& path, std::size_t most) {
  if (Diagnostics taken = FileClaims::of_program().read(path); !taken.empty()) return taken;
  return Reader(path, most).run();
}

}  // namespace heliolite
