// Databases of sweeps as users of the library read them (heliolite/sweep.h).
#include <fmt/format.h>
#include <heliolite/sweep.h>

#include <utility>

#include "engine/api/inside.h"
#include "engine/base/integers.h"
#include "engine/sweep/export.h"
#include "engine/sweep/front.h"
#include "engine/sweep/totals.h"

namespace heliolite::api {
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

std::vector<DesignPoint> public_points(const std::vector<PointRecord>& points) {
  std::vector<DesignPoint> out;
  for (const PointRecord& point : points) out.push_back(public_point(point));
  return out;
}

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
  std::vector<PointLayer> out;
  for (const LayerRecord& layer : *layers) out.push_back(public_layer(layer));
  return out;
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
