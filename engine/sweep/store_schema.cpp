#include "engine/sweep/store_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "engine/base/text.h"
#include "engine/sweep/store_rows.h"
#include "engine/sweep/store_sql.h"

namespace heliolite {
namespace {

// The tables were made in these editions: those of version 1 first without, then with `finished` in `runs`.
constexpr std::array<u64, 6> kVersionOfEdition{1, 1, 2, 3, 4, 5};
constexpr std::size_t kLast = kVersionOfEdition.size() - 1;

// A line of a table's definition, with the editions that have it and what stands for its column in those before.
struct Line {
  const char* text;
  std::size_t first = 0, last = kLast;
  const char* before = "0";
};

constexpr Line kSweepLines[]{{"name TEXT NOT NULL"},
                             {"question TEXT NOT NULL"},
                             {"text TEXT NOT NULL"},
                             {"version TEXT NOT NULL"},
                             {"objective TEXT NOT NULL"},
                             {"strategy TEXT NOT NULL"},
                             {"goal TEXT NOT NULL"},
                             {"rank TEXT NOT NULL", 4, kLast, "'layers'"},
                             {"delay_unit TEXT NOT NULL", 4, kLast, "'cycles'"},
                             {"grid_points INTEGER NOT NULL"},
                             {"planned_points INTEGER NOT NULL"},
                             {"shard_points INTEGER NOT NULL"},
                             {"shard INTEGER NOT NULL"},
                             {"shards INTEGER NOT NULL"},
                             {"parameters TEXT NOT NULL"},
                             {"reading TEXT NOT NULL", 5, kLast, "''"},
                             {"notes TEXT NOT NULL", 5, kLast, "'[]'"},
                             {"checksum INTEGER NOT NULL", 3}};

constexpr Line kPointLines[]{{"id INTEGER PRIMARY KEY"},
                             {"checksum INTEGER NOT NULL", 3},
                             {"state TEXT NOT NULL"},
                             {"parameter_values TEXT NOT NULL"},
                             {"area_um2 REAL NOT NULL"},
                             {"compute_units INTEGER NOT NULL"},
                             {"capacity_bytes REAL NOT NULL"},
                             {"energy_pj REAL NOT NULL"},
                             {"cycles REAL NOT NULL"},
                             {"ns_per_cycle REAL", 4, kLast, "NULL"},
                             {"value REAL NOT NULL"},
                             {"lower_bound REAL NOT NULL"},
                             {"sum_of_layer_values REAL NOT NULL", 4, kLast, "value"},
                             {"words_moved REAL NOT NULL", 2},
                             {"least_words REAL NOT NULL", 2},
                             {"reason TEXT NOT NULL"},
                             {"layers INTEGER NOT NULL", 3},
                             {"written REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400)", 0, 2},
                             {"written REAL NOT NULL", 3}};

constexpr Line kLayerLines[]{{"point INTEGER NOT NULL"},
                             {"layer INTEGER NOT NULL"},
                             {"checksum INTEGER NOT NULL", 3},
                             {"workload TEXT NOT NULL"},
                             {"name TEXT NOT NULL"},
                             {"count INTEGER NOT NULL"},
                             {"weight REAL NOT NULL"},
                             {"question TEXT NOT NULL"},
                             {"status TEXT NOT NULL"},
                             {"energy_pj REAL NOT NULL"},
                             {"cycles REAL NOT NULL"},
                             {"value REAL NOT NULL"},
                             {"lower_bound REAL NOT NULL"},
                             {"words_moved INTEGER NOT NULL", 2},
                             {"least_words INTEGER NOT NULL", 2},
                             {"utilization REAL NOT NULL"},
                             {"evaluated INTEGER NOT NULL"},
                             {"mapping TEXT NOT NULL"},
                             {"breakdown TEXT NOT NULL"},
                             {"reason TEXT NOT NULL"},
                             {"seconds REAL NOT NULL"},
                             {"PRIMARY KEY (point, layer)"}};

constexpr Line kRunLines[]{{"id INTEGER PRIMARY KEY"},
                           {"started REAL NOT NULL DEFAULT ((julianday('now') - 2440587.5) * 86400)", 0, 2},
                           {"started REAL NOT NULL", 3},
                           {"ended REAL"},
                           {"finished INTEGER NOT NULL DEFAULT 0", 1, 2},
                           {"finished INTEGER NOT NULL", 3},
                           {"writer TEXT NOT NULL"},
                           {"points_written INTEGER NOT NULL", 3},
                           {"seconds REAL NOT NULL", 3},
                           {"all_points INTEGER NOT NULL", 3},
                           {"points_digest INTEGER NOT NULL", 3},
                           {"all_layers INTEGER NOT NULL", 3},
                           {"layers_digest INTEGER NOT NULL", 3},
                           {"checksum INTEGER NOT NULL", 3}};

struct TableLines {
  const char* name;
  std::span<const Line> lines;
};

constexpr TableLines kTables[]{
    {kTable<SweepRecord>, kSweepLines},
    {kTable<PointRow>, kPointLines},
    {kTable<LayerRecord>, kLayerLines},
    {kTable<RunRecord>, kRunLines},
};

constexpr const char* kIndex = "layers_by_question";
constexpr const char* kIndexStatement = "CREATE INDEX layers_by_question ON layers (question)";
constexpr const char* kKeyIndex = "sqlite_autoindex_layers_1";  // SQLite's own, of the primary key
constexpr const char* kPointsView = "design_points";
constexpr const char* kBestView = "best_points";

bool has(std::size_t edition, const Line& line) { return line.first <= edition && edition <= line.last; }

std::string table_statement(const TableLines& table, std::size_t edition) {
  std::vector<std::string> lines;
  for (const Line& line : table.lines)
    if (has(edition, line)) lines.emplace_back(line.text);
  return fmt::format("CREATE TABLE {} (\n  {}\n) STRICT", table.name, fmt::join(lines, ",\n  "));
}

// The lines that a column has in the editions of a table.
std::vector<Line> column_lines(std::string_view table, std::string_view column) {
  std::vector<Line> out;
  for (const TableLines& lines : kTables)
    for (const Line& line : lines.lines) {
      const std::string_view text = line.text;
      if (table == lines.name && text.starts_with(column) && text.substr(column.size()).starts_with(' '))
        out.push_back(line);
    }
  return out;
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

constexpr const char* kBestStatement =
    "CREATE VIEW best_points AS SELECT * FROM design_points WHERE state = 'done' ORDER BY value, id";

// The objects of a database, as its table sqlite_master lists them: by name and type, for a trigger may have the name
// of a table.
struct SchemaObject {
  std::string table, sql;

  bool operator==(const SchemaObject&) const = default;
};
using Schema = std::map<std::pair<std::string, std::string>, SchemaObject>;

Schema tables_of(std::size_t edition) {
  Schema out;
  for (const TableLines& table : kTables) out[{table.name, "table"}] = {table.name, table_statement(table, edition)};
  out[{kIndex, "index"}] = {kTable<LayerRecord>, kIndexStatement};
  out[{kKeyIndex, "index"}] = {kTable<LayerRecord>, ""};
  return out;
}

Schema views_of(u64 version, const std::vector<std::string>& parameters) {
  return {{{kPointsView, "view"}, {kPointsView, points_view(version, parameters)}},
          {{kBestView, "view"}, {kBestView, kBestStatement}}};
}

Result<Schema> read_schema(const SqlDatabase& database) {
  Result<SqlStatement> rows = database.prepare("SELECT name, type, tbl_name, sql FROM sqlite_master");
  if (!rows) return rows.errors();
  Schema out;
  for (;;) {
    const Result<bool> more = rows->next();
    if (!more) return more.errors();
    if (!*more) return out;
    out[{rows->text(0), rows->text(1)}] = {rows->text(2), rows->text(3)};
  }
}

// What of `there` is not of `ours`, in words; "" if they are equal.
std::string difference(const Schema& there, const Schema& ours) {
  for (const auto& [key, object] : there) {
    const auto& [name, type] = key;
    const auto own = ours.find(key);
    if (own == ours.end()) return fmt::format("the {} '{}' is none that a sweep makes", type, name);
    if (object != own->second) return fmt::format("the {} '{}' is not as a sweep makes it", type, name);
  }
  for (const auto& [key, object] : ours)
    if (!there.contains(key)) return fmt::format("the {} '{}' is missing", key.second, key.first);
  return "";
}

Diagnostic refused(const std::string& path, u64 version, const std::string& why) {
  return {path, 0, "",
          fmt::format("its tables are not those of a sweep (version {}): {}; another program made or changed them, so "
                      "nothing in it is read or run: {}",
                      version, why, kRepair)};
}

Schema without_views(Schema schema) {
  schema.erase({kPointsView, "view"});
  schema.erase({kBestView, "view"});
  return schema;
}

}  // namespace

std::vector<std::string> schema_statements(u64 version, const std::vector<std::string>& parameters) {
  std::size_t edition = kLast;
  while (kVersionOfEdition[edition] > version) --edition;
  std::vector<std::string> out;
  for (const TableLines& table : kTables) out.push_back(table_statement(table, edition));
  out.insert(out.end(), {kIndexStatement, points_view(version, parameters), kBestStatement});
  return out;
}

u64 column_version(std::string_view table, std::string_view column) {
  const std::vector<Line> lines = column_lines(table, column);
  u64 version = kOldestVersion;
  for (std::size_t edition = 0; edition <= kLast; ++edition)
    if (std::ranges::none_of(lines, [&](const Line& line) { return has(edition, line); }))
      version = kVersionOfEdition[edition] + 1;
  return version;
}

std::string column_before(std::string_view table, std::string_view column) {
  return column_lines(table, column).front().before;
}

Result<u64> recognise_tables(const SqlDatabase& database, const std::string& path) {
  const auto refuse = [&](const std::string& why) { return Diagnostic{path, 0, "", why}; };
  const Result<Schema> there = read_schema(database);
  if (!there) return there.errors();
  if (there->empty()) return u64{0};
  const Result<u64> application = database.number("PRAGMA application_id");
  const Result<u64> version = database.number("PRAGMA user_version");
  if (!application) return application.errors();
  if (!version) return version.errors();
  if (*application != kApplicationId) return refuse("is a SQLite database, but not one of a sweep");
  if (*version < kOldestVersion || *version > kSchemaVersion)
    return refuse(
        fmt::format("has tables of version {}, this program knows versions {} to {}: use the program that "
                    "wrote it",
                    *version, kOldestVersion, kSchemaVersion));
  const Schema tables = without_views(*there);
  std::string why;
  for (std::size_t edition = 0; edition <= kLast; ++edition) {
    if (kVersionOfEdition[edition] != *version) continue;
    why = difference(tables, tables_of(edition));
    if (why.empty()) return version;
  }
  return refused(path, *version, why);
}

Diagnostics check_views(const SqlDatabase& database, const std::string& path, u64 version,
                        const std::vector<std::string>& parameters) {
  Result<Schema> there = read_schema(database);
  if (!there) return there.errors();
  const Schema tables = without_views(*there);
  std::erase_if(*there, [&](const auto& entry) { return tables.contains(entry.first); });
  const std::string why = difference(*there, views_of(version, parameters));
  if (why.empty()) return {};
  return {refused(path, version, why)};
}

bool is_our_table(const SqlDatabase& database, std::string_view table) {
  const Result<Schema> there = read_schema(database);
  if (!there) return false;
  const Schema ours = tables_of(kLast);
  const std::pair<std::string, std::string> key(table, "table");
  return there->contains(key) && there->at(key) == ours.at(key);
}

}  // namespace heliolite
