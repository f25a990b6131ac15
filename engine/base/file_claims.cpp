#include "engine/base/file_claims.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "engine/base/text.h"

namespace heliolite {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxLinks = 40;  // as Linux has it

using Status = struct stat;

FileIdentity identity(const Status& status) {
  return {status.st_dev, status.st_ino, "", true, S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode)};
}

fs::path folder_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

bool below_proc(const fs::path& path) {
  std::error_code problem;
  const fs::path folder = fs::canonical(folder_of(path), problem);
  return !problem && folder.string().starts_with("/proc/");
}

namespace fs = std::filesystem;

// What SQLite, the writer's lock and a merge put beside a database.
constexpr std::array kSideFiles{"-wal", "-shm", "-journal", ".lock", ".part", ".part-wal", ".part-shm"};

Diagnostics refuse(const std::string& option, std::string why) { return {{"", 0, option, std::move(why)}}; }

}  // namespace

std::string followed_path(const std::string& path) {
  fs::path at = path;
  std::error_code problem;
  for (int links = 0; links < kMaxLinks && !below_proc(at) && fs::is_symlink(at, problem); ++links) {
    const fs::path target = fs::read_symlink(at, problem);
    if (problem) return path;
    at = target.is_absolute() ? target : folder_of(at) / target;
  }
  return at.string();
}

std::optional<int> own_descriptor(const std::string& path) {
  const fs::path at = followed_path(path);
  std::error_code problem;
  const fs::path folder = fs::canonical(folder_of(at), problem);
  if (problem || folder != fmt::format("/proc/{}/fd", getpid())) return std::nullopt;
  const std::string name = at.filename().string();
  const std::optional<int> number = parse_number<int>(name);
  return number && *number >= 0 ? number : std::nullopt;
}

FileIdentity FileIdentity::of(const std::string& path) {
  Status status{};
  if (stat(path.c_str(), &status) == 0) return identity(status);
  const fs::path at = followed_path(path);
  if (!at.has_filename() || stat(folder_of(at).c_str(), &status) != 0) return {};
  return {status.st_dev, status.st_ino, at.filename().string(), true, true};
}

FileIdentity FileIdentity::of_descriptor(int descriptor) {
  Status status{};
  return fstat(descriptor, &status) == 0 ? identity(status) : FileIdentity{};
}

bool FileIdentity::clashes_with(const FileIdentity& other) const {
  return known && other.known && is_file && other.is_file && device == other.device && inode == other.inode &&
         name == other.name;
}

bool is_sqlite_file(const std::string& path) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return false;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  std::array<char, 16> bytes{};
  const std::size_t count = file ? std::fread(bytes.data(), 1, bytes.size(), file.get()) : 0;
  const std::string_view start(bytes.data(), count);
  // The header of a database, of a write-ahead log (either order of bytes) and of a rollback journal:
  // https://www.sqlite.org/fileformat.html
  for (const std::string_view magic :
       {std::string_view("SQLite format 3\0", 16), std::string_view("\x37\x7f\x06\x82"),
        std::string_view("\x37\x7f\x06\x83"), std::string_view("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7")})
    if (start.starts_with(magic)) return true;
  return false;
}

FileClaims& FileClaims::of_program() {
  static FileClaims claims;
  return claims;
}

std::string FileClaims::Claim::path() const {
  return descriptor ? fmt::format("/proc/self/fd/{}", *descriptor) : target;
}

FileIdentity FileClaims::Claim::identity() const {
  return descriptor ? FileIdentity::of_descriptor(*descriptor) : FileIdentity::of(target);
}

// Two descriptors are two streams, also when a shell directed both into one file.
bool FileClaims::Claim::clashes_with(const Claim& other) const {
  if (descriptor && other.descriptor) return *descriptor == *other.descriptor && !standard && !other.standard;
  return identity().clashes_with(other.identity());
}

Diagnostics FileClaims::problems(const Claim& claim) const {
  const std::string shown = claim.standard ? "it" : claim.target == "-" ? "standard output" : claim.target;
  for (const Claim& other : claims_) {
    if (other.option == claim.option || !claim.clashes_with(other)) continue;
    if (other.standard) return refuse(claim.option, fmt::format("{} is where {} goes", shown, other.option));
    return refuse(claim.option, fmt::format("{} takes one of {} and {}, choose another file for one of them", shown,
                                            other.option, claim.option));
  }
  const FileIdentity identity = claim.identity();
  for (const auto& [path, input] : inputs_) {
    // A name that meanwhile stands for something else is no input any more. Side files come and go.
    const FileIdentity now = FileIdentity::of(path);
    if (!now.clashes_with(identity) || (!input.database && !now.clashes_with(input.identity))) continue;
    return refuse(claim.option, fmt::format("{} is {}, which is read: choose another file", shown, path));
  }
  if (is_sqlite_file(claim.path()))
    return refuse(claim.option, fmt::format("{} is a database (SQLite), which would be lost: choose another file, or "
                                            "remove it first",
                                            shown));
  return {};
}

Diagnostics FileClaims::add(Claim claim) {
  const std::lock_guard lock(mutex_);
  if (Diagnostics errors = problems(claim); !errors.empty()) return errors;
  claims_.push_back(std::move(claim));
  return {};
}

Diagnostics FileClaims::claim_standard_streams() {
  Diagnostics errors = add({"standard output", "", STDOUT_FILENO, true});
  return errors.empty() ? add({"standard error", "", STDERR_FILENO, true}) : errors;
}

Diagnostics FileClaims::claim(const std::string& option, const std::string& target) {
  return add({option, target, target == "-" ? STDOUT_FILENO : own_descriptor(target), false});
}

Diagnostics FileClaims::recheck(std::string_view option) const {
  const std::lock_guard lock(mutex_);
  const auto claim = std::ranges::find(claims_, option, &Claim::option);
  return claim == claims_.end() ? Diagnostics{} : problems(*claim);
}

std::optional<std::string> FileClaims::target(std::string_view option) const {
  const std::lock_guard lock(mutex_);
  const auto claim = std::ranges::find(claims_, option, &Claim::option);
  return claim == claims_.end() ? std::nullopt : std::optional(claim->target);
}

bool FileClaims::takes_stdout() const {
  const std::lock_guard lock(mutex_);
  return std::ranges::find(claims_, "-", &Claim::target) != claims_.end();
}

Diagnostics FileClaims::read_as(const std::string& path, bool database) {
  const std::lock_guard lock(mutex_);
  const Input input{FileIdentity::of(path), database};
  for (const Claim& claim : claims_)
    if (input.identity.clashes_with(claim.identity()))
      return {{path, 0, "",
               fmt::format("is also where {} goes, which would overwrite it: choose another file", claim.option)}};
  inputs_.insert_or_assign(path, input);
  return {};
}

Diagnostics FileClaims::read(const std::string& path) { return read_as(path, false); }

Diagnostics FileClaims::use_database(const std::string& path) {
  if (Diagnostics errors = read_as(path, true); !errors.empty()) return errors;
  const std::string file = followed_path(path);
  for (const char* suffix : kSideFiles)
    if (Diagnostics errors = read_as(file + suffix, true); !errors.empty()) return errors;
  return {};
}

}  // namespace heliolite
