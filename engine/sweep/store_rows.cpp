#include "engine/sweep/store_rows.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace heliolite {

using nlohmann::json;

void bind_field(SqlStatement& statement, u64 field) { statement.bind(field); }
void bind_field(SqlStatement& statement, double field) { statement.bind(field); }
void bind_field(SqlStatement& statement, const std::string& field) { statement.bind(field); }
void bind_field(SqlStatement& statement, PointState field) { statement.bind(name(field)); }

void bind_field(SqlStatement& statement, const std::vector<std::string>& field) {
  statement.bind(json(field).dump(-1, ' ', false, json::error_handler_t::replace));
}

bool read_field(const SqlStatement& statement, int column, u64& field) {
  field = statement.integer(column);
  return !statement.null(column);
}

bool read_field(const SqlStatement& statement, int column, double& field) {
  field = statement.real(column);
  return !statement.null(column);
}

bool read_field(const SqlStatement& statement, int column, std::string& field) {
  field = statement.text(column);
  return !statement.null(column);
}

bool read_field(const SqlStatement& statement, int column, PointState& field) {
  const auto found = std::ranges::find(kPointStateNames, statement.text(column));
  if (found == kPointStateNames.end()) return false;
  field = static_cast<PointState>(found - kPointStateNames.begin());
  return true;
}

bool read_field(const SqlStatement& statement, int column, std::vector<std::string>& field) {
  const json list = json::parse(statement.text(column), nullptr, false);
  if (!list.is_array()) return false;
  field.clear();
  for (const json& element : list) {
    if (!element.is_string()) return false;
    field.push_back(element.get<std::string>());
  }
  return true;
}

}  // namespace heliolite
