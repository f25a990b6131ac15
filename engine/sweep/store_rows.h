#pragma once
// Rows of the tables: the columns are the fields (record_fields.h); states are words, lists are JSON. Each row has a
// checksum of its fields, its table and the sweep's question, so that a row that was damaged, changed by hand or taken
// from elsewhere does not pass.
#include <optional>
#include <string>
#include <string_view>

#include "engine/sweep/record_fields.h"
#include "engine/sweep/store_schema.h"
#include "engine/sweep/store_sql.h"

namespace heliolite {

// A design point as it is stored.
struct PointRow {
  PointRecord record;
  u64 layers = 0;      // rows of its layers
  double written = 0;  // seconds since 1970, as the clock of the machine said
};

void visit_fields(RecordOf<PointRow> auto& row, auto&& visit) {
  visit_fields(row.record, visit);
  visit("layers", row.layers);
  visit("written", row.written);
}

template <class Row>
inline constexpr const char* kTable = nullptr;
template <>
inline constexpr const char* kTable<PointRow> = "points";
template <>
inline constexpr const char* kTable<LayerRecord> = "layers";
template <>
inline constexpr const char* kTable<SweepRecord> = "sweep";
template <>
inline constexpr const char* kTable<RunRecord> = "runs";

// The name of a row in complaints: "points, id 7".
inline std::string row_place(const PointRow& row) { return "points, id " + std::to_string(row.record.id); }
inline std::string row_place(const LayerRecord& row) {
  return "layers, point " + std::to_string(row.point) + ", layer " + std::to_string(row.layer);
}
inline std::string row_place(const SweepRecord&) { return "sweep"; }
inline std::string row_place(const RunRecord& row) { return "runs, id " + std::to_string(row.id); }

// "SELECT id, state, .., checksum FROM points <rest>"; in tables of an older version column_before() stands for columns
// that are missing.
template <class Row>
std::string select_statement(u64 version, const std::string& rest) {
  std::string columns;
  Row row;
  visit_fields(row, [&](const char* name, const auto&) {
    columns += (column_version(kTable<Row>, name) > version ? column_before(kTable<Row>, name) : name) + ", ";
  });
  return "SELECT " + columns + (version >= kChecksumVersion ? "checksum" : "0") + " FROM " + kTable<Row> + " " + rest;
}

// "INSERT <conflict> INTO <table> (.., checksum) VALUES (?, ..)".
template <class Row>
std::string insert_statement(const std::string& conflict) {
  std::string columns, places;
  Row row;
  visit_fields(row, [&](const char* name, const auto&) {
    columns += std::string(name) + ", ";
    places += "?, ";
  });
  return "INSERT " + conflict + " INTO " + kTable<Row> + " (" + columns + "checksum) VALUES (" + places + "?)";
}

// Appends a field to the bytes of which a checksum is made.
void append_bytes(std::string& bytes, u64 field);
void append_bytes(std::string& bytes, double field);
void append_bytes(std::string& bytes, bool field);
void append_bytes(std::string& bytes, const std::string& field);
void append_bytes(std::string& bytes, PointState field);
void append_bytes(std::string& bytes, const std::vector<std::string>& field);
void append_bytes(std::string& bytes, const std::optional<double>& field);
u64 checksum_of(const std::string& bytes);

// The checksum of a row in the database of the sweep with this question. A change within one byte always changes it; of
// other changes one in 2^64 does not. Fields that tables of this version do not have are no part of it.
template <class Row>
u64 row_sum(const std::string& question, const Row& row, u64 version = kSchemaVersion) {
  std::string bytes;
  append_bytes(bytes, std::string(kTable<Row>));
  append_bytes(bytes, question);
  visit_fields(row, [&](const char* name, const auto& field) {
    if (version == kSchemaVersion || column_version(kTable<Row>, name) <= version) append_bytes(bytes, field);
  });
  return checksum_of(bytes);
}

// Binds a field to the next ? of a statement.
void bind_field(SqlStatement& statement, u64 field);
void bind_field(SqlStatement& statement, double field);
void bind_field(SqlStatement& statement, bool field);
void bind_field(SqlStatement& statement, const std::string& field);
void bind_field(SqlStatement& statement, PointState field);
void bind_field(SqlStatement& statement, const std::vector<std::string>& field);
void bind_field(SqlStatement& statement, const std::optional<double>& field);

template <class Row>
void bind_row(SqlStatement& statement, const Row& row, u64 checksum) {
  visit_fields(row, [&](const char*, const auto& field) { bind_field(statement, field); });
  statement.bind(checksum);
}

// Reads a column of the present row. Returns false if it holds something that the program does not write there.
bool read_field(const SqlStatement& statement, int column, u64& field);
bool read_field(const SqlStatement& statement, int column, double& field);
bool read_field(const SqlStatement& statement, int column, bool& field);
bool read_field(const SqlStatement& statement, int column, std::string& field);
bool read_field(const SqlStatement& statement, int column, PointState& field);
bool read_field(const SqlStatement& statement, int column, std::vector<std::string>& field);
bool read_field(const SqlStatement& statement, int column, std::optional<double>& field);

// Advice at the end of a complaint about a damaged row.
inline constexpr const char* kRepair = "restore a copy, or search it again with heliolite sweep FILE --resume --repair";

// A row with its checksum.
template <class Row>
struct SummedRow {
  Row row;
  u64 checksum = 0;
};

// Reads the present row of a select_statement() from tables of this version. Errors name `path` and say how the row
// differs from what was written. `question`: of the sweep; for the row of the sweep itself its own.
template <class Row>
Result<SummedRow<Row>> read_row(const SqlStatement& statement, u64 version, const std::string& question,
                                const std::string& path) {
  SummedRow<Row> out;
  int column = 0;
  std::vector<std::pair<std::string, std::string>> wrong;  // fields, with what they hold
  visit_fields(out.row, [&](const char* name, auto& field) {
    if (!read_field(statement, column++, field)) wrong.emplace_back(name, statement.text(column - 1));
  });
  out.checksum = statement.integer(column);
  Diagnostics errors;
  for (const auto& [name, text] : wrong)
    errors.push_back(
        {path, 0, row_place(out.row) + ", " + name, "holds '" + text + "', the row is damaged: " + kRepair});
  if (!errors.empty()) return errors;
  if (version >= kChecksumVersion && row_sum(question, out.row, version) != out.checksum)
    return Diagnostic{path, 0, row_place(out.row),
                      std::string("the row is damaged, it does not fit its checksum: ") + kRepair};
  return out;
}

}  // namespace heliolite
