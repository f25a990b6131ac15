#include "engine/sweep/record_text.h"

#include <fmt/format.h>

#include "engine/base/text.h"

namespace heliolite {

std::string field_text(u64 field) { return fmt::format("{}", field); }
std::string field_text(double field) { return fmt::format("{}", field); }
std::string field_text(const std::optional<double>& field) { return field ? field_text(*field) : std::string(); }
std::string field_text(const std::string& field) { return field; }
std::string field_text(PointState field) { return std::string(name(field)); }
std::string field_text(const std::vector<std::string>& field) { return join(field); }

}  // namespace heliolite
