#pragma once
// The tables of a results database (docs/results.md), in all versions that can still be read. The columns are the
// fields (records.h); states are words, lists are JSON. Each row has a checksum of its fields, its table and the
// sweep's question, so that a row that was damaged, changed by hand or taken from elsewhere does not pass. A database
// whose tables, indices, views or triggers differ from these in one letter is none of ours: a view in place of a table
// may never end, a trigger may delete what is written.
#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/base/named.h"
#include "engine/model/fingerprint.h"
#include "engine/sweep/records.h"
#include "engine/sweep/store_sql.h"

namespace heliolite {

inline constexpr u64 kApplicationId = 0x48656c69;  // "Heli"; tells a results database from other SQLite files
inline constexpr u64 kSchemaVersion = 5;           // PRAGMA user_version; a change of the tables is a new one
inline constexpr u64 kOldestVersion = 1;           // the oldest version that can still be read
inline constexpr u64 kChecksumVersion = 3;         // since this one rows have checksums

// The index by which an answer to an equal question is found.
inline constexpr const char* kMakeQuestionIndex = "CREATE INDEX layers_by_question ON layers (question)";
inline constexpr const char* kDropQuestionIndex = "DROP INDEX layers_by_question";

// The statements that make the tables of a version, and the views of a sweep with these parameters.
std::vector<std::string> schema_statements(u64 version, const std::vector<std::string>& parameters);

// The version from which on all tables have the column, and what SQL takes for it in older ones.
u64 column_version(std::string_view table, std::string_view column);
std::string column_before(std::string_view table, std::string_view column);

// The version of the tables if they are to the letter those of a sweep, 0 for a database without any table; the views
// are not looked at. Errors name what is not ours.
Result<u64> recognise_tables(const SqlDatabase& database, const std::string& path);

// A complaint about the first table, index, trigger or view that a sweep of this version with these parameters does not
// make; null: its own views are not looked at.
Diagnostics check_schema(const SqlDatabase& database, const std::string& path, u64 version,
                         const std::vector<std::string>* parameters);

// Whether there is such a table and it is to the letter that of the present version.
bool is_our_table(const SqlDatabase& database, std::string_view table);

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
inline constexpr const char* kTable = std::is_same_v<Row, PointRow>      ? "points"
                                      : std::is_same_v<Row, LayerRecord> ? "layers"
                                      : std::is_same_v<Row, SweepRecord> ? "sweep"
                                                                         : "runs";

// The name of a row in complaints: "points, id 7".
template <class Row>
std::string row_place(const Row& row) {
  if constexpr (std::is_same_v<Row, PointRow>) return "points, id " + std::to_string(row.record.id);
  else if constexpr (std::is_same_v<Row, RunRecord>) return "runs, id " + std::to_string(row.id);
  else if constexpr (std::is_same_v<Row, SweepRecord>) return "sweep";
  else return "layers, point " + std::to_string(row.point) + ", layer " + std::to_string(row.layer);
}

// "SELECT id, state, .., checksum FROM points <rest>"; in tables of an older version column_before() stands for columns
// that are missing.
template <class Row>
std::string select_statement(u64 version, const std::string& rest) {
  std::string columns;
  Row row;
  visit_fields(row, [&](const char* name, const auto&) {
    const bool there = version == kSchemaVersion || column_version(kTable<Row>, name) <= version;
    columns += (there ? name : column_before(kTable<Row>, name)) + ", ";
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
template <class Field>
void append_bytes(std::string& bytes, const Field& field) {
  if constexpr (std::is_same_v<Field, std::string>) {
    append_bytes(bytes, u64{field.size()});
    bytes += field;
  } else if constexpr (std::is_same_v<Field, std::vector<std::string>>) {
    append_bytes(bytes, list_text(field));
  } else if constexpr (std::is_same_v<Field, std::optional<double>>) {
    append_bytes(bytes, field.has_value());
    append_bytes(bytes, field.value_or(0));
  } else if constexpr (std::is_same_v<Field, double>) {
    append_bytes(bytes, std::bit_cast<u64>(field + 0.0));  // SQLite does not tell -0 from 0
  } else {
    std::array<char, sizeof(u64)> own;  // the lowest first, on every machine
    for (std::size_t k = 0; k < own.size(); ++k) own[k] = static_cast<char>(static_cast<u64>(field) >> (8 * k));
    bytes.append(own.data(), own.size());
  }
}

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
  return fingerprint(bytes);
}

// Binds the fields of a row and its checksum to the ?s of an insert_statement().
template <class Row>
void bind_row(SqlStatement& statement, const Row& row, u64 checksum) {
  visit_fields(row, [&]<class Field>(const char*, const Field& field) {
    if constexpr (std::is_same_v<Field, std::vector<std::string>>) statement.bind(list_text(field));
    else if constexpr (std::is_same_v<Field, PointState>) statement.bind(name(field));
    else if constexpr (std::is_same_v<Field, bool>) statement.bind(u64{field});
    else if constexpr (!std::is_same_v<Field, std::optional<double>>) statement.bind(field);
    else field ? statement.bind(*field) : statement.bind_null();
  });
  statement.bind(checksum);
}

// Reads a column of the present row. Returns false if it holds something that the program does not write there.
template <class Field>
bool read_field(const SqlStatement& statement, int column, Field& field) {
  const bool null = statement.null(column);
  if constexpr (std::is_same_v<Field, u64>) {
    field = statement.integer(column);
  } else if constexpr (std::is_same_v<Field, double>) {
    field = statement.real(column);
  } else if constexpr (std::is_same_v<Field, std::string>) {
    field = statement.text(column);
  } else if constexpr (std::is_same_v<Field, bool>) {
    field = statement.integer(column) == 1;
    return !null && statement.integer(column) <= 1;
  } else if constexpr (std::is_same_v<Field, std::optional<double>>) {
    field = null ? std::nullopt : std::optional(statement.real(column));
    return true;
  } else if constexpr (std::is_same_v<Field, PointState>) {
    const std::optional<PointState> state = find_named<PointState>(kPointStateNames, statement.text(column));
    if (!state) return false;
    field = *state;
  } else {
    const std::optional<std::vector<std::string>> list = read_list(statement.text(column));
    if (!list) return false;
    field = *list;
  }
  return !null;
}

// Advice at the end of a complaint about a damaged row.
inline constexpr const char* kRepair = "restore a copy, or search it again with heliolite sweep FILE --resume --repair";

// "<why>, it is damaged: <advice>".
inline Diagnostic damaged(const std::string& path, std::string place, const std::string& why) {
  return {path, 0, std::move(place), why + ", it is damaged: " + kRepair};
}

// A row with its checksum.
template <class Row>
struct SummedRow {
  Row row;
  u64 checksum = 0;
};

// Reads the present row of a select_statement() from tables of this version. Errors name `path` and say how the row
// differs from what was written. `question`: of the sweep; the row of the sweep itself has its own.
template <class Row>
Result<SummedRow<Row>> read_row(const SqlStatement& statement, u64 version, std::string question,
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
    errors.push_back(damaged(path, row_place(out.row) + ", " + name, "holds '" + text + "'"));
  if (!errors.empty()) return errors;
  if constexpr (std::is_same_v<Row, SweepRecord>) question = out.row.question;
  if (version >= kChecksumVersion && row_sum(question, out.row, version) != out.checksum)
    return Diagnostic{path, 0, row_place(out.row),
                      std::string("the row is damaged, it does not fit its checksum: ") + kRepair};
  return out;
}

}  // namespace heliolite
