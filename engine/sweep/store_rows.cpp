#include "engine/sweep/store_rows.h"

#include <fmt/format.h>

#include <map>

namespace heliolite {
namespace {

// The tables were made in these editions: those of version 1 first without, then with `finished` in `runs`.
constexpr std::array<u64, 6> kVersionOfEdition{1, 1, 2, 3, 4, 5};
constexpr std::size_t kLast = kVersionOfEdition.size() - 1, kFirstWithChecksum = 3;

// A column that not all editions have alike: the first that has it, what stands for it in those before, and the
// default that it had before there were checksums.
struct ColumnHistory {
  const char *table, *name;
  std::size_t first;
  const char *before = "0", *old_default = "";
};

constexpr const char* kNow = " DEFAULT ((julianday('now') - 2440587.5) * 86400)";
constexpr ColumnHistory kHistories[]{{kTable<SweepRecord>, "rank", 4, "'layers'"},
                                     {kTable<SweepRecord>, "delay_unit", 4, "'cycles'"},
                                     {kTable<SweepRecord>, "reading", 5, "''"},
                                     {kTable<SweepRecord>, "notes", 5, "'[]'"},
                                     {kTable<PointRow>, "ns_per_cycle", 4, "NULL"},
                                     {kTable<PointRow>, "sum_of_layer_values", 4, "value"},
                                     {kTable<PointRow>, "words_moved", 2},
                                     {kTable<PointRow>, "least_words", 2},
                                     {kTable<PointRow>, "layers", 3},
                                     {kTable<PointRow>, "written", 0, "", kNow},
                                     {kTable<LayerRecord>, "words_moved", 2},
                                     {kTable<LayerRecord>, "least_words", 2},
                                     {kTable<RunRecord>, "started", 0, "", kNow},
                                     {kTable<RunRecord>, "finished", 1, "0", " DEFAULT 0"},
                                     {kTable<RunRecord>, "points_written", 3},
                                     {kTable<RunRecord>, "seconds", 3},
                                     {kTable<RunRecord>, "all_points", 3},
                                     {kTable<RunRecord>, "points_digest", 3},
                                     {kTable<RunRecord>, "all_layers", 3},
                                     {kTable<RunRecord>, "layers_digest", 3}};

ColumnHistory history_of(std::string_view table, std::string_view column) {
  for (const ColumnHistory& history : kHistories)
    if (table == history.table && column == history.name) return history;
  return {"", "", 0};
}

// "INTEGER NOT NULL" for the fields of this type.
template <class Field>
constexpr const char* column_type() {
  if constexpr (std::is_same_v<Field, u64> || std::is_same_v<Field, bool>) return "INTEGER NOT NULL";
  else if constexpr (std::is_same_v<Field, double>) return "REAL NOT NULL";
  else if constexpr (std::is_same_v<Field, std::optional<double>>) return "REAL";
  else return "TEXT NOT NULL";
}

// The keys come first: `id`, of layers `point` and `layer`; then in the large tables the checksum, which is last in the
// others.
template <class Row>
std::string table_statement(std::size_t edition) {
  constexpr bool kLayers = std::is_same_v<Row, LayerRecord>, kLarge = kLayers || std::is_same_v<Row, PointRow>;
  std::vector<std::string> lines;
  Row row;
  visit_fields(row, [&]<class Field>(const std::string& name, const Field&) {
    const ColumnHistory history = history_of(kTable<Row>, name);
    if (name == "id") lines.emplace_back("id INTEGER PRIMARY KEY");
    else if (history.first <= edition)
      lines.push_back(name + " " + column_type<Field>() + (edition < kFirstWithChecksum ? history.old_default : ""));
  });
  if (edition >= kFirstWithChecksum)
    lines.insert(kLarge ? lines.begin() + 1 + kLayers : lines.end(), "checksum INTEGER NOT NULL");
  if (kLayers) lines.emplace_back("PRIMARY KEY (point, layer)");
  return fmt::format("CREATE TABLE {} (\n  {}\n) STRICT", kTable<Row>, fmt::join(lines, ",\n  "));
}

// A name of SQL, between quotes.
std::string quoted(const std::string& name) {
  std::string out = "\"";
  for (const char c : name) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

// The points with a column for each parameter.
std::string points_view(u64 version, const std::vector<std::string>& parameters) {
  std::string columns;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    columns += fmt::format("json_extract(parameter_values, '$[{}]') AS {}, ", i, quoted(parameters[i]));
  const auto with = [&](const char* column, const char* text) {
    return version >= column_version(kTable<PointRow>, column) ? text : "";
  };
  return fmt::format(
      "CREATE VIEW design_points AS SELECT id, state, {}area_um2, compute_units, capacity_bytes, energy_pj, cycles, "
      "{}value, lower_bound, {}{}reason, datetime(written, 'unixepoch') AS written FROM points",
      columns, with("ns_per_cycle", "ns_per_cycle, "), with("sum_of_layer_values", "sum_of_layer_values, "),
      with("words_moved", "words_moved, least_words, "));
}

// What the table sqlite_master of a database lists, with the statements that made it: by name and type, for a trigger
// may have the name of a table.
using Schema = std::map<std::pair<std::string, std::string>, std::string>;

Schema schema_of(std::size_t edition, const std::vector<std::string>& parameters) {
  return {{{kTable<SweepRecord>, "table"}, table_statement<SweepRecord>(edition)},
          {{kTable<PointRow>, "table"}, table_statement<PointRow>(edition)},
          {{kTable<LayerRecord>, "table"}, table_statement<LayerRecord>(edition)},
          {{kTable<RunRecord>, "table"}, table_statement<RunRecord>(edition)},
          {{"layers_by_question", "index"}, kMakeQuestionIndex},
          {{"sqlite_autoindex_layers_1", "index"}, ""},  // SQLite's own, of the primary key
          {{"design_points", "view"}, points_view(kVersionOfEdition[edition], parameters)},
          {{"best_points", "view"},
           "CREATE VIEW best_points AS SELECT * FROM design_points WHERE state = 'done' ORDER BY value, id"}};
}

Result<Schema> read_schema(const SqlDatabase& database) {
  Result<SqlStatement> rows = database.prepare("SELECT name, type, sql FROM sqlite_master");
  if (!rows) return rows.errors();
  Schema out;
  Diagnostics errors = rows->each([&] { return out[{rows->text(0), rows->text(1)}] = rows->text(2), true; });
  return errors.empty() ? Result<Schema>(out) : errors;
}

// What of `there` is not of `ours`, in words; "" if they are equal. Without `views` our two are not looked at.
std::string schema_difference(Schema there, Schema ours, bool views) {
  for (Schema* schema : {&there, &ours})
    for (const char* view : {"design_points", "best_points"})
      if (!views) schema->erase({view, "view"});
  for (const auto& [key, statement] : there) {
    const auto own = ours.find(key);
    if (own == ours.end()) return fmt::format("the {} '{}' is none that a sweep makes", key.second, key.first);
    if (own->second != statement) return fmt::format("the {} '{}' is not as a sweep makes it", key.second, key.first);
  }
  for (const auto& [key, statement] : ours)
    if (!there.contains(key)) return fmt::format("the {} '{}' is missing", key.second, key.first);
  return "";
}

}  // namespace

std::vector<std::string> schema_statements(u64 version, const std::vector<std::string>& parameters) {
  std::size_t edition = kLast;
  while (kVersionOfEdition[edition] > version) --edition;
  const Schema schema = schema_of(edition, parameters);
  std::vector<std::string> out;
  for (const char* type : {"table", "index", "view"})
    for (const auto& [key, statement] : schema)
      if (key.second == type && !statement.empty()) out.push_back(statement);
  return out;
}

u64 column_version(std::string_view table, std::string_view column) {
  const std::size_t first = history_of(table, column).first;
  return first == 0 ? kOldestVersion : kVersionOfEdition[first - 1] + 1;
}

std::string column_before(std::string_view table, std::string_view column) { return history_of(table, column).before; }

Result<u64> recognise_tables(const SqlDatabase& database, const std::string& path) {
  const Result<u64> objects = database.number("SELECT count(*) FROM sqlite_master");
  const Result<u64> application = database.number("PRAGMA application_id");
  const Result<u64> version = database.number("PRAGMA user_version");
  for (const Result<u64>* number : {&objects, &application, &version})
    if (!*number) return number->errors();
  if (*objects == 0) return u64{0};
  if (*application != kApplicationId) return Diagnostic{path, 0, "", "is a SQLite database, but not one of a sweep"};
  if (*version < kOldestVersion || *version > kSchemaVersion)
    return Diagnostic{path, 0, "",
                      fmt::format("has tables of version {}, this program knows versions {} to {}: use the program "
                                  "that wrote it",
                                  *version, kOldestVersion, kSchemaVersion)};
  if (Diagnostics strange = check_schema(database, path, *version, nullptr); !strange.empty()) return strange;
  return version;
}

Diagnostics check_schema(const SqlDatabase& database, const std::string& path, u64 version,
                         const std::vector<std::string>* parameters) {
  const Result<Schema> there = read_schema(database);
  if (!there) return there.errors();
  std::string why;
  for (std::size_t edition = 0; edition <= kLast; ++edition) {
    if (kVersionOfEdition[edition] != version) continue;
    const Schema ours = schema_of(edition, parameters ? *parameters : std::vector<std::string>{});
    why = schema_difference(*there, ours, parameters != nullptr);
    if (why.empty()) return {};
  }
  return {{path, 0, "",
           fmt::format("its tables are not those of a sweep (version {}): {}; another program made or changed them, so "
                       "nothing in it is read or run: {}",
                       version, why, kRepair)}};
}

bool is_our_table(const SqlDatabase& database, std::string_view table) {
  const Result<Schema> there = read_schema(database);
  const std::pair<std::string, std::string> key(table, "table");
  return there && there->contains(key) && there->at(key) == schema_of(kLast, {}).at(key);
}

}  // namespace heliolite
