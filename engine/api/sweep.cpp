// Sweeps and their runs as users of the library see them (heliolite/sweep.h).
#include <fmt/format.h>
#include <heliolite/sweep.h>
#include <heliolite/version.h>

#include <utility>

#include "engine/api/inside.h"
#include "engine/base/named.h"
#include "engine/search/core/option_table.h"
#include "engine/sweep/design_points.h"
#include "engine/sweep/merge.h"
#include "engine/sweep/question.h"
#include "engine/sweep/runner.h"
#include "engine/sweep/sweep_yaml.h"

namespace heliolite::api {
namespace {

Result<SweepOverrides> engine_options(const SweepOptions& options) {
  Diagnostics errors;
  SweepOverrides out;
  out.sample = options.sample;
  const auto complain = [&](const Diagnostics& found) { errors.insert(errors.end(), found.begin(), found.end()); };
  complain(set_goal_and_rank(options.goal, options.rank, out));
  if (auto given = given_options(options.search)) out.options = *std::move(given);
  else complain(given.errors());
  if (auto reading = api::engine_options(options.reading)) out.reading = *std::move(reading);
  else complain(reading.errors());
  if (!errors.empty()) return errors;
  return out;
}

SweepHook engine_hook(const std::function<void(const SweepProgress&)>& progress) {
  if (!progress) return {};
  return [&progress](const SweepNews& news) { progress({news.points, news.kept, news.best}); };
}

}  // namespace

const std::string& Sweep::name() const { return state_->spec.name; }
std::uint64_t Sweep::grid_points() const { return DesignPoints(state_->spec).grid(); }
std::uint64_t Sweep::planned_points() const { return DesignPoints(state_->spec).planned(); }
const Diagnostics& Sweep::warnings() const { return state_->spec.warnings; }

std::vector<std::string> Sweep::parameters() const { return names_of(state_->spec.parameters); }

std::vector<std::string> Sweep::layers() const {
  std::vector<std::string> out;
  for (const SweepLayer& layer : state_->spec.layers) out.push_back(layer.layer.workload.name);
  return out;
}

Result<Sweep> load_sweep(const std::string& path, const SweepOptions& options) {
  const Result<SweepOverrides> overrides = engine_options(options);
  if (!overrides) return overrides.errors();
  return handled(heliolite::load_sweep(path, *overrides));
}

Result<Sweep> parse_sweep(const std::string& text, const std::string& path, const SweepOptions& options) {
  const Result<SweepOverrides> overrides = engine_options(options);
  if (!overrides) return overrides.errors();
  return handled(heliolite::parse_sweep(text, path, *overrides));
}

Result<SweepRun> run_sweep(const Sweep& sweep, const std::string& database, const RunOptions& options) {
  Diagnostics errors;
  const auto threads = given_options({{"threads", fmt::format("{}", options.threads)}});
  if (!threads) errors = threads.errors();
  if (options.shard >= options.shards)
    errors.push_back(
        {"", 0, "shard", fmt::format("shard = {}, must be below shards = {}", options.shard, options.shards)});
  if (!errors.empty()) return errors;
  SweepSpec spec = Inside::of(sweep);
  spec.options.threads = options.threads;
  spec.options.stop = options.stop;
  const Shard shard{options.shard, options.shards};
  const SweepRecord record = sweep_record(spec, shard, to_string(version_info()));
  const Result<GrownStore> grown = grow_store(database, spec, record, spec.file, options.stop);
  if (!grown) return grown.errors();
  Result<Store> store = Store::resume(database, record, options.stop);
  if (!store) return store.errors();
  const Result<heliolite::SweepRun> run = heliolite::run_sweep(spec, *store, shard, engine_hook(options.progress));
  if (!run) return run.errors();
  if (Diagnostics problems = store->close(!run->interrupted); !problems.empty()) return problems;
  return SweepRun{run->interrupted, run->points, run->searched, run->reused, grown->points};
}

Result<MergedSweeps> merge_sweeps(const std::string& out, const std::vector<std::string>& shards) {
  Result<MergeResult> merged = merge_shards(out, shards);
  if (!merged) return merged.errors();
  return MergedSweeps{.points = merged->points,
                      .layers = merged->layers,
                      .planned_points = merged->planned_points,
                      .missing = std::move(merged->missing),
                      .warnings = std::move(merged->warnings)};
}

}  // namespace heliolite::api
