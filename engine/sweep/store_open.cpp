#include "engine/sweep/store_open.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "engine/base/file_claims.h"
#include "engine/base/text.h"
#include "engine/sweep/store.h"

namespace heliolite {
namespace {

namespace fs = std::filesystem;

constexpr int kReadersMilliseconds = 10'000;

constexpr const char* kOtherFile = "go on with the sweep it belongs to, or choose another file with -o";

std::string note_path(const std::string& database) { return followed_path(database) + ".lock"; }

std::string writer_name() {
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  return host[0] ? fmt::format("process {} on {}", getpid(), host.data()) : fmt::format("process {}", getpid());
}

std::string note_words(const std::string& path) {
  std::string words;
  std::ifstream note(note_path(path));
  return std::getline(note, words) ? words : "another process";
}

Diagnostic written_by_another(const std::string& path) {
  return {path, 0, "", note_words(path) + " writes it: wait until it ends, or end it and go on with --resume"};
}

// Whether a file of that name can be made and locked.
Diagnostics check_folder(const std::string& path) {
  const fs::path note = note_path(path), folder = note.has_parent_path() ? note.parent_path() : ".";
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) return {{path, 0, "", "there is no folder " + folder.string()}};
  if (access(folder.c_str(), W_OK) == 0) return {};
  return {{path, 0, "", fmt::format("{} cannot be made: {}", note.string(), std::strerror(errno))}};
}

// Why an open database is not to be used by this name, asked before the first look at its tables: a log beside another
// name of the file is not seen through this one.
Diagnostics check_names(const SqlDatabase& database, const std::string& path, bool writes) {
  std::error_code ignored;
  const auto names = fs::hard_link_count(path, ignored);
  if (writes && database.locked()) return {written_by_another(path)};
  if (writes && names > 1)
    return {{path, 0, "",
             fmt::format("the file has {} names (hard links), and what a killed writer left beside one of them is not "
                         "seen through another: remove the others, or write to a copy",
                         names)}};
  constexpr u64 kJournalVersion = 18;  // in the header of the file; 2 while there may be a log
  const bool logs = database.bytes(kJournalVersion, 1) == "\x02" && !fs::exists(followed_path(path) + "-wal", ignored);
  if (!logs || (!database.locked() && names == 1)) return {};
  return {{path, 0, "",
           "a program writes it under another name, or was killed doing so: what it wrote last is only seen through "
           "that name, read it there"}};
}

// All or nothing: a program killed here leaves an empty database.
Diagnostics make(OpenStore& store, const SweepRecord& sweep) {
  store.sweep = sweep;
  store.sums = sum_rule_of(sweep);
  store.version = kSchemaVersion;
  Diagnostics errors = store.database.execute("BEGIN IMMEDIATE");
  const Result<u64> objects = store.database.number("SELECT count(*) FROM sqlite_master");
  if (errors.empty() && objects && *objects > 0) errors = {written_by_another(store.path)};  // at this moment
  if (errors.empty())
    errors = store.database.execute(fmt::format("{}; PRAGMA application_id = {}; PRAGMA user_version = {}",
                                                fmt::join(schema_statements(kSchemaVersion, sweep.parameters), ";"),
                                                kApplicationId, kSchemaVersion));
  if (errors.empty()) errors = errors_of(put_row(store, sweep));
  return errors.empty() ? store.database.execute("COMMIT") : errors;
}

// The last run, with the tallies of what the database holds; older versions have none.
Result<RunRecord> last_run(const OpenStore& store) {
  Result<std::optional<RunRecord>> last = find_row<RunRecord>(store, "ORDER BY id DESC");
  if (!last) return last.errors();
  return last->value_or(RunRecord{});
}

// What the tables say of the sweep and of the last run.
Diagnostics read_head(OpenStore& store) {
  Result<std::vector<SweepRecord>> sweeps = read_rows<SweepRecord>(store, "");
  if (!sweeps) return sweeps.errors();
  if (sweeps->size() != 1) return {damaged(store.path, "sweep", fmt::format("has {} rows, not one", sweeps->size()))};
  store.sweep = std::move(sweeps->front());
  store.sums = sum_rule_of(store.sweep);
  Diagnostics strange = check_schema(store.database, store.path, store.version, &store.sweep.parameters);
  if (!strange.empty()) return strange;
  const Result<RunRecord> last = last_run(store);
  if (last) store.run = *last;
  return errors_of(last);
}

// What is there, if it is whole and answers what is asked.
Diagnostics take_over(OpenStore& store, const SweepRecord& sweep) {
  if (store.version < kSchemaVersion)
    return {{store.path, 0, "",
             fmt::format("has tables of version {}, which are only read: heliolite merge NEW.db {} copies it into "
                         "tables of version {}, go on with those",
                         store.version, store.path, kSchemaVersion)}};
  Diagnostics errors = read_head(store);
  if (errors.empty()) errors = compare_sweeps(store.sweep, sweep, store.path);
  return errors.empty() ? check_whole(store) : errors;
}

// From here on readers and the writer do not wait for each other. Somebody who reads the database at this moment, one
// plain file, is waited for.
Diagnostics begin_log(const SqlDatabase& database) {
  return database.execute(
      fmt::format("PRAGMA busy_timeout = {}; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; "
                  "PRAGMA busy_timeout = {}",
                  kReadersMilliseconds, kPatienceMilliseconds));
}

// Takes the writer's lock of an open database, and notes that in a file beside it.
Result<WriterNote> lock_to_write(SqlDatabase& database, const std::string& path) {
  if (!database.lock()) return written_by_another(path);
  const std::string file = note_path(path);
  if (!(std::ofstream(file) << writer_name() << std::flush))
    return Diagnostic{path, 0, "", fmt::format("{} cannot be made: {}", file, std::strerror(errno))};
  return WriterNote(new std::string(file), [](const std::string* note) {
    std::error_code ignored;
    fs::remove(*note, ignored);
    delete note;
  });
}

// A run after the last one, as soon as nobody else writes; what the database holds is as that left it.
Diagnostics begin_run(OpenStore& store) {
  Result<WriterNote> note = lock_to_write(store.database, store.path);
  if (!note) return note.errors();
  store.note = *std::move(note);
  const Result<RunRecord> last = last_run(store);
  if (!last) return last.errors();
  if (*last != store.run) return {{store.path, 0, "", "another program wrote it at this moment: try again"}};
  RunRecord run;
  run.id = last->id + 1;
  run.started = seconds_since_1970();
  run.writer = writer_name();
  run.points = last->points;
  run.layers = last->layers;
  store.run = std::move(run);
  return errors_of(put_row(store, store.run));
}

// Opens the file, and notes what is to be known about its rows.
Result<OpenStore> open_tables(const std::string& path, SqlDatabase::Access access, const std::atomic<bool>* stop) {
  OpenStore out;
  out.path = path;
  Result<SqlDatabase> database = SqlDatabase::open(path, access);
  if (!database) return database.errors();
  out.database = *std::move(database);
  out.database.end_when(stop);
  const bool writes = access == SqlDatabase::Access::Write;
  Diagnostics errors = check_names(out.database, path, writes);
  // What a reader sees from now on is as it is at this moment.
  if (errors.empty() && !writes) errors = out.database.execute("BEGIN");
  if (!errors.empty()) return errors;
  const Result<u64> version = recognise_tables(out.database, path);
  if (!version) return version.errors();
  out.version = *version;
  if (out.version > 0 && out.version < kChecksumVersion)
    out.warnings.push_back(
        fmt::format("{} has tables of version {}, without checksums: damaged rows are not noticed", path, out.version));
  if (const auto lost = out.database.lost_rows()) out.warnings.push_back(*lost);
  return out;
}

void remove_store(const std::string& path) {
  std::error_code ignored;
  for (const char* suffix : {"", "-wal", "-shm", "-journal"}) fs::remove(path + suffix, ignored);
}

}  // namespace

