#include "engine/sweep/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <system_error>
#include <utility>

#include "engine/sweep/record_fields.h"
#include "engine/sweep/store.h"
#include "engine/sweep/store_open.h"

namespace heliolite {
namespace {

namespace fs = std::filesystem;

Diagnostics one(const std::string& file, std::string message) { return {{file, 0, "", std::move(message)}}; }

Result<std::optional<PointRecord>> same_row(const Store& store, const PointRecord& row) { return store.point(row.id); }
Result<std::optional<LayerRecord>> same_row(const Store& store, const LayerRecord& row) {
  return store.layer(row.point, row.layer);
}

std::string row_name(const PointRecord& row) { return fmt::format("point {}", row.id); }
std::string row_name(const LayerRecord& row) {
  return fmt::format("point {}, layer {} ({} of {})", row.point, row.layer, row.name, row.workload);
}

class Merger {
 public:
  Merger(Store out, std::vector<std::string> warnings, const std::atomic<bool>* stop)
      : out_(std::move(out)), warnings_(std::move(warnings)), stop_(stop) {}

  Diagnostics add(const std::string& path) {
    const Result<Store> shard = Store::read(path, stop_);
    if (!shard) return shard.errors();
    const SweepRecord& sweep = shard->sweep();
    if (sweep.question != out_.sweep().question)
      return one(path, fmt::format("holds another sweep ('{}') than {}", sweep.name, inputs_.front().path));
    if (Diagnostics errors = shard->check(); !errors.empty()) return errors;
    const Result<std::vector<RunRecord>> runs = shard->runs();
    if (!runs) return runs.errors();
    for (const std::string& warning : shard->warnings())
      if (std::ranges::find(warnings_, warning) == warnings_.end()) warnings_.push_back(warning);
    MergedShard input{path, sweep.shard, sweep.shards, 0, !runs->empty() && runs->back().finished};
    // In one transaction: much faster.
    Diagnostics errors = out_.together([&] {
      u64 layers = 0;
      Diagnostics problems = copy<LayerRecord>(*shard, &Store::visit_layers, layers);
      return problems.empty() ? copy<PointRecord>(*shard, &Store::visit_points, input.points) : problems;
    });
    inputs_.push_back(std::move(input));
    return errors;
  }

  Result<MergeResult> finish() {
    const Result<RowCounts> rows = out_.rows();
    if (!rows) return rows.errors();
    const MergeResult result{inputs_, warnings_, missing(), rows->points, rows->layers, out_.sweep().planned_points};
    if (Diagnostics errors = out_.close(result.complete()); !errors.empty()) return errors;
    return result;
  }

 private:
  template <class Record>
  using Visit = Diagnostics (Store::*)(const std::function<bool(const Record&)>&) const;

  // All rows of a table into ours.
  template <class Record>
  Diagnostics copy(const Store& shard, Visit<Record> visit, u64& rows) {
    Diagnostics problems;
    Diagnostics errors = (shard.*visit)([&](const Record& row) {
      ++rows;
      const Result<bool> added = out_.insert(row);
      if (!added) problems = added.errors();
      else if (!*added) problems = compare(row, shard.path());
      return problems.empty();
    });
    return problems.empty() ? errors : problems;
  }

  // The row that is there already says the same.
  template <class Record>
  Diagnostics compare(const Record& row, const std::string& path) {
    const auto there = same_row(out_, row);
    if (!there) return there.errors();
    const std::string differences = difference(**there, row);
    if (differences.empty()) return {};
    return one(path, fmt::format("{} contradicts {}: {}; these are not results of the same program", row_name(row),
                                 source_of(row), differences));
  }

  // The first of the inputs before that has the row.
  template <class Record>
  std::string source_of(const Record& row) const {
    for (const MergedShard& input : inputs_) {
      const Result<Store> store = Store::read(input.path);
      if (!store) continue;
      const auto found = same_row(*store, row);
      if (found && *found) return input.path;
    }
    return "a shard before";
  }

