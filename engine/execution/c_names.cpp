#include "engine/execution/c_names.h"

#include <cctype>

namespace heliolite {

std::string CNames::unique(std::string_view name) {
  std::string text;
  for (const char c : name) text += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  // Names that begin with an underscore belong to the language.
  if (text.empty() || text.front() == '_' || std::isdigit(static_cast<unsigned char>(text.front())) != 0)
    text = "v" + text;
  // Neither the language, nor its headers, nor the emitted program have names that end so; letters alone are free, but
  // for those of the program.
  if (text.size() > 1 || taken_.contains(text)) text += '_';
  while (!taken_.insert(text).second) text += '_';
  return text;
}

}  // namespace heliolite
