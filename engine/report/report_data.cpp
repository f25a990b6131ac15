#include "engine/report/report_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "engine/base/text.h"
#include "engine/formats/load_mapping.h"
#include "engine/model/compiled.h"
#include "engine/model/cost_model.h"
#include "engine/sweep/question.h"
#include "engine/sweep/set_rows.h"
#include "engine/sweep/totals.h"

namespace heliolite {
namespace {

std::vector<LevelRoom> rooms_in(const Breakdown& breakdown, const Workload& workload) {
  std::vector<LevelRoom> rooms;
  for (auto level = breakdown.level.rbegin(); level != breakdown.level.rend(); ++level) {
    LevelRoom room{level->name, level->used_words, level->capacity_words, {}};
    for (std::size_t v = 0; v < workload.tensors.size(); ++v) {
      if (!level->tensor[v].kept) continue;
      const double words = level->level_words(v, static_cast<double>(level->tensor[v].tile_words));
      room.kept.push_back({workload.tensors[v].name, static_cast<u64>(std::ceil(words)), workload.tensors[v].role});
    }
    rooms.push_back(std::move(room));
  }
  return rooms;
}

}  // namespace

RoomReader::RoomReader(const SweepRecord& sweep, const std::string& database) {
  Result<SweepSpec> spec = asked_sweep(sweep, database);
  if (!spec) {
    why_ = spec.errors();
    return;
  }
  spec_ = std::make_unique<const SweepSpec>(*std::move(spec));
  points_.emplace(*spec_);
}

Result<PointRooms> RoomReader::rooms(std::span<const LayerRecord> layers) const {
  if (!spec_) return why_;
  PointRooms out;
  if (layers.empty()) return out;
  if (layers.front().point >= points_->grid())
    return Diagnostic{"", 0, "", fmt::format("the sweep's text has no point {}", layers.front().point)};
  const Result<Architecture> machine = points_->machine(layers.front().point);
  if (!machine) return machine.errors();
  for (const LayerRecord& layer : layers)
    if (Diagnostics errors = add_rooms(layer, *machine, out); !errors.empty()) return errors;
  return out;
}

Diagnostics RoomReader::add_rooms(const LayerRecord& layer, const Architecture& machine, PointRooms& out) const {
  if (layer.mapping.empty()) {
    out.rooms.emplace_back();
    out.rooflines.emplace_back();
    return {};
  }
  const std::string who = fmt::format("{} of point {}", layer.name, layer.point);
  if (layer.layer >= spec_->layers.size())
    return {{"", 0, "", fmt::format("the sweep's text has no layer for {}", who)}};
  const Workload& workload = spec_->layers[layer.layer].layer.workload;
  const Result<MappingFile> file = MappingFile::parse(layer.mapping, who);
  if (!file) return file.errors();
  const Result<UnitMapping> read = file->read_on_unit(workload, machine);
  if (!read) return read.errors();
  const Architecture& chain = machine.chain(read->unit);
  const Breakdown breakdown = CostModel(workload, chain).explain(read->mapping);
  // Every energy by level and tensor: other files or another model would give others.
  if (breakdown_text(workload, breakdown) != layer.breakdown)
    return {
        {"", 0, "",
         fmt::format("the files that the sweep names no longer give the energies of {} that were written down", who)}};
  out.rooms.push_back(rooms_in(breakdown, workload));
  out.rooflines.emplace_back(roofline(chain, breakdown));
  return {};
}

std::vector<double> RoomReader::operations() const {
  std::vector<double> all;
  if (!spec_) return all;
  for (const SweepLayer& layer : spec_->layers)
    all.push_back(static_cast<double>(layer.layer.workload.macs()) * static_cast<double>(layer.layer.count) *
                  layer.weight);
  return all;
}

void PointSample::add(const PointRecord& point) {
  ++offered_;
  if (kept_.size() < most_) {
    kept_.push_back(point);
    return;
  }
  const u64 place = random_() % offered_;
  if (place < most_) kept_[place] = point;
}

std::vector<PointRecord> PointSample::points() const {
  std::vector<PointRecord> out = kept_;
  std::ranges::sort(out, {}, &PointRecord::id);
  return out;
}

namespace {

std::optional<double> size_of(std::string_view text) {
  if (const std::optional<double> bytes = parse_bytes(text)) return bytes;
  double product = 1;
  for (const std::string& side : split(text, 'x')) {
    const std::optional<double> factor = parse_number<double>(side);
    if (!factor) return std::nullopt;
    product *= *factor;
  }
  return text.empty() ? std::nullopt : std::optional(product);
}

}  // namespace

std::vector<std::string> in_order(std::vector<std::string> values) {
  const auto has_size = [](const std::string& value) { return size_of(value).has_value(); };
  if (std::ranges::all_of(values, has_size)) std::ranges::stable_sort(values, {}, size_of);
  return values;
}

namespace {

// The best and then the front's other points.
std::vector<PointRecord> leading_points(const SweepSummary& summary) {
  std::vector<PointRecord> points = summary.best;
  std::set<u64> ids;
  for (const PointRecord& point : points) ids.insert(point.id);
  for (const PointRecord& point : summary.front)
    if (ids.insert(point.id).second) points.push_back(point);
  return points;
}

}  // namespace

std::vector<PointRecord> ReportData::drawn() const {
  std::vector<PointRecord> points = leading_points(summary);
  points.insert(points.end(), others.begin(), others.end());
  return points;
}

namespace {

// Gathers Certainty, given the best point.
class Rivals {
 public:
  explicit Rivals(const SweepSummary& summary) {
    if (summary.best.empty()) return;
    best_ = summary.best.front();
    certainty_.least_bound = best_->lower_bound;
  }

