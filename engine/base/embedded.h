#pragma once
// Data files that are compiled into the binary.
#include <span>
#include <string_view>

namespace heliolite {

// A data file compiled into the binary (cmake/Embed.cmake), so that a preset needs no search path.
struct EmbeddedFile {
  std::string_view name;  // file name without folder, "eyeriss.yaml"
  std::string_view text;
};

}  // namespace heliolite
