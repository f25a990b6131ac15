#include "engine/sweep/merge.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <set>
#include <system_error>
#include <utility>

#include "engine/base/mapped.h"
#include "engine/sweep/store.h"
#include "engine/sweep/store_open.h"

namespace heliolite {
namespace {

namespace fs = std::filesystem;

Diagnostics one(const std::string& file, std::string message) { return {{file, 0, "", std::move(message)}}; }

std::string row_name(const PointRecord& row) { return fmt::format("point {}", row.id); }
std::string row_name(const LayerRecord& row) {
  return fmt::format("point {}, layer {} ({} of {})", row.point, row.layer, row.name, row.workload);
}

// Files that may be open at a time: all databases are, some with two more files beside them.
void allow_open_files(std::size_t databases) {
  constexpr std::size_t kOfProgram = 64;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const rlim_t wanted = std::min<rlim_t>(limit.rlim_max, 3 * databases + kOfProgram);
  if (limit.rlim_cur >= wanted) return;
  limit.rlim_cur = wanted;
  setrlimit(RLIMIT_NOFILE, &limit);
}

// One of the databases, read from one end to the other.
class Input {
 public:
  // `sweep`: of the whole; `first`: the database that it was taken from.
  static Result<std::unique_ptr<Input>> open(const std::string& path, const SweepRecord& sweep,
                                             const std::string& first, const std::atomic<bool>* stop) {
    Result<OpenStore> store = open_to_read(path, stop);
    if (!store) return store.errors();
    if (store->sweep.question != sweep.question)
      return Diagnostic{path, 0, "", fmt::format("holds another sweep ('{}') than {}", store->sweep.name, first)};
    if (Diagnostics errors = check_structure(*store); !errors.empty()) return errors;
    // It reads each page once.
    if (Diagnostics errors = store->database.execute("PRAGMA cache_size = -256"); !errors.empty()) return errors;
    std::unique_ptr<Input> out(new Input(*std::move(store)));
    if (Diagnostics errors = out->advance(); !errors.empty()) return errors;
    return out;
  }

  // The rows of the point that comes next; none: there are no more.
  const std::optional<RowsOfPoint>& rows() const { return rows_; }
  RowsOfPoint take() { return *std::exchange(rows_, {}); }
  Diagnostics advance() {
    Result<std::optional<RowsOfPoint>> next = walk_.next();
    if (!next) return next.errors();
    rows_ = *std::move(next);
    if (rows_ && rows_->point) ++points_;
    return {};
  }

  const std::string& path() const { return store_.path; }
  const std::vector<std::string>& warnings() const { return store_.warnings; }
  MergedShard summary() const {
    const SweepRecord& sweep = store_.sweep;
    return {store_.path, sweep.shard,         sweep.shards,
            points_,     store_.run.finished, sweep.shards == 1 && sweep.shard_points >= sweep.planned_points};
  }

 private:
  explicit Input(OpenStore store) : store_(std::move(store)), walk_(store_) {}

  OpenStore store_;
  PointWalk walk_;
  std::optional<RowsOfPoint> rows_;
  u64 points_ = 0;
};

// The rows of all inputs in the order of the points, equal ones once.
class Union {
 public:
  explicit Union(std::vector<std::unique_ptr<Input>> inputs) : inputs_(std::move(inputs)) {
    for (std::size_t k = 0; k < inputs_.size(); ++k) come(k);
  }

  Result<std::optional<Store::PointRows>> next() {
    if (coming_.empty()) return std::optional<Store::PointRows>();
    const u64 id = coming_.top().first;
    point_.reset(), layers_.clear();
    while (!coming_.empty() && coming_.top().first == id) {
      const std::size_t k = coming_.top().second;
      coming_.pop();
      RowsOfPoint rows = inputs_[k]->take();
      for (LayerRecord& layer : rows.layers) {
        std::optional<From<LayerRecord>>& place = layers_[layer.layer];
        if (Diagnostics errors = add(place, std::move(layer), k); !errors.empty()) return errors;
      }
      if (rows.point)
        if (Diagnostics errors = add(point_, std::move(rows.point->record), k); !errors.empty()) return errors;
      if (Diagnostics errors = inputs_[k]->advance(); !errors.empty()) return errors;
      come(k);
    }
    Store::PointRows out;
    if (point_) out.point = std::move(point_->row);
    for (auto& [number, layer] : layers_) out.layers.push_back(std::move(layer->row));
    points_ += out.point.has_value(), layer_rows_ += out.layers.size();
    return std::optional(std::move(out));
  }

