#include "engine/base/file_identity.h"
#include "engine/base/parse_number.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

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

}  // namespace heliolite
