#include "engine/sweep/store_open.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <utility>

#include "engine/base/file_claims.h"
#include "engine/base/text.h"
#include "engine/sweep/store_check.h"
#include "engine/sweep/store_log.h"
#include "engine/sweep/store_rows.h"
#include "engine/sweep/store_schema.h"

namespace heliolite {
namespace {

namespace fs = std::filesystem;

constexpr int kReadersMilliseconds = 10'000;

constexpr int kQuestionColumn = 1;  // of SweepRecord's fields

constexpr const char* kOtherFile = "go on with the sweep it belongs to, or choose another file with -o";

double now() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

template <class Row>
Diagnostics replace_row(const SqlDatabase& database, const std::string& question, const Row& row) {
  Result<SqlStatement> insert = database.prepare(insert_statement<Row>("OR REPLACE"));
  if (!insert) return insert.errors();
  bind_row(*insert, row, row_sum(question, row));
  return insert->run();
}

// All or nothing: a program killed here leaves an empty database.
Diagnostics make(OpenStore& store, const SweepRecord& sweep) {
  store.sweep = sweep;
  store.version = kSchemaVersion;
  Diagnostics errors = store.database.execute(
      fmt::format("BEGIN IMMEDIATE; {}; PRAGMA application_id = {}; PRAGMA user_version = {}",
                  fmt::join(schema_statements(kSchemaVersion, sweep.parameters), ";"), kApplicationId, kSchemaVersion));
  if (errors.empty()) errors = replace_row(store.database, sweep.question, sweep);
  return errors.empty() ? store.database.execute("COMMIT") : errors;
}

Result<SweepRecord> read_sweep(const OpenStore& store) {
  Result<SqlStatement> rows = store.database.prepare(select_statement<SweepRecord>(store.version, ""));
  if (!rows) return rows.errors();
  Result<bool> row = rows->next();
  if (!row) return row.errors();
  if (!*row) return Diagnostic{store.path, 0, "sweep", std::string("has no row, it is damaged: ") + kRepair};
  Result<SummedRow<SweepRecord>> sweep =
      read_row<SweepRecord>(*rows, store.version, rows->text(kQuestionColumn), store.path);
  if (!sweep) return sweep.errors();
  row = rows->next();
  if (!row) return row.errors();
  if (*row) return Diagnostic{store.path, 0, "sweep", std::string("has more than one row, it is damaged: ") + kRepair};
  Diagnostics strange = check_views(store.database, store.path, store.version, sweep->row.parameters);
  if (!strange.empty()) return strange;
  return std::move(sweep->row);
}

// The last row of `runs`, with the tallies of what the database holds. There are none in older versions.
Result<RunRecord> read_last_run(const OpenStore& store) {
  Result<SqlStatement> rows =
      store.database.prepare(select_statement<RunRecord>(store.version, "ORDER BY id DESC LIMIT 1"));
  if (!rows) return rows.errors();
  const Result<bool> row = rows->next();
  if (!row) return row.errors();
  if (!*row) return RunRecord{};
  Result<SummedRow<RunRecord>> run = read_row<RunRecord>(*rows, store.version, store.sweep.question, store.path);
  if (!run) return run.errors();
  return std::move(run->row);
}

}  // namespace

Diagnostics compare_sweeps(const SweepRecord& there, const SweepRecord& here, const std::string& path) {
  if (there.question != here.question) {
    std::vector<std::string> differences;
    const auto compare_field = [&](const char* field, const auto& old, const auto& now) {
      if (old != now) differences.push_back(field);
    };
    compare_field("objective", there.objective, here.objective);
    compare_field("strategy", there.strategy, here.strategy);
    compare_field("goal", there.goal, here.goal);
    compare_field("rank", there.rank, here.rank);
    compare_field("unit of delay", there.delay_unit, here.delay_unit);
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

namespace {

// What is there, if it is whole and answers what is asked.
Diagnostics take_over(OpenStore& store, const SweepRecord& sweep) {
  if (store.version < kSchemaVersion)
    return {
        {store.path, 0, "",
         fmt::format("has tables of version {}, which are only read: heliolite merge NEW.db {} copies it into tables "
                     "of version {}, go on with those",
                     store.version, store.path, kSchemaVersion)}};
  Result<SweepRecord> there = read_sweep(store);
  if (!there) return there.errors();
  store.sweep = *std::move(there);
  if (Diagnostics errors = compare_sweeps(store.sweep, sweep, store.path); !errors.empty()) return errors;
  Result<RunRecord> last = read_last_run(store);
  if (!last) return last.errors();
  store.run = *std::move(last);
  return check_whole(store);
}

// From here on readers and the writer do not wait for each other. Somebody who reads the database at this moment, one
// plain file, is waited for.
Diagnostics begin_log(const SqlDatabase& database) {
  Diagnostics errors = database.execute(fmt::format("PRAGMA busy_timeout = {}", kReadersMilliseconds));
  if (errors.empty()) errors = database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  return errors.empty() ? database.execute(fmt::format("PRAGMA busy_timeout = {}", kPatienceMilliseconds)) : errors;
}

// A run after the last one; what the database holds is as that left it.
Diagnostics begin_run(OpenStore& store) {
  RunRecord run;
  run.id = store.run.id + 1;
  run.started = now();
  run.writer = writer_name();
  run.points = store.run.points;
  run.layers = store.run.layers;
  store.run = std::move(run);
  return write_run(store);
}

// A log beside another name of the file is not seen through this one.
Diagnostics check_names(const std::string& path) {
  const DatabaseFile file = DatabaseFile::open(path);
  if (!file.readable()) return {};
  constexpr std::size_t kJournalVersion = 18;  // in the header of the file; 2 while there may be a log
  std::error_code ignored;
  if (file.bytes(kJournalVersion, 1) != "\x02" || fs::exists(path + "-wal", ignored)) return {};
  if (!file.held_elsewhere() && file.names() == 1) return {};
  return {{path, 0, "",
           "a program writes it under another name, or was killed doing so: what it wrote last is only seen through "
           "that name, read it there"}};
}

std::vector<std::string> warnings_of(const std::string& path, u64 version) {
  std::vector<std::string> out;
  if (version < kChecksumVersion)
    out.push_back(
        fmt::format("{} has tables of version {}, without checksums: damaged rows are not noticed", path, version));
  return out;
}

}  // namespace

Diagnostics write_run(const OpenStore& store) { return replace_row(store.database, store.sweep.question, store.run); }

Result<OpenStore> open_to_write(const std::string& path, const SweepRecord& sweep, bool may_exist,
                                const std::atomic<bool>* stop) {
  OpenStore out;
  out.path = path;
  // Step 1. It is no output of the program's and nobody else writes it; only then is there a file.
  if (Diagnostics taken = FileClaims::of_program().use_database(path); !taken.empty()) return taken;
  Result<WriterLock> lock = WriterLock::take(path);
  if (!lock) return lock.errors();
  out.lock = *std::move(lock);
  std::error_code ignored;
  if (!may_exist && fs::exists(path, ignored))
    return Diagnostic{path, 0, "", "is there already: go on with --resume, or choose another file with -o"};
  if (!fs::exists(path, ignored))
    if (Diagnostics errors = out.lock->take_file(path); !errors.empty()) return errors;
  // Step 2. It is a database of ours, or empty: new, or the program that made it was killed at once.
  if (const auto lost = lost_log(path)) out.warnings.push_back(path + ": " + *lost);
  Result<SqlDatabase> database = SqlDatabase::open(path, SqlDatabase::Access::Write);
  if (!database) return database.errors();
  out.database = *std::move(database);
  out.database.end_when(stop);
  const Result<u64> version = recognise_tables(out.database, path);
  if (!version) return version.errors();
  out.version = *version;
  // Step 3. It holds what is asked.
  Diagnostics errors = *version > 0 ? take_over(out, sweep) : make(out, sweep);
  if (errors.empty()) errors = begin_log(out.database);
  if (errors.empty()) errors = begin_run(out);
  if (!errors.empty()) return errors;
  out.database.end_when(nullptr);
  return out;
}

Result<OpenStore> open_to_read(const std::string& path, const std::atomic<bool>* stop) {
  OpenStore out;
  out.path = path;
  if (Diagnostics errors = check_names(path); !errors.empty()) return errors;
  const std::optional<std::string> lost = lock_holder(path) ? std::nullopt : lost_log(path);
  Result<SqlDatabase> database = SqlDatabase::open(path, SqlDatabase::Access::Read);
  if (!database) return database.errors();
  out.database = *std::move(database);
  out.database.end_when(stop);
  if (Diagnostics errors = out.database.execute("BEGIN"); !errors.empty()) return errors;
  const Result<u64> version = recognise_tables(out.database, path);
  if (!version) return version.errors();
  if (*version == 0) return Diagnostic{path, 0, "", "is empty: no sweep has written into it"};
  out.version = *version;
  out.warnings = warnings_of(path, *version);
  if (lost) out.warnings.push_back(path + ": " + *lost);
  Result<SweepRecord> sweep = read_sweep(out);
  if (!sweep) return sweep.errors();
  out.sweep = *std::move(sweep);
  Result<RunRecord> run = read_last_run(out);
  if (!run) return run.errors();
  out.run = *std::move(run);
  return out;
}

Diagnostics close_store(OpenStore& store, bool finished) {
  Diagnostics errors;
  if (store.lock) {
    store.run.ended = now();
    store.run.finished = finished;
    errors = write_run(store);
    // Without readers one plain file remains, which can be read in a read-only folder too.
    store.database.execute("PRAGMA busy_timeout = 0; PRAGMA journal_mode = DELETE");
  }
  store.database.close();
  store.lock.reset();
  return errors;
}

void remove_store(const std::string& path) {
  std::error_code ignored;
  for (const char* suffix : {"", "-wal", "-shm", "-journal"}) fs::remove(path + suffix, ignored);
}

Diagnostics settle_store(const std::string& path) {
  const Result<SqlDatabase> database = SqlDatabase::open(path, SqlDatabase::Access::Write);
  if (!database) return database.errors();
  const Result<std::string> mode = database->word("PRAGMA journal_mode = DELETE");
  return mode ? Diagnostics{} : mode.errors();
}

}  // namespace heliolite