Diagnostics compare_sweeps(const SweepRecord& there, const SweepRecord& here, const std::string& path) {
  if (there.question != here.question) {
    std::vector<std::string> differences;
    for (const auto& [field, differs] :
         {std::pair("objective", there.objective != here.objective),
          std::pair("strategy", there.strategy != here.strategy), std::pair("goal", there.goal != here.goal),
          std::pair("rank", there.rank != here.rank), std::pair("unit of delay", there.delay_unit != here.delay_unit),
          std::pair("parameters", there.parameters != here.parameters),
          std::pair("number of points", there.planned_points != here.planned_points),
          std::pair("text of the file", there.text != here.text)})
      if (differs) differences.emplace_back(field);
    return {{path, 0, "",
             fmt::format("holds the results of another sweep, '{}'{}: {}", there.name,
                         differences.empty() ? "" : "; what differs: " + join(differences), kOtherFile)}};
  }
  if (there.shard != here.shard || there.shards != here.shards)
    return {{path, 0, "",
             fmt::format("holds {} of this sweep, not {}: {}", shard_text(there), shard_text(here), kOtherFile)}};
  return {};
}

double seconds_since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::optional<std::string> writer_of(const std::string& path) {
  const Result<SqlDatabase> database = SqlDatabase::open(path, SqlDatabase::Access::Read);
  if (!database || !database->locked()) return std::nullopt;
  return note_words(path);
}

