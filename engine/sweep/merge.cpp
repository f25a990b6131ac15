#include "engine/sweep/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <system_error>
#include <utility>

#include "engine/base/file_claims.h"
#include "engine/sweep/record_text.h"
#include "engine/sweep/store.h"
#include "engine/sweep/store_lock.h"
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

MergeResult stopped() {
  MergeResult result;
  result.interrupted = true;
  return result;
}

Result<MergeResult> merge_into(const std::string& part, const SweepRecord& sweep, std::span<const std::string> inputs,
                               std::vector<std::string> warnings, const std::atomic<bool>* stop) {
  Result<Store> store = Store::create(part, sweep);
  if (!store) return store.errors();
  Merger merger(*std::move(store), std::move(warnings), stop);
  for (const std::string& input : inputs) {
    Diagnostics errors = merger.add(input);
    if (stop != nullptr && *stop) return stopped();
    if (!errors.empty()) return errors;
  }
  return merger.finish();
}

}  // namespace

Result<MergeResult> merge_shards(const std::string& out, std::span<const std::string> shards,
                                 const std::atomic<bool>* stop) {
  // Step 1. Nobody else writes the result.
  if (Diagnostics taken = FileClaims::of_program().use_database(out); !taken.empty()) return taken;
  const Result<WriterLock> lock = WriterLock::take(out);
  if (!lock) return lock.errors();
  std::error_code problem;
  const bool replaces = fs::exists(out, problem);
  std::vector<std::string> inputs(shards.begin(), shards.end());
  if (replaces) inputs.insert(inputs.begin(), out);
  std::vector<std::string> warnings;
  const Result<SweepRecord> sweep = whole_sweep(out, inputs, warnings, stop);
  if (!sweep) return stop != nullptr && *stop ? Result<MergeResult>(stopped()) : sweep.errors();
  // Step 2. All rows into a file beside it.
  const std::string part = out + ".part";
  remove_store(part);
  Result<MergeResult> result = merge_into(part, *sweep, inputs, std::move(warnings), stop);
  // Step 3. That file takes the result's place.
  const bool whole = result && !result->interrupted;
  if (whole && replaces)
    if (Diagnostics errors = settle_store(out); !errors.empty()) result = errors;
  if (whole && result) {
    fs::rename(part, out, problem);
    if (problem) result = one(out, fmt::format("cannot be written: {}", problem.message()));
  }
  if (!whole || !result) remove_store(part);
  return result;
}

}  // namespace heliolite
