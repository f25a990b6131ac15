// The answer of a sweep as tables, as JSON and with proofs: the same at the end of the sweep and from its database
// later.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <span>

#include "cli/map/answer_texts.h"
#include "cli/map/map_proof.h"
#include "cli/sweep/sweep_parts.h"
#include "cli/ui/table.h"
#include "engine/base/mapped.h"
#include "engine/base/text.h"
#include "engine/formats/load_mapping.h"
#include "engine/model/cost_model.h"
#include "engine/sweep/design_points.h"
#include "engine/sweep/export.h"
#include "engine/sweep/totals.h"

namespace heliolite::cli {
namespace {

constexpr std::size_t kMaxFrontRows = 30;
constexpr double kUm2PerMm2 = 1e6;

// How far the value may be above the least possible one; empty where no bound is known.
std::string gap(double value, double lower_bound) { return lower_bound > 0 ? percent(value / lower_bound - 1) : ""; }

// How many times the least words that any mapping moves; empty where they are not known.
std::string distance(double moved, double least) { return least > 0 ? fmt::format("{:.2f}", moved / least) : ""; }

std::string points_table(const SweepRecord& sweep, std::span<const PointRecord> points) {
  double largest = 0;
  for (const PointRecord& point : points) largest = std::max(largest, point.energy_pj);
  const EnergyUnit unit = energy_unit(largest);
  std::vector<std::string> headings{"point"};
  headings.insert(headings.end(), sweep.parameters.begin(), sweep.parameters.end());
  const Ranking ranking = ranking_of(sweep);
  headings.insert(headings.end(), {fmt::format("energy [{}]", unit.name), "cycles"});
  if (ranking.seconds) headings.push_back("delay");
  headings.insert(headings.end(), {"area [mm2]", "units", value_title(sweep), "gap", "x least words"});
  Table table(headings);
  for (const PointRecord& point : points) {
    std::vector<std::string> row{grouped(point.id)};
    row.insert(row.end(), point.values.begin(), point.values.end());
    row.insert(row.end(), {unit(point.energy_pj), count(point.cycles)});
    if (ranking.seconds) row.push_back(with_prefix(delay(ranking, point), "s"));
    row.insert(row.end(), {fmt::format("{:.4g}", point.area_um2 / kUm2PerMm2), grouped(point.compute_units),
                           scientific(point.value), gap(point.value, point.lower_bound),
                           distance(point.words_moved, point.least_words)});
    table.row(row);
  }
  return table.to_string();
}

std::string layers_table(const SweepRecord& sweep, const std::vector<LayerRecord>& layers) {
  const bool any_factors = has_any_factors(sweep);
  const Tiles tiles = tiles_of(sweep);
  double largest = 0;
  for (const LayerRecord& layer : layers) largest = std::max(largest, layer.energy_pj);
  const EnergyUnit unit = energy_unit(largest);
  Table table({"<workload", "<layer", "count", "weight", fmt::format("energy [{}]", unit.name), "cycles", "utilization",
               heliolite::title(ranking_of(sweep).objective), "gap", "x least words", "<status"});
  for (const LayerRecord& layer : layers)
    table.row({layer.workload, layer.name, grouped(layer.count), fmt::format("{:g}", layer.weight),
               unit(layer.energy_pj), count(layer.cycles), percent(layer.utilization), scientific(layer.value),
               gap(layer.value, layer.lower_bound),
               distance(static_cast<double>(layer.words_moved), static_cast<double>(layer.least_words)),
               status_text(layer.status, any_factors, tiles)});
  std::vector<NotProven> not_proven;
  for (const LayerRecord& layer : layers)
    not_proven.push_back({fmt::format("{} {}", layer.workload, layer.name), layer.mapping.empty() ? "" : layer.reason});
  return table.to_string() + not_proven_text(not_proven);
}

std::string states_table(const SweepSummary& summary) {
  Table table({"<points", "number", "<why"});
  for (std::size_t s = 0; s < kPointStateNames.size(); ++s) {
    const auto state = static_cast<PointState>(s);
    if (summary.count(state) == 0) continue;
    bool first = true;
    for (const ReasonCount& reason : summary.reasons) {
      if (reason.state != state) continue;
      table.row({first ? std::string(name(state)) : "", grouped(reason.points), reason.reason});
      first = false;
    }
    if (first) table.row({std::string(name(state)), grouped(summary.count(state)), ""});
  }
  return table.to_string();
}

// What several workloads make of a value, and what the mappings keep to.
std::string mean_and_limits_text(const SweepRecord& sweep) {
  const Ranking ranking = ranking_of(sweep);
  const SweepLimits limits = asked_limits(sweep);
  std::string text;
  if (ranking.mean != SweepMean::Total)
    text += fmt::format("value: the {} mean of those of the workloads, by weight\n\n", name(ranking.mean));
  if (!limits.any()) return text;
  std::vector<std::string> most;
  if (limits.energy_pj) most.push_back(fmt::format("{:g} pJ", *limits.energy_pj));
  if (limits.delay) most.push_back(fmt::format("{:g} {}", *limits.delay, delay_unit(ranking)));
  if (limits.power) most.push_back(fmt::format("{:g} {}", *limits.power, ranking.seconds ? "W" : "pJ a cycle"));
  return text + fmt::format("limits: {}{}; the mappings of a network keep to them together\n\n", join(most),
                            ranking.mean == SweepMean::Total ? "" : " of each workload");
}

// What points are ranked by, where it could be another sum.
std::string sums_text(const SweepRecord& sweep) {
  const Ranking ranking = ranking_of(sweep);
  if (!ranks_differ(ranking) || asked_limits(sweep).any()) return "";
  const std::string_view squared = info(ranking.objective).cycles_power > 1 ? " squared" : "";
  const std::string delays = ranking.seconds ? "total delay" : "total cycles";
  const std::string_view area = info(ranking.objective).area_power > 0 ? " x area" : "";
  const auto asked = parse_asked_objective(sweep.objective);
  if (asked && asked->network)
    return fmt::format("ranked by {}: total energy x {}{}{}, for which each point's layers are mapped together\n\n",
                       sweep.objective, delays, squared, area);
  return ranking.rank == SweepRank::Totals
             ? fmt::format(
                   "ranked by {0} of totals: total energy x {1}{2}{3}, each layer mapped for its own {0}; the sum "
                   "over layers: --rank layers\n\n",
                   sweep.objective, delays, squared, area)
             : fmt::format(
                   "ranked by the sum of {0}: over the layers, by count and weight; {0} of totals (total "
                   "energy x {1}{2}{3}): --rank totals\n\n",
                   sweep.objective, delays, squared, area);
}

// The answer that a layer's row has kept. Errors: its mapping is not one of the machine.
Result<MappingResult> answer_of(const LayerRecord& row, const Workload& workload, const Architecture& machine) {
  MappingResult out;
  const Result<MappingFile> file = MappingFile::parse(row.mapping, row.name);
  if (!file) return file.errors();
  const Result<UnitMapping> read = file->read_on_unit(workload, machine);
  if (!read) return read.errors();
  out.unit = read->unit;
  out.mapping = read->mapping;
  out.cost = CostModel(workload, machine.chain(out.unit)).evaluate(out.mapping).cost;
  out.status = Status::Optimal;
  out.value = row.value, out.lower_bound = row.lower_bound, out.utilization = row.utilization;
  return out;
}

}  // namespace

std::string sweep_tables(const SweepRecord& sweep, const SweepSummary& summary,
                         const std::vector<LayerRecord>& layers_of_best) {
  std::string text;
  if (!summary.best.empty()) {
    const std::size_t shown = std::min(kMaxFrontRows, summary.front.size());
    text += "Best points\n" + points_table(sweep, summary.best) + "\n";
    text += fmt::format("Pareto front over energy, {} and area: {} points{}\n",
                        ranking_of(sweep).seconds ? "delay" : "cycles", summary.front.size(),
                        shown < summary.front.size() ? fmt::format(", the {} of least energy", shown) : "") +
            points_table(sweep, std::span(summary.front).first(shown)) + "\n" + sums_text(sweep) +
            mean_and_limits_text(sweep);
    text += fmt::format("Layers of point {}\n", grouped(summary.best.front().id)) +
            layers_table(sweep, layers_of_best) + "\n";
    if (const std::string alone = layers_alone_note(sweep); !alone.empty()) text += alone + "\n\n";
  }
  return text + states_table(summary);
}

Json asked_json(Json given, const SweepRecord& sweep, const Json& more) {
  given.update({{"name", sweep.name},
                {"hash", sweep.question},
                {"objective", sweep.objective},
                {"strategy", sweep.strategy},
                {"goal", sweep.goal},
                {"rank", sweep.rank},
                {"delay_unit", sweep.delay_unit},
                {"parameters", sweep.parameters}});
  given.update(more);
  return given;
}

void add_sweep_answer(Json& answer, const SweepRecord& sweep, const SweepSummary& summary,
                      const std::vector<LayerRecord>& layers_of_best) {
  Json& counts = answer["counts"] = Json::object();
  for (std::size_t s = 0; s < kPointStateNames.size(); ++s)
    counts[std::string(kPointStateNames[s])] = summary.by_state[s];
  answer["reasons"] = Json::array();
  for (const ReasonCount& reason : summary.reasons)
    answer["reasons"].push_back({{"state", name(reason.state)}, {"reason", reason.reason}, {"points", reason.points}});
  const Ranking ranking = ranking_of(sweep);
  const auto points = [&](const std::vector<PointRecord>& records) {
    Json out = mapped(records, [&](const PointRecord& point) { return heliolite::to_json(point, sweep, ranking); });
    return out;
  };
  answer["mapspace"] = mapspace_json(has_any_factors(sweep), counts_of(sweep), tiles_of(sweep));
  answer["notes"] = sweep.notes;
  answer["best"] = points(summary.best);
  answer["front"] = points(summary.front);
  answer["layers"] = mapped(layers_of_best, [&](const LayerRecord& layer) { return heliolite::to_json(layer); });
}

std::string proofs_refused(const SweepSpec& spec) {
  return spec.options.network ? "proofs are of layers, the objective is of whole networks"
                              : proof::refusal(spec.options);
}

Result<SweepProofs> write_sweep_proofs(const SweepSpec& spec, const Store& store, const SweepSummary& summary,
                                       const std::string& folder, const Output& output) {
  SweepProofs out;
  const DesignPoints points(spec);
  const auto is_stopped = [&] { return spec.options.stop != nullptr && spec.options.stop->load(); };
  for (const PointRecord& point : summary.best) {
    const Result<std::vector<LayerRecord>> rows = store.layers(point);
    if (!rows) return rows.errors();
    const Result<Architecture> machine = points.machine(point.id);
    if (!machine) return machine.errors();
    Json layers = Json::array();
    std::map<std::string, Json> known;  // by question: layers of equal shape share a proof
    for (const LayerRecord& row : *rows) {
      if (is_stopped()) break;
      Json& proof = known[row.question];
      if (proof.is_null() && row.status != name(Status::Optimal)) {
        proof = {{"refused", "no proof of an answer that is not optimal"}};
      } else if (proof.is_null()) {
        const Workload& workload = spec.layers[row.layer].layer.workload;
        Result<MappingResult> answer = answer_of(row, workload, *machine);
        if (!answer) return answer.errors();
        const std::string file = (std::filesystem::path(folder) / std::to_string(point.id) /
                                  (file_name_of(row.workload + "-" + row.name) + ".proof.gz"))
                                     .string();
        ProofTask task{*machine, spec.options, {.target = folder}, output};
        proof = write_proof_once(workload, *answer, file, task);
        out.is_right &= task.is_right;
      }
      ++(proof.contains("file") ? out.files : out.without);
      layers.push_back({{"workload", row.workload}, {"name", row.name}, {"proof", proof}});
    }
    out.points.push_back({{"id", point.id}, {"layers", std::move(layers)}});
  }
  return out;
}

}  // namespace heliolite::cli
