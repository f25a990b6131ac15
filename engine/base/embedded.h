#pragma once
// Data files that are compiled into the binary.
#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heliolite {

// A data file compiled into the binary (cmake/Embed.cmake), so that a preset needs no search path.
struct EmbeddedFile {
  std::string_view name;  // file name without folder, "eyeriss.yaml"
  std::string_view text;
};

inline constexpr std::string_view kPresetSuffix = ".yaml";

// The names of the presets among the files, sorted: those of the files without ".yaml".
inline std::vector<std::string> preset_names(std::span<const EmbeddedFile> files) {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : files)
    if (file.name.ends_with(kPresetSuffix))
      names.emplace_back(file.name.substr(0, file.name.size() - kPresetSuffix.size()));
  std::ranges::sort(names);
  return names;
}

// The text of the preset `name`; none: there is no such preset.
inline std::optional<std::string_view> preset_text(std::span<const EmbeddedFile> files, std::string_view name) {
  for (const EmbeddedFile& file : files)
    if (file.name.ends_with(kPresetSuffix) && file.name.substr(0, file.name.size() - kPresetSuffix.size()) == name)
      return file.text;
  return std::nullopt;
}

}  // namespace heliolite