  void add(const PointRecord& point) {
    const bool counts = point.state == PointState::Done || point.state == PointState::Cut;
    if (!best_ || !counts || point.id == best_->id) return;
    certainty_.least_bound = std::min(certainty_.least_bound, point.lower_bound);
    certainty_.rivals += point.lower_bound < best_->value ? 1 : 0;
  }
  const Certainty& certainty() const { return certainty_; }

 private:
  std::optional<PointRecord> best_;
  Certainty certainty_;
};

void add(Decided& decided, const PointRecord& point, const SweepRecord& sweep) {
  decided.machines += SetRows::machines_of(point.reason);
  const std::string status = front_status(point, sweep);
  decided.certain += status == kFrontPoint ? 1 : 0;
  decided.open += status == kOpenPoint ? 1 : 0;
}

// Gathers LeastBounds.
class ValueBounds {
 public:
  explicit ValueBounds(std::size_t parameters) : least_(parameters) {}

  void add(const PointRecord& point) {
    if (SetRows::is_of_set(point.reason)) least_.clear();
    if (point.state != PointState::Done && point.state != PointState::Cut) return;
    for (std::size_t p = 0; p < std::min(least_.size(), point.values.size()); ++p) {
      const auto [entry, is_new] = least_[p].emplace(point.values[p], point.lower_bound);
      if (!is_new) entry->second = std::min(entry->second, point.lower_bound);
    }
  }
  const LeastBounds& least() const { return least_; }

 private:
  LeastBounds least_;
};

// Errors: those of the store.
Result<SweepProgress> progress_of(const Store& store) {
  const Result<std::vector<RunRecord>> runs = store.runs();
  if (!runs) return runs.errors();
  if (writer_of(store.path())) return SweepProgress::Running;
  return !runs->empty() && runs->back().finished ? SweepProgress::Finished : SweepProgress::Stopped;
}

// The costs of a point's layers as they stand in its totals.
std::vector<LayerCosts> layer_costs(const std::vector<LayerRecord>& layers, const Ranking& ranking,
                                    std::optional<double> cycle_ns) {
  std::vector<LayerCosts> costs;
  for (const LayerRecord& layer : layers) {
    const Totals all = totals({layer}, ranking, cycle_ns);
    LayerRecord run = layer;
    run.count = 1, run.weight = 1;
    const double runs = static_cast<double>(layer.count) * layer.weight;
    costs.push_back({all.energy_pj, layer.cycles * runs, all.sum_of_layer_values,
                     totals({run}, ranking, cycle_ns).lower_bound * runs});
  }
  return costs;
}

// Fills ReportData::layers and, within the limit, ReportData::parts. Errors: those of the store.
Diagnostics read_parts(const Store& store, const ReportLimits& limits, ReportData& data) {
  const std::vector<PointRecord> drawn = data.drawn();
  if (drawn.empty()) return {};
  const Ranking ranking = ranking_of(data.sweep);
  for (const PointRecord& point : drawn) {
    Result<std::vector<LayerRecord>> layers = store.layers(point);
    if (!layers) return layers.errors();
    if (data.layers.empty()) data.layers = *layers;
    if (layers->size() < 2 || drawn.size() > limits.parts / layers->size()) return {};
    data.parts.push_back(layer_costs(*layers, ranking, point.cycle_ns));
  }
  return {};
}

}  // namespace

Result<ReportData> read_report(const Store& store, const ReportLimits& limits) {
  ReportData data;
  data.sweep = store.sweep();
  Result<SweepSummary> summary = summarize(store, limits.best);
  if (!summary) return summary.errors();
  data.summary = std::move(*summary);
  const Result<SweepProgress> progress = progress_of(store);
  if (!progress) return progress.errors();
  data.decided.progress = *progress;

  const std::vector<PointRecord> leading = leading_points(data.summary);
  std::set<u64> leads;
  for (const PointRecord& point : leading) leads.insert(point.id);
  PointSample others(limits.points - std::min(limits.points, leading.size())), cut(limits.cut);
  Rivals rivals(data.summary);
  ValueBounds bounds(data.sweep.parameters.size());
  Diagnostics errors = store.visit_points([&](const PointRecord& point) {
    rivals.add(point);
    bounds.add(point);
    add(data.decided, point, data.sweep);
    if (point.state == PointState::Cut) cut.add(point);
    if (point.state == PointState::Done && !leads.contains(point.id)) others.add(point);
    return true;
  });
  if (!errors.empty()) return errors;
  // A machine may have been mapped and then be left out with a set.
  if (data.sweep.shards == 1) data.decided.machines = std::min(data.decided.machines, data.sweep.shard_points);
  data.others = others.points();
  data.cut = cut.points();
  data.certainty = rivals.certainty();
  data.least_bounds = bounds.least();
  errors = read_parts(store, limits, data);
  if (!errors.empty()) return errors;

  const RoomReader rooms(data.sweep, store.path());
  if (data.why_no_rooms.empty()) data.operations = rooms.operations();
  for (std::size_t i = 0; i < std::min(leading.size(), limits.details); ++i) {
    Result<std::vector<LayerRecord>> layers = store.layers(leading[i]);
    if (!layers) return layers.errors();
    PointLayers& detail =
        data.details.emplace_back(PointLayers{leading[i].id, leading[i].cycle_ns, std::move(*layers), {}});
    if (auto known = rooms.rooms(detail.layers)) detail.made_again = *std::move(known);
    else if (data.why_no_rooms.empty()) data.why_no_rooms = known.errors().front().to_string();
  }
  return data;
}

}  // namespace heliolite
