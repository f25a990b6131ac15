// Sweeps, their runs and their databases as users of the library see them (heliolite/sweep.h).
#include <fmt/format.h>
#include <heliolite/sweep.h>
#include <heliolite/version.h>

#include <utility>

#include "engine/api/inside.h"
#include "engine/base/mapped.h"
#include "engine/base/named.h"
#include "engine/search/core/option_table.h"
#include "engine/sweep/design_points.h"
#include "engine/sweep/export.h"
#include "engine/sweep/front.h"
#include "engine/sweep/merge.h"
#include "engine/sweep/question.h"
#include "engine/sweep/runner.h"
#include "engine/sweep/sweep_yaml.h"
#include "engine/sweep/totals.h"

namespace heliolite::api {

// Sweeps and their runs as users of the library see them (heliolite/sweep.h).

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
  return mapped(state_->spec.layers, [&](const SweepLayer& layer) { return layer.layer.workload.name; });
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

// Databases of sweeps as users of the library read them (heliolite/sweep.h).

namespace {

DesignPoint public_point(const PointRecord& point) {
  return {.id = point.id,
          .state = std::string(name(point.state)),
          .values = point.values,
          .area_um2 = point.area_um2,
          .compute_units = point.compute_units,
          .capacity_bytes = point.capacity_bytes,
          .energy_pj = point.energy_pj,
          .cycles = point.cycles,
          .cycle_ns = point.cycle_ns,
          .value = point.value,
          .lower_bound = point.lower_bound,
          .reason = point.reason};
}

std::vector<DesignPoint> public_points(const std::vector<PointRecord>& points) { return mapped(points, public_point); }

PointLayer public_layer(const LayerRecord& layer) {
  return {.workload = layer.workload,
          .name = layer.name,
          .count = layer.count,
          .weight = layer.weight,
          .status = layer.status,
          .energy_pj = layer.energy_pj,
          .cycles = layer.cycles,
          .value = layer.value,
          .lower_bound = layer.lower_bound,
          .utilization = layer.utilization,
          .evaluated = layer.evaluated,
          .seconds = layer.seconds,
          .mapping = layer.mapping,
          .reason = layer.reason};
}

SweepInfo info_of(const SweepRecord& sweep) {
  return {.name = sweep.name,
          .objective = sweep.objective,
          .strategy = sweep.strategy,
          .goal = sweep.goal,
          .rank = sweep.rank,
          .value_unit = value_unit(ranking_of(sweep)),
          .parameters = sweep.parameters,
          .grid_points = sweep.grid_points,
          .planned_points = sweep.planned_points,
          .shard = sweep.shard,
          .shards = sweep.shards,
          .version = sweep.version,
          .notes = sweep.notes};
}

}  // namespace

std::uint64_t SweepSummary::done() const {
  for (const auto& [state, points] : states)
    if (state == name(PointState::Done)) return points;
  return 0;
}

Result<SweepResults> SweepResults::open(const std::string& database) {
  Result<Store> store = Store::read(database);
  if (!store) return store.errors();
  SweepInfo info = info_of(store->sweep());
  return Inside::handle(*std::move(store), std::move(info));
}

const SweepInfo& SweepResults::info() const { return state_->info; }

Diagnostics SweepResults::visit(const std::function<bool(const DesignPoint&)>& row) const {
  return state_->store.visit_points([&](const PointRecord& point) { return row(public_point(point)); });
}

Result<std::vector<PointLayer>> SweepResults::layers(std::uint64_t point) const {
  const Store& store = state_->store;
  const Result<std::optional<PointRecord>> record = store.point(point);
  if (!record) return record.errors();
  if (!*record) return Diagnostic{store.path(), 0, "", fmt::format("has no point {}", point)};
  const Result<std::vector<LayerRecord>> layers = store.layers(**record);
  if (!layers) return layers.errors();
  return mapped(*layers, public_layer);
}

Result<SweepSummary> SweepResults::summarize(std::size_t best) const {
  const Result<heliolite::SweepSummary> summary = heliolite::summarize(state_->store, best);
  if (!summary) return summary.errors();
  SweepSummary out{
      .states = {}, .best = public_points(summary->best), .front = public_points(summary->front), .effects = {}};
  for (std::size_t state = 0; state < kPointStateNames.size(); ++state)
    out.states.emplace_back(kPointStateNames[state], summary->by_state[state]);
  for (std::size_t p = 0; p < summary->effects.size(); ++p)
    for (const heliolite::ParameterEffect& effect : summary->effects[p])
      out.effects.push_back(
          {state_->info.parameters[p], effect.value, effect.points, effect.best, effect.best_point, effect.mean});
  return out;
}

Diagnostics SweepResults::write_points(std::ostream& out) const { return write_points_csv(state_->store, out); }
Diagnostics SweepResults::write_layers(std::ostream& out) const { return write_layers_csv(state_->store, out); }

}  // namespace heliolite::api