  std::vector<MergedShard> inputs() const {
    return mapped(inputs_, [&](const auto& input) { return input->summary(); });
  }
  u64 points() const { return points_; }
  u64 layers() const { return layer_rows_; }

 private:
  // A row, and the first input that had it.
  template <class Record>
  struct From {
    Record row;
    std::size_t input;
  };

  void come(std::size_t k) {
    if (inputs_[k]->rows()) coming_.emplace(inputs_[k]->rows()->id, k);
  }

  // The row that is there already says the same.
  template <class Record>
  Diagnostics add(std::optional<From<Record>>& place, Record row, std::size_t input) {
    if (!place) return place.emplace(From<Record>{std::move(row), input}), Diagnostics{};
    const std::string differences = difference(place->row, row);
    if (differences.empty()) return {};
    return one(inputs_[input]->path(), fmt::format("{} contradicts {}: {}; these are not results of the same program",
                                                   row_name(row), inputs_[place->input]->path(), differences));
  }

  std::vector<std::unique_ptr<Input>> inputs_;
  using Coming = std::pair<u64, std::size_t>;  // point, input
  std::priority_queue<Coming, std::vector<Coming>, std::greater<>> coming_;
  std::optional<From<PointRecord>> point_;
  std::map<u64, std::optional<From<LayerRecord>>> layers_;  // [layer]
  u64 points_ = 0, layer_rows_ = 0;
};

// Shards of the whole that are none of the inputs; none if these were cut otherwise.
std::vector<u64> missing_shards(const std::vector<MergedShard>& inputs) {
  std::vector<u64> out;
  const u64 shards = inputs.back().shards;
  const auto cut_otherwise = [&](const MergedShard& s) { return s.shards != shards && s.shards != 1; };
  if (std::ranges::any_of(inputs, cut_otherwise)) return out;
  for (u64 shard = 0; shard < shards; ++shard) {
    const auto is_it = [&](const MergedShard& s) { return s.shard == shard && s.shards == shards; };
    if (std::ranges::none_of(inputs, is_it)) out.push_back(shard);
  }
  return out;
}

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

// Step 1. All databases, each looked through for damage. Step 2. Their rows in order, into a new one. Step 3. What that
// is.
Result<MergeResult> merge_into(const std::string& part, const SweepRecord& sweep, std::span<const std::string> inputs,
                               std::vector<std::string> warnings, const std::atomic<bool>* stop) {
  Result<Store> store = Store::create(part, sweep);
  if (!store) return store.errors();
  allow_open_files(inputs.size());
  std::vector<std::unique_ptr<Input>> all;
  for (const std::string& path : inputs) {
    Result<std::unique_ptr<Input>> input = Input::open(path, sweep, inputs.front(), stop);
    if (!input) return input.errors();
    for (const std::string& warning : (*input)->warnings())
      if (std::ranges::find(warnings, warning) == warnings.end()) warnings.push_back(warning);
    all.push_back(*std::move(input));
  }
  Union rows(std::move(all));
  if (Diagnostics errors = store->fill([&] { return rows.next(); }); !errors.empty()) return errors;
  MergeResult out{rows.inputs(), std::move(warnings), {}, rows.points(), rows.layers(), sweep.planned_points};
  out.missing = missing_shards(out.inputs);
  if (Diagnostics errors = store->close(out.complete()); !errors.empty()) return errors;
  return out;
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
  const OpenStore damaged{path, *std::move(database), {}, kSchemaVersion, sweep, sum_rule_of(sweep), {}, {}};
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

Diagnostics keep_damaged(const std::string& path, std::string& name) {
  if (Diagnostics errors = keep_as(path, ".damaged", name); !errors.empty()) return errors;
  std::error_code ignored;
  for (const char* suffix : {"-wal", "-journal"}) fs::rename(path + suffix, name + suffix, ignored);
  fs::remove(path + "-shm", ignored);
  return {};
}

}  // namespace

bool MergeResult::complete() const {
  if (points >= planned_points) return true;
  std::set<u64> finished;
  const u64 shards = inputs.empty() ? 0 : inputs.back().shards;
  for (const MergedShard& input : inputs) {
    if (!input.finished) continue;
    if (input.whole) return true;
    if (shards > 1 && input.shards == shards) finished.insert(input.shard);
  }
  return shards > 1 && finished.size() == shards;
}

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
