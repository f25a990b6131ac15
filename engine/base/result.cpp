#include "engine/base/result.h"

#include <fmt/format.h>
#include <algorithm>
#include <string_view>

#include "engine/base/text.h"

namespace heliolite {
namespace {

// Long paths are legitimate, long names in them are not.
std::string file_text(std::string_view file) {
  std::string out;
  for (std::size_t at = 0; at <= file.size();) {
    const std::size_t end = std::min(file.find('/', at), file.size());
    out += shortened(file.substr(at, end - at));
    if (end < file.size()) out += '/';
    at = end + 1;
  }
  return out;
}

}  // namespace

std::string Diagnostic::to_string() const {
  std::string out;
  if (!file.empty()) out += line > 0 ? fmt::format("{}:{}: ", file_text(file), line) : file_text(file) + ": ";
  if (!field.empty()) out += shortened(field) + ": ";
  return out + readable(message);
}

std::string to_string(const Diagnostics& diagnostics) {
  std::string out;
  for (const Diagnostic& d : diagnostics) {
    if (!out.empty()) out += '\n';
    out += d.to_string();
  }
  return out;
}

}  // namespace heliolite