  std::vector<u64> missing() const {
    std::vector<u64> out;
    const u64 shards = inputs_.back().shards;
    const auto cut_otherwise = [&](const MergedShard& s) { return s.shards != shards && s.shards != 1; };
    if (std::ranges::any_of(inputs_, cut_otherwise)) return out;
    for (u64 shard = 0; shard < shards; ++shard) {
      const auto is_it = [&](const MergedShard& s) { return s.shard == shard && s.shards == shards; };
      if (std::ranges::none_of(inputs_, is_it)) out.push_back(shard);
    }
    return out;
  }

  Store out_;
  std::vector<MergedShard> inputs_;
  std::vector<std::string> warnings_;
  const std::atomic<bool>* stop_;
};

// The question of the whole, taken from the first database, and what is to be known about that: only who opens it first
// finds out. A shard is not written over.
Result<SweepRecord> whole_sweep(const std::string& out, std::span<const std::string> inputs,
                                std::vector<std::string>& warnings, const std::atomic<bool>* stop) {
  const Result<Store> first = Store::read(inputs.front(), stop);
  if (!first) return first.errors();
  warnings = first->warnings();
  SweepRecord sweep = first->sweep();
  if (inputs.front() == out && sweep.shards > 1)
    return Diagnostic{out, 0, "", fmt::format("is {} itself: choose another file for the result", shard_text(sweep))};
  sweep.shard = 0;
  sweep.shards = 1;
  sweep.shard_points = sweep.planned_points;
  return sweep;
}

Result<MergeResult> merge_into(const std::string& part, const SweepRecord& sweep, std::span<const std::string> inputs,
                               std::vector<std::string> warnings, const std::atomic<bool>* stop) {
  Result<Store> store = Store::create(part, sweep);
  if (!store) return store.errors();
  Merger merger(*std::move(store), std::move(warnings), stop);
  for (const std::string& input : inputs)
    if (Diagnostics errors = merger.add(input); !errors.empty()) return errors;
  return merger.finish();
}

// Whether all of it is as it was written; error if it is whole, but of another sweep or without checksums.
Result<bool> is_whole(const std::string& path, const SweepRecord& sweep, std::vector<std::string>& warnings,
                      const std::atomic<bool>* stop) {
  if (fs::file_size(path) == 0) return true;  // the program that made it was killed at once
  const Result<OpenStore> store = open_to_read(path, stop);
  if (!store) return false;
  warnings = store->warnings;
  if (store->version < kChecksumVersion)
    return Diagnostic{
        path, 0, "",
        fmt::format("has tables of version {}, without checksums: what is damaged cannot be told", store->version)};
  if (Diagnostics errors = compare_sweeps(store->sweep, sweep, path); !errors.empty()) return errors;
  return check_whole(*store).empty();
}

// The rows of a table that are as they were written, from both ends of the file up to where it cannot be read: so what
// lies behind a damaged place is found too.
template <class Row>
void read_good_rows(const OpenStore& damaged, const std::function<bool(const Row&)>& row) {
  if (!is_our_table(damaged.database, kTable<Row>)) return;
  for (const char* direction : {"ASC", "DESC"}) {
    auto rows = damaged.database.prepare(
        select_statement<Row>(damaged.version, std::string("NOT INDEXED ORDER BY rowid ") + direction));
    if (!rows) return;
    rows->each([&] {
      const auto good = read_row<Row>(*rows, damaged.version, damaged.sweep.question, damaged.path);
      return !good || row(good->row);
    });
  }
}

// The rows that are good, in a new database.
Diagnostics rescue(const std::string& path, const std::string& part, StoreRepair& result, const SweepRecord& sweep,
                   const std::atomic<bool>* stop) {
  Result<SqlDatabase> database = SqlDatabase::open(path, SqlDatabase::Access::Read);
  Result<Store> out = Store::create(part, sweep);
  if (!database || !out) return database ? out.errors() : database.errors();
  // The rows say themselves whether they are of this sweep.
  const OpenStore damaged{path, *std::move(database), {}, kSchemaVersion, sweep, {}, {}};
  damaged.database.end_when(stop);
  Diagnostics errors;
  const auto insert = [&](const auto& row) { return (errors = errors_of(out->insert(row))).empty(); };
  errors = out->together([&] {
    read_good_rows<LayerRecord>(damaged, insert);
    read_good_rows<PointRow>(damaged, [&](const PointRow& point) {
      const Result<std::vector<LayerRecord>> layers = out->layers(point.record);
      errors = errors_of(layers);
      return layers && (check_sums(damaged, point, *layers) || insert(point.record));
    });
    return errors;
  });
  const Result<RowCounts> rows = out->rows();
  if (!errors.empty() || !rows) return errors.empty() ? rows.errors() : errors;
  if (rows->points + rows->layers == 0)
    return {{path, 0, "", "is damaged, and no row of this sweep could be read: sweep again into a new file"}};
  result.repaired = true;
  result.points = rows->points;
  result.layers = rows->layers;
  return out->close(false);
}

// The damaged file gets a second name, which nobody has: a program that is killed before the new one takes the place
// leaves one of the two.
Diagnostics keep_damaged(const std::string& path, std::string& name) {
  name = path + ".damaged";
  for (int n = 2; fs::exists(fs::symlink_status(name)); ++n) name = fmt::format("{}.damaged{}", path, n);
  std::error_code problem, ignored;
  fs::create_hard_link(path, name, problem);
  if (problem) return one(path, fmt::format("{} cannot be made: {}", name, problem.message()));
  for (const char* suffix : {"-wal", "-journal"}) fs::rename(path + suffix, name + suffix, ignored);
  fs::remove(path + "-shm", ignored);
  return {};
}

}  // namespace

Result<MergeResult> merge_shards(const std::string& out, std::span<const std::string> shards,
                                 const std::atomic<bool>* stop) {
  MergeResult result;
  const auto fill = [&](const std::string& part) -> Result<bool> {
    std::vector<std::string> inputs(shards.begin(), shards.end()), warnings;
    std::error_code problem;
    if (fs::exists(out, problem)) inputs.insert(inputs.begin(), out);
    const Result<SweepRecord> sweep = whole_sweep(out, inputs, warnings, stop);
    Result<MergeResult> merged =
        sweep ? merge_into(part, *sweep, inputs, std::move(warnings), stop) : Result<MergeResult>(sweep.errors());
    result.interrupted = stop != nullptr && *stop;
    if (result.interrupted) return false;
    if (!merged) return merged.errors();
    result = *std::move(merged);
    return true;
  };
  const Result<bool> replaced = replace_store(out, fill);
  if (!replaced) return replaced.errors();
  return result;
}

Result<StoreRepair> repair_store(const std::string& path, const SweepRecord& sweep, const std::atomic<bool>* stop) {
  StoreRepair result;
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return result;
  const auto stopped = [&] { return stop != nullptr && *stop; };
  const auto fill = [&](const std::string& part) -> Result<bool> {
    const Result<bool> good = is_whole(path, sweep, result.warnings, stop);
    if (!good) return good;
    if (*good || stopped()) return false;
    if (Diagnostics errors = rescue(path, part, result, sweep, stop); !errors.empty()) return errors;
    return !stopped();
  };
  const auto retire = [&](const std::string& real) { return keep_damaged(real, result.damaged_copy); };
  const Result<bool> replaced = replace_store(path, fill, retire);
  if (stopped() && !(replaced && *replaced)) return one(path, "repairing it was interrupted; it is as it was");
  if (!replaced) return replaced.errors();
  return result;
}

}  // namespace heliolite
