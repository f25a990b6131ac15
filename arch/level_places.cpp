#include "arch/level_places.h"

#include <fmt/format.h>

#include "arch/load.h"
#include "engine/base/text.h"

namespace heliolite {

std::string level_field(std::string_view level, std::string_view part) {
  return fmt::format("level '{}', {}", level, part);
}

Diagnostics at_their_levels(Diagnostics errors, const std::string& machine) {
  const std::vector<std::string> files = split(machine, ',');
  for (const std::string& file : files) {
    const Result<ArchitectureSpec> spec = load_architecture_spec(file);
    if (!spec) continue;  // reference tables, or Timeloop's
    for (Diagnostic& error : errors)
      for (const LevelSpec& level : spec->levels)
        if (error.file.empty() && error.field.starts_with(level_field(level.name, ""))) {
          error.file = level.place.file;
          error.line = level.place.line;
        }
  }
  for (Diagnostic& error : errors)
    if (error.file.empty() && !files.empty() && error.field.starts_with("level '")) error.file = files.front();
  return errors;
}

}  // namespace heliolite
