#include "engine/base/text_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "engine/base/file_bytes.h"
#include "engine/base/shortened.h"
#include "engine/base/text.h"
#include "engine/base/types.h"

namespace heliolite {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

Diagnostic missing_file(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  std::error_code error;
  if (!folder.empty() && !fs::is_directory(folder, error)) {
    return {path, 0, "", fmt::format("no such file (there is no folder '{}')", folder.string())};
  }
  std::vector<std::string> names;
  for (fs::directory_iterator it(folder.empty() ? "." : folder, error), end; !error && it != end; it.increment(error)) {
    names.push_back(it->path().filename().string());
  }
  std::ranges::sort(names);
  return {path, 0, "", "no such file" + did_you_mean(fs::path(path).filename().string(), names)};
}

}  // namespace

Diagnostics check_text(std::string_view text, const std::string& name) {
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
    return {{name, 1, "", "is text in UTF-16; save it as UTF-8"}};
  int line = 1;
  for (std::size_t at = 0; at < text.size();) {
    const u8 c = static_cast<u8>(text[at]);
    const std::size_t length = code_point(text.substr(at)).bytes;
    if (length == 0) {
      return {{name, line, "", fmt::format("not a text file: byte 0x{:02x} is not valid UTF-8", c)}};
    }
    if (is_control(text[at])) {
      return {{name, line, "", fmt::format("not a text file: it contains the control character 0x{:02x}", c)}};
    }
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

}  // namespace heliolite
