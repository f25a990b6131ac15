#include "engine/base/file_bytes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "engine/base/file_claims.h"
#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "engine/base/types.h"

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

namespace fs = std::filesystem;

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

Diagnostic missing_file(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  std::error_code error;
  if (!folder.empty() && !fs::is_directory(folder, error))
    return {path, 0, "", fmt::format("no such file (there is no folder '{}')", folder.string())};
  std::vector<std::string> names;
  for (fs::directory_iterator it(folder.empty() ? "." : folder, error), end; !error && it != end; it.increment(error))
    names.push_back(it->path().filename().string());
  std::ranges::sort(names);
  return {path, 0, "", "no such file" + did_you_mean(fs::path(path).filename().string(), names)};
}

bool is_regular(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

}  // namespace

Result<std::string> read_file_bytes(const std::string& path, std::size_t most) {
  if (Diagnostics taken = FileClaims::of_program().read(path); !taken.empty()) return taken;
  return Reader(path, most).run();
}

Diagnostics check_text(std::string_view text, const std::string& name) {
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
    return {{name, 1, "", "is text in UTF-16; save it as UTF-8"}};
  int line = 1;
  for (std::size_t at = 0; at < text.size();) {
    const u8 c = static_cast<u8>(text[at]);
    const std::size_t length = code_point(text.substr(at)).bytes;
    if (length == 0) return {{name, line, "", fmt::format("not a text file: byte 0x{:02x} is not valid UTF-8", c)}};
    if (is_control(text[at]))
      return {{name, line, "", fmt::format("not a text file: it contains the control character 0x{:02x}", c)}};
    if (c == '\n') ++line;
    at += length;
  }
  return {};
}

Result<std::string> read_text_file(const std::string& path) {
  if (path.empty() || path.find('\0') != std::string::npos) return Diagnostic{path, 0, "", "not a file name"};
  std::error_code error;
  if (fs::status(path, error).type() == fs::file_type::not_found) return missing_file(path);
  Result<std::string> text = read_file_bytes(path, kMaxTextFileBytes);
  if (!text) return text;
  if (Diagnostics bad = check_text(*text, path); !bad.empty()) return bad;
  if (text->starts_with(kByteOrderMark)) text->erase(0, kByteOrderMark.size());
  return text;
}

std::string named_file(const std::string& from, const std::string& what, bool is_path) {
  const fs::path folder = fs::path(from).parent_path();
  const fs::path joined = folder / what.substr(0, what.rfind('@'));
  std::error_code ignored;
  const bool there = joined.string().find('\0') == std::string::npos && fs::is_regular_file(joined, ignored);
  return there || (is_path && !fs::path(what).is_absolute()) ? (folder / what).string() : what;
}

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
  return FileClaims::of_program().read(path).empty() ? bytes_left_in(path, most) : "";
}

std::string bytes_left_in(const std::string& path, std::size_t most) {
  if (!is_regular(path)) return "";
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (file < 0) return "";
  std::string bytes(most, '\0');
  const ssize_t count = ::read(file, bytes.data(), most);
  ::close(file);
  bytes.resize(count < 0 ? 0 : at(count));
  return bytes;
}

std::string append_text(const std::string& path, std::string_view text) {
  const int file = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
  if (file < 0) return std::strerror(errno);
  ssize_t count = 0;
  while (!text.empty() && (count >= 0 || errno == EINTR)) {
    count = ::write(file, text.data(), text.size());
    if (count > 0) text.remove_prefix(at(count));
  }
  const std::string problem = text.empty() ? "" : std::strerror(errno);
  ::close(file);
  return problem;
}

}  // namespace heliolite
