#include "engine/verify/line_reader.h"

#include <filesystem>

#include "engine/base/file_claims.h"
#include "engine/base/text.h"

namespace heliolite {

bool LineReader::next(std::string& line) {
  line.clear();
  std::streambuf* buffer = stream_.rdbuf();
  for (int c = buffer->sbumpc(); c != std::char_traits<char>::eof(); c = buffer->sbumpc()) {
    if (c == '\n') return true;
    if (line.size() == kMaxLineBytes) {
      too_long_ = true;
      return true;
    }
    line += static_cast<char>(c);
  }
  return !line.empty();
}

Diagnostics for_each_line(const std::string& path, const std::function<bool(const std::string&, int)>& line) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return {{path, 0, "", "is a directory, not a file of records"}};
  // Records name machines and workloads beside their file; a pipe has nothing beside it, and is read only once.
  if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored))
    return {{path, 0, "", "is no regular file: records name files beside theirs"}};
  if (Diagnostics taken = FileClaims::of_program().read(path); !taken.empty()) return taken;
  LineReader lines(path);
  if (!lines.is_open()) return {{path, 0, "", "cannot be read: no such file, or no permission"}};
  std::string text;
  for (int number = 1; lines.next(text); ++number) {
    if (lines.too_long()) return {{path, number, "", "is not a file of records: a line of more than 16 MiB"}};
    if (!trim(text).empty() && !line(text, number)) break;
  }
  return {};
}

}  // namespace heliolite
