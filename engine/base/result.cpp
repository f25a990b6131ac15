#include "engine/base/result.h"

#include <fmt/format.h>

namespace heliolite {

std::string Diagnostic::to_string() const {
  std::string out;
  if (!file.empty()) out += line > 0 ? fmt::format("{}:{}: ", file, line) : file + ": ";
  if (!field.empty()) out += field + ": ";
  return out + message;
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
