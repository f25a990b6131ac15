#include "engine/sweep/store_open.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "engine/base/text.h"
#include "engine/sweep/store_rows.h"
#include "engine/sweep/store_schema.h"

namespace heliolite {
namespace {

namespace fs = std::filesystem;

constexpr int kReadersMilliseconds = 10'000;

constexpr const char* kOtherFile = "go on with the sweep it belongs to, or choose another file with -o";

// A name of SQL, between quotes.
std::string quoted(const std::string& name) {
  std::string out = "\"";
  for (const char c : name) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

// The points with a column for each parameter, and the best of them.
std::string views(const SweepRecord& sweep) {
  std::string columns;
  for (std::size_t i = 0; i < sweep.parameters.size(); ++i)
    columns += fmt::format("json_extract(parameter_values, '$[{}]') AS {}, ", i, quoted(sweep.parameters[i]));
  return fmt::format(
      "CREATE VIEW design_points AS SELECT id, state, {}area_um2, compute_units, capacity_bytes, energy_pj, cycles, "
      "value, lower_bound, words_moved, least_words, reason, datetime(written, 'unixepoch') AS written FROM points;"
      "CREATE VIEW best_points AS SELECT * FROM design_points WHERE state = 'done' ORDER BY value, id;",
      columns);
}

// All or nothing: a program killed here leaves an empty database.
Result<SweepRecord> make(const SqlDatabase& database, const SweepRecord& sweep) {
  Diagnostics errors =
      database.execute(fmt::format("BEGIN IMMEDIATE; {} {} PRAGMA application_id = {}; PRAGMA user_version = {}",
                                   kSchema, views(sweep), kApplicationId, kSchemaVersion));
  if (!errors.empty()) return errors;
  Result<SqlStatement> insert = database.prepare(insert_statement<SweepRecord>("sweep", ""));
  if (!insert) return insert.errors();
  bind_record(*insert, sweep);
  errors = insert->run();
  if (errors.empty()) errors = database.execute("COMMIT");
  if (!errors.empty()) return errors;
  return sweep;
}

// Whether it is one of ours: false for a database without any table.
Result<bool> recognised(const SqlDatabase& database, const std::string& path) {
  const auto refuse = [&](const std::string& why) { return Diagnostic{path, 0, "", why}; };
  const Result<u64> tables = database.number("SELECT count(*) FROM sqlite_master");
  if (!tables) return tables.errors();
  if (*tables == 0) return false;
  const Result<u64> application = database.number("PRAGMA application_id");
  const Result<u64> version = database.number("PRAGMA user_version");
  if (!application) return application.errors();
  if (!version) return version.errors();
  if (*application != kApplicationId) return refuse("is a SQLite database, but not one of a sweep");
  if (*version != kSchemaVersion)
    return refuse(fmt::format("has tables of version {}, this program knows version {}: use the program that wrote it",
                              *version, kSchemaVersion));
  return true;
}

Result<SweepRecord> read_sweep(const SqlDatabase& database, const std::string& path) {
  Result<SqlStatement> rows = database.prepare("SELECT " + column_names<SweepRecord>() + " FROM sweep");
  if (!rows) return rows.errors();
  const Result<bool> row = rows->next();
  if (!row) return row.errors();
  if (!*row) return Diagnostic{path, 0, "sweep", "has no row: the database is damaged"};
  return read_record<SweepRecord>(*rows, path);
}

// Why the rows of `there` are no answers to what is asked here.
Diagnostics compare(const SweepRecord& there, const SweepRecord& here, const std::string& path) {
  if (there.question != here.question) {
    std::vector<std::string> differences;
    const auto compare_field = [&](const char* field, const auto& old, const auto& now) {
      if (old != now) differences.push_back(field);
    };
    compare_field("objective", there.objective, here.objective);
    compare_field("strategy", there.strategy, here.strategy);
    compare_field("goal", there.goal, here.goal);
    compare_field("parameters", there.parameters, here.parameters);
    compare_field("number of points", there.planned_points, here.planned_points);
    compare_field("text of the file", there.text, here.text);
    return {{path, 0, "",
             fmt::format("holds the results of another sweep, '{}'{}: {}", there.name,
                         differences.empty() ? "" : "; what differs: " + join(differences), kOtherFile)}};
  }
  if (there.shard != here.shard || there.shards != here.shards)
    return {{path, 0, "",
             fmt::format("holds {} of this sweep, not {}: {}", shard_text(there), shard_text(here), kOtherFile)}};
  return {};
}

// Of a database that is there: it is whole, and what is asked is what it answers.
Result<SweepRecord> check(const SqlDatabase& database, const SweepRecord& sweep, const std::string& path) {
  if (Diagnostics errors = check_whole(database, path); !errors.empty()) return errors;
  Result<SweepRecord> there = read_sweep(database, path);
  if (!there) return there;
  if (Diagnostics errors = compare(*there, sweep, path); !errors.empty()) return errors;
  return there;
}

// From here on readers and the writer do not wait for each other. Somebody who reads the database at this moment, one
// plain file, is waited for.
Diagnostics begin_log(const SqlDatabase& database) {
  Diagnostics errors = database.execute(fmt::format("PRAGMA busy_timeout = {}", kReadersMilliseconds));
  if (errors.empty()) errors = database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  return errors.empty() ? database.execute(fmt::format("PRAGMA busy_timeout = {}", kPatienceMilliseconds)) : errors;
}

Result<u64> begin_run(const SqlDatabase& database) {
  Result<SqlStatement> insert = database.prepare("INSERT INTO runs (writer) VALUES (?)");
  if (!insert) return insert.errors();
  Diagnostics errors = insert->bind(writer_name()).run();
  if (!errors.empty()) return errors;
  return database.number("SELECT last_insert_rowid()");
}

}  // namespace

Diagnostics check_whole(const SqlDatabase& database, const std::string& path) {
  const Result<std::string> verdict = database.word("PRAGMA quick_check(1)");
  if (!verdict) return verdict.errors();
  if (*verdict == "ok") return {};
  return {{path, 0, "",
           fmt::format("is damaged ({}): restore a copy, or rescue rows with sqlite3's .recover command", *verdict)}};
}

Result<OpenStore> open_to_write(const std::string& path, const SweepRecord& sweep, bool may_exist) {
  OpenStore out;
  // Step 1. Nobody else writes it.
  Result<WriterLock> lock = WriterLock::take(path);
  if (!lock) return lock.errors();
  out.lock = *std::move(lock);
  std::error_code ignored;
  if (!may_exist && fs::exists(path, ignored))
    return Diagnostic{path, 0, "", "is there already: go on with --resume, or choose another file with -o"};
  // Step 2. It is a database of ours, or empty: new, or the program that made it was killed at once.
  Result<SqlDatabase> database = SqlDatabase::open(path, SqlDatabase::Access::Write);
  if (!database) return database.errors();
  out.database = *std::move(database);
  const Result<bool> known = recognised(out.database, path);
  if (!known) return known.errors();
  if (Diagnostics errors = begin_log(out.database); !errors.empty()) return errors;
  // Step 3. It holds what is asked.
  Result<SweepRecord> record = *known ? check(out.database, sweep, path) : make(out.database, sweep);
  if (!record) return record.errors();
  out.sweep = *std::move(record);
  const Result<u64> run = begin_run(out.database);
  if (!run) return run.errors();
  out.run = *run;
  return out;
}

Result<OpenStore> open_to_read(const std::string& path) {
  OpenStore out;
  Result<SqlDatabase> database = SqlDatabase::open(path, SqlDatabase::Access::Read);
  if (!database) return database.errors();
  out.database = *std::move(database);
  if (Diagnostics errors = out.database.execute("BEGIN"); !errors.empty()) return errors;
  const Result<bool> known = recognised(out.database, path);
  if (!known) return known.errors();
  if (!*known) return Diagnostic{path, 0, "", "is empty: no sweep has written into it"};
  Result<SweepRecord> sweep = read_sweep(out.database, path);
  if (!sweep) return sweep.errors();
  out.sweep = *std::move(sweep);
  return out;
}

Diagnostics close_store(OpenStore& store, bool finished) {
  Diagnostics errors;
  if (store.lock) {
    errors = store.database.execute(
        fmt::format("UPDATE runs SET ended = (julianday('now') - 2440587.5) * 86400, finished = {} WHERE id = {}",
                    finished ? 1 : 0, store.run));
    // Without readers one plain file remains, which can be read in a read-only folder too.
    store.database.execute("PRAGMA busy_timeout = 0; PRAGMA journal_mode = DELETE");
  }
  store.database.close();
  store.lock.reset();
  return errors;
}

Diagnostics settle_store(const std::string& path) {
  const Result<SqlDatabase> database = SqlDatabase::open(path, SqlDatabase::Access::Write);
  if (!database) return database.errors();
  const Result<std::string> mode = database->word("PRAGMA journal_mode = DELETE");
  return mode ? Diagnostics{} : mode.errors();
}

}  // namespace heliolite
