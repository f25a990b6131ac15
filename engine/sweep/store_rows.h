#pragma once
// Records as rows: the columns are the fields (record_fields.h); states are words, lists are JSON.
#include <string>

#include "engine/sweep/record_fields.h"
#include "engine/sweep/store_sql.h"

namespace heliolite {

// "id, state, parameter_values, ..", in the order of bind_record and read_record.
template <class Record>
std::string column_names() {
  std::string out;
  Record record;
  visit_fields(record, [&](const char* name, const auto&) { out += (out.empty() ? "" : ", ") + std::string(name); });
  return out;
}

// "INSERT <conflict> INTO <table> (..) VALUES (?, ..)".
template <class Record>
std::string insert_statement(const std::string& table, const std::string& conflict) {
  std::string places;
  Record record;
  visit_fields(record, [&](const char*, const auto&) { places += places.empty() ? "?" : ", ?"; });
  return "INSERT " + conflict + " INTO " + table + " (" + column_names<Record>() + ") VALUES (" + places + ")";
}

void bind_field(SqlStatement& statement, u64 field);
void bind_field(SqlStatement& statement, double field);
void bind_field(SqlStatement& statement, const std::string& field);
void bind_field(SqlStatement& statement, PointState field);
void bind_field(SqlStatement& statement, const std::vector<std::string>& field);

template <class Record>
void bind_record(SqlStatement& statement, const Record& record) {
  visit_fields(record, [&](const char*, const auto& field) { bind_field(statement, field); });
}

// False if the column holds something else than the program writes.
bool read_field(const SqlStatement& statement, int column, u64& field);
bool read_field(const SqlStatement& statement, int column, double& field);
bool read_field(const SqlStatement& statement, int column, std::string& field);
bool read_field(const SqlStatement& statement, int column, PointState& field);
bool read_field(const SqlStatement& statement, int column, std::vector<std::string>& field);

// The present row of a SELECT of column_names(); `path` is for the complaint.
template <class Record>
Result<Record> read_record(const SqlStatement& statement, const std::string& path) {
  Record out;
  int column = 0;
  Diagnostics errors;
  visit_fields(out, [&](const char* name, auto& field) {
    if (!read_field(statement, column++, field))
      errors.push_back({path, 0, name, "holds '" + statement.text(column - 1) + "': the database is damaged"});
  });
  if (!errors.empty()) return errors;
  return out;
}

}  // namespace heliolite
