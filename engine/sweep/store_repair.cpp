#include "engine/sweep/store_repair.h"

#include <fmt/format.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "engine/sweep/store.h"
#include "engine/sweep/store_check.h"

namespace heliolite {
namespace {

namespace fs = std::filesystem;

Diagnostic complaint(const std::string& path, std::string message) { return {path, 0, "", std::move(message)}; }

// Whether all of it is as it was written; error if it is whole, but of another sweep or without checksums.
Result<bool> whole(const std::string& path, const SweepRecord& sweep, const std::atomic<bool>* stop) {
  {
    const Result<SqlDatabase> database = SqlDatabase::open(path, SqlDatabase::Access::Read);
    if (!database) return database.errors();
    const Result<u64> tables = database->number("SELECT count(*) FROM sqlite_master");
    if (tables && *tables == 0) return true;  // the program that made it was killed at once
  }
  const Result<OpenStore> store = open_to_read(path, stop);
  if (!store) return false;
  if (store->version < kChecksumVersion)
    return complaint(path, fmt::format("has tables of version {}, without checksums: what is damaged cannot be told",
                                       store->version));
  if (Diagnostics errors = compare_sweeps(store->sweep, sweep, path); !errors.empty()) return errors;
  return check_whole(*store).empty();
}

// Rows of a table that are as they were written, in the order of the file from `direction`'s end up to the first place
// where it cannot be read.
template <class Row>
void read_good_rows(const OpenStore& damaged, const std::string& direction,
                    const std::function<bool(const Row&)>& row) {
  if (!is_our_table(damaged.database, kTable<Row>)) return;
  Result<SqlStatement> rows =
      damaged.database.prepare(select_statement<Row>(damaged.version, "NOT INDEXED ORDER BY rowid " + direction));
  if (!rows) return;
  for (;;) {
    const Result<bool> more = rows->next();
    if (!more || !*more) return;
    const auto good = read_row<Row>(*rows, damaged.version, damaged.sweep.question, damaged.path);
    if (good && !row(good->row)) return;
  }
}

class Salvage {
 public:
  Salvage(const OpenStore& damaged, Store& out) : damaged_(damaged), out_(out) {}

  // From both ends, so that what cannot be read in between does not hide what lies behind it.
  Diagnostics run() {
    return out_.together([&] {
      for (const char* direction : {"ASC", "DESC"})
        read_good_rows<LayerRecord>(damaged_, direction, [&](const LayerRecord& layer) { return keep(layer); });
      for (const char* direction : {"ASC", "DESC"})
        read_good_rows<PointRow>(damaged_, direction, [&](const PointRow& point) { return keep(point); });
      return errors_;
    });
  }

 private:
  bool keep(const LayerRecord& layer) { return insert(layer); }

  bool keep(const PointRow& point) {
    const Result<std::vector<LayerRecord>> layers = out_.layers(point.record);
    if (!layers) return fails(layers.errors());
    return check_sums(damaged_, point, *layers) || insert(point.record);
  }

  bool insert(const auto& row) {
    const Result<bool> added = out_.insert(row);
    return added || fails(added.errors());
  }

  bool fails(Diagnostics errors) {
    errors_ = std::move(errors);
    return false;
  }

  const OpenStore& damaged_;
  Store& out_;
  Diagnostics errors_;
};

// The rows that are good, in a new database.
Result<StoreRepair> rescue(const std::string& path, const std::string& part, const SweepRecord& sweep,
                           const std::atomic<bool>* stop) {
  OpenStore damaged;
  damaged.path = path;
  damaged.version = kSchemaVersion;
  damaged.sweep = sweep;  // the rows say themselves whether they are of this one
  Result<SqlDatabase> database = SqlDatabase::open(path, SqlDatabase::Access::Read);
  if (!database) return database.errors();
  damaged.database = *std::move(database);
  damaged.database.end_when(stop);
  Result<Store> out = Store::create(part, sweep);
  if (!out) return out.errors();
  if (Diagnostics errors = Salvage(damaged, *out).run(); !errors.empty()) return errors;
  const Result<RowCounts> rows = out->rows();
  if (!rows) return rows.errors();
  if (rows->points + rows->layers == 0)
    return complaint(path, "is damaged, and no row of this sweep could be read: sweep again into a new file");
  if (Diagnostics errors = out->close(false); !errors.empty()) return errors;
  return StoreRepair{true, rows->points, rows->layers, ""};
}

// A name beside the database that nobody has.
std::string name_of_damaged(const std::string& path) {
  std::string name = path + ".damaged";
  for (int n = 2; fs::exists(fs::symlink_status(name)); ++n) name = fmt::format("{}.damaged{}", path, n);
  return name;
}

// The damaged file gets a second name, then the new one takes its place: a program that is killed here leaves one of
// the two. A log that stayed behind would be taken for one of the new file.
Diagnostics take_place(const std::string& part, const std::string& path, const std::string& damaged) {
  std::error_code problem, ignored;
  fs::create_hard_link(path, damaged, problem);
  if (problem) return {complaint(path, fmt::format("{} cannot be made: {}", damaged, problem.message()))};
  for (const char* suffix : {"-wal", "-journal"}) fs::rename(path + suffix, damaged + suffix, ignored);
  fs::remove(path + "-shm", ignored);
  fs::rename(part, path, problem);
  if (problem) return {complaint(path, fmt::format("cannot be replaced: {}", problem.message()))};
  return {};
}

}  // namespace

Result<StoreRepair> repair_store(const std::string& path, const SweepRecord& sweep, const std::atomic<bool>* stop) {
  const auto stopped = [&] { return stop != nullptr && *stop; };
  const Diagnostic interrupted = complaint(path, "repairing it was interrupted; it is as it was");

  std::error_code problem;
  if (!fs::exists(path, problem)) return StoreRepair{};
  // Step 1. Nobody else writes it, and it is damaged.
  const Result<WriterLock> lock = WriterLock::take(path);
  if (!lock) return lock.errors();
  const Result<bool> good = whole(path, sweep, stop);
  if (stopped()) return interrupted;
  if (!good) return good.errors();
  if (*good) return StoreRepair{};
  // Step 2. What is good into a file beside it.
  const std::string real = fs::canonical(path, problem).string(), part = real + ".part";
  remove_store(part);
  Result<StoreRepair> result = rescue(path, part, sweep, stop);
  if (stopped()) result = interrupted;
  if (result) {
    result->damaged_copy = name_of_damaged(real);
    if (Diagnostics errors = take_place(part, real, result->damaged_copy); !errors.empty()) result = errors;
  }
  if (!result) remove_store(part);
  return result;
}

}  // namespace heliolite