Result<OpenStore> open_to_write(const std::string& path, const SweepRecord& sweep, bool may_exist,
                                const std::atomic<bool>* stop) {
  // Step 1. There is a file, a database of ours or empty: new, or the program that made it was killed at once.
  const Diagnostic in_the_way{path, 0, "", "is there already: go on with --resume, or choose another file with -o"};
  if (Diagnostics errors = check_folder(path); !errors.empty()) return errors;
  std::error_code ignored;
  if (!may_exist && fs::exists(path, ignored)) return in_the_way;
  Result<OpenStore> out = open_tables(path, SqlDatabase::Access::Write, stop);
  if (!out) return out.errors();
  if (!may_exist && out->version > 0) return in_the_way;
  // Step 2. It holds what is asked; what is refused stays as it is.
  Diagnostics errors = out->version > 0 ? take_over(*out, sweep) : make(*out, sweep);
  // Step 3. From now on others only read it.
  if (errors.empty()) errors = begin_log(out->database);
  if (errors.empty()) errors = begin_run(*out);
  if (!errors.empty()) return errors;
  out->database.end_when(nullptr);
  return out;
}

Result<OpenStore> open_to_read(const std::string& path, const std::atomic<bool>* stop) {
  Result<OpenStore> out = open_tables(path, SqlDatabase::Access::Read, stop);
  if (!out) return out.errors();
  if (out->version == 0) return Diagnostic{path, 0, "", "is empty: no sweep has written into it"};
  if (Diagnostics errors = read_head(*out); !errors.empty()) return errors;
  return out;
}

Diagnostics close_store(OpenStore& store, bool finished) {
  Diagnostics errors;
  if (store.note) {
    store.run.ended = seconds_since_1970();
    store.run.finished = finished;
    errors = errors_of(put_row(store, store.run));
    // Without readers one plain file remains, which can be read in a read-only folder too.
    store.note.reset();
    store.database.execute("PRAGMA busy_timeout = 0; PRAGMA journal_mode = DELETE");
  }
  store.database.close();
  return errors;
}

Diagnostics keep_as(const std::string& path, const std::string& ending, std::string& name) {
  name = path + ending;
  for (int n = 2; fs::exists(fs::symlink_status(name)); ++n) name = fmt::format("{}{}{}", path, ending, n);
  std::error_code problem;
  fs::create_hard_link(path, name, problem);
  if (problem) return {{path, 0, "", fmt::format("{} cannot be made: {}", name, problem.message())}};
  return {};
}

Result<bool> replace_store(const std::string& path, const std::function<Result<bool>(const std::string& part)>& fill,
                           const std::function<Diagnostics(const std::string& path)>& retire) {
  const auto refuse = [&](const std::string& why) { return Diagnostic{path, 0, "", why}; };
  if (Diagnostics taken = FileClaims::of_program().use_database(path); !taken.empty()) return taken;
  if (Diagnostics errors = check_folder(path); !errors.empty()) return errors;
  const std::string real = followed_path(path), part = real + ".part";
  // Step 1. Nobody else writes what is there. The first look is for a transaction that a killed program left.
  std::error_code problem;
  SqlDatabase there;
  WriterNote note;
  const FileIdentity before = FileIdentity::of(real);
  if (fs::exists(real, problem)) {
    Result<SqlDatabase> opened = SqlDatabase::open(path, SqlDatabase::Access::Write);
    if (!opened) return opened.errors();
    there = *std::move(opened);
    if (Diagnostics errors = check_names(there, path, true); !errors.empty()) return errors;
    (void)there.number("PRAGMA schema_version");
    Result<WriterNote> taken = lock_to_write(there, path);
    if (!taken) return taken.errors();
    note = *std::move(taken);
  }
  // Step 2. A new database beside the old one.
  if (const auto holder = writer_of(part))
    return refuse(fmt::format("{} writes {}: wait until it ends", *holder, part));
  remove_store(part);
  Result<bool> filled = fill(part);
  // Step 3. It takes the place: without a log beside it, which would be taken for one of the new file.
  Diagnostics errors = filled ? Diagnostics{} : filled.errors();
  if (filled && *filled) {
    if (!FileIdentity::of(real).clashes_with(before)) errors = {refuse("was removed or replaced meanwhile")};
    if (errors.empty() && note) {
      const Result<std::string> settled = there.word("PRAGMA journal_mode = DELETE");
      there.close();
      errors = retire ? retire(real) : settled ? Diagnostics{} : settled.errors();
    }
    if (errors.empty()) fs::rename(part, real, problem);
    if (errors.empty() && problem) errors = {refuse("cannot be replaced: " + problem.message())};
  }
  if (!errors.empty() || !*filled) remove_store(part);
  return errors.empty() ? filled : Result<bool>(errors);
}

}  // namespace heliolite
