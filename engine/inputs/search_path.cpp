#include "engine/inputs/search_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "engine/base/result.h"
#include "engine/base/text.h"

namespace heliolite {
namespace {

namespace fs = std::filesystem;

// Whether the name is the pattern, in which '*' is any text.
bool matches(std::string_view name, std::string_view pattern) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return name == pattern;
  if (!name.starts_with(pattern.substr(0, star))) return false;
  const std::string_view rest = pattern.substr(star + 1);
  for (std::size_t at = star; at <= name.size(); ++at)
    if (matches(name.substr(at), rest)) return true;
  return false;
}

std::vector<std::string> files_like(const fs::path& path) {
  std::vector<std::string> files;
  std::error_code error;
  const fs::path folder = path.parent_path();
  for (fs::directory_iterator it(folder.empty() ? "." : folder, error), end; !error && it != end; it.increment(error))
    if (it->is_regular_file(error) && matches(it->path().filename().string(), path.filename().string()))
      files.push_back((folder / it->path().filename()).string());
  std::ranges::sort(files);
  return files;
}

}  // namespace

SearchPath::SearchPath(const std::string& file, std::vector<std::string> added)
    : folder_(fs::path(file).parent_path().string()), added_(std::move(added)) {}

std::string SearchPath::absolute_folder() const {
  std::error_code error;
  const fs::path absolute = fs::absolute(folder_.empty() ? "." : folder_, error);
  return error ? folder_ : absolute.lexically_normal().string();
}

std::vector<std::string> SearchPath::passed_on() const {
  std::vector<std::string> folders = added_;
  const std::string own = folder_.empty() ? "." : folder_;
  if (std::ranges::find(folders, own) == folders.end()) folders.push_back(own);
  return folders;
}

std::vector<std::string> SearchPath::candidates(const std::string& name) const {
  if (name.empty() || name.find('\0') != std::string::npos) return {};
  if (fs::path(name).is_absolute()) return {name};
  std::vector<std::string> paths{(fs::path(folder_) / name).lexically_normal().string()};
  for (const std::string& folder : added_) paths.push_back((fs::path(folder) / name).lexically_normal().string());
  return paths;
}

Result<std::vector<std::string>> SearchPath::find(const std::string& name) const {
  const bool pattern = std::ranges::count(fs::path(name).filename().string(), '*') > 0;
  std::vector<std::string> found;
  const std::vector<std::string> paths = candidates(name);
  for (const std::string& path : paths) {
    std::error_code error;
    if (pattern) {
      for (std::string& file : files_like(path))
        if (std::ranges::find(found, file) == found.end()) found.push_back(std::move(file));
    } else if (found.empty() && fs::exists(path, error)) {
      found.push_back(path);
    }
  }
  if (!found.empty()) return found;
  return Diagnostic{"", 0, "",
                    fmt::format("there is no file '{}'{}", shortened(name),
                                paths.empty() ? "" : "; looked for " + join(paths, "and"))};
}

bool SearchPath::exists(const std::string& name) const { return find(name).ok(); }

}  // namespace heliolite
