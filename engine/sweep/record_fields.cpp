#include "engine/sweep/record_fields.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/base/text.h"

namespace heliolite {

std::string field_text(u64 field) { return fmt::format("{}", field); }
std::string field_text(double field) { return fmt::format("{}", field); }
std::string field_text(const std::optional<double>& field) { return field ? field_text(*field) : std::string(); }
std::string field_text(const std::string& field) { return field; }
std::string field_text(PointState field) { return std::string(name(field)); }
std::string field_text(const std::vector<std::string>& field) { return join(field); }

std::string list_text(const std::vector<std::string>& list) {
  return nlohmann::json(list).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::optional<std::vector<std::string>> read_list(const std::string& text) {
  const nlohmann::json list = nlohmann::json::parse(text, nullptr, false);
  std::vector<std::string> out;
  for (const nlohmann::json& element : list) {
    if (!element.is_string()) return std::nullopt;
    out.push_back(element.get<std::string>());
  }
  return list.is_array() ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace heliolite
