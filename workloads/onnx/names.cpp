#include "workloads/onnx/names.h"

#include <fmt/format.h>

#include "engine/base/text.h"

namespace heliolite::onnx {

std::string LayerNames::next(std::string_view node_name) {
  constexpr std::size_t kLongest = 60;
  std::string name;
  for (const char c : node_name) {
    const bool plain = is_letter(c) || is_digit(c) || c == '.' || c == '-';
    if (name.empty() && (!plain || c == '_' || c == '-' || c == '.')) continue;
    if (name.size() == kLongest) break;
    name += plain ? c : '_';
  }
  if (name.empty()) name = "layer";
  const std::string wanted = name;
  for (int& count = used_[wanted]; used_.contains(name) && (name != wanted || count > 0);)
    name = fmt::format("{}_{}", wanted, ++count);
  ++used_[name];
  return name;
}

}  // namespace heliolite::onnx
