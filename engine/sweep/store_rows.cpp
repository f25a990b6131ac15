#include "engine/sweep/store_rows.h"

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>

#include "engine/model/fingerprint.h"

namespace heliolite {
namespace {

using nlohmann::json;

std::string list_text(const std::vector<std::string>& list) {
  return json(list).dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

void append_bytes(std::string& bytes, u64 field) {
  for (int shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(field >> shift);
}

void append_bytes(std::string& bytes, double field) {
  append_bytes(bytes, std::bit_cast<u64>(field + 0.0));  // SQLite does not tell -0 from 0
}

void append_bytes(std::string& bytes, bool field) { append_bytes(bytes, u64{field}); }

void append_bytes(std::string& bytes, const std::string& field) {
  append_bytes(bytes, u64{field.size()});
  bytes += field;
}

void append_bytes(std::string& bytes, PointState field) { append_bytes(bytes, static_cast<u64>(field)); }

void append_bytes(std::string& bytes, const std::vector<std::string>& field) { append_bytes(bytes, list_text(field)); }

void append_bytes(std::string& bytes, const std::optional<double>& field) {
  append_bytes(bytes, field.has_value());
  append_bytes(bytes, field.value_or(0));
}

u64 checksum_of(const std::string& bytes) { return fingerprint(bytes); }

void bind_field(SqlStatement& statement, u64 field) { statement.bind(field); }
void bind_field(SqlStatement& statement, double field) { statement.bind(field); }
void bind_field(SqlStatement& statement, bool field) { statement.bind(u64{field}); }
void bind_field(SqlStatement& statement, const std::string& field) { statement.bind(field); }
void bind_field(SqlStatement& statement, PointState field) { statement.bind(name(field)); }

void bind_field(SqlStatement& statement, const std::vector<std::string>& field) { statement.bind(list_text(field)); }

void bind_field(SqlStatement& statement, const std::optional<double>& field) {
  if (field) statement.bind(*field);
  else statement.bind_null();
}

bool read_field(const SqlStatement& statement, int column, u64& field) {
  field = statement.integer(column);
  return !statement.null(column);
}

bool read_field(const SqlStatement& statement, int column, double& field) {
  field = statement.real(column);
  return !statement.null(column);
}

bool read_field(const SqlStatement& statement, int column, bool& field) {
  const u64 number = statement.integer(column);
  field = number == 1;
  return !statement.null(column) && number <= 1;
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

bool read_field(const SqlStatement& statement, int column, std::optional<double>& field) {
  field = statement.null(column) ? std::nullopt : std::optional(statement.real(column));
  return true;
}

}  // namespace heliolite
