#include "cli/map/map_answer.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "arch/architecture_spec.h"
#include "cli/ui/long_work.h"
#include "cli/ui/table.h"
#include "engine/base/integers.h"
#include "engine/base/mapped.h"
#include "engine/base/text.h"
#include "engine/model/compiled.h"
#include "engine/model/cost_model.h"
#include "engine/model/true_counts/cost.h"

namespace heliolite::cli {

void NetworkBreakdown::add(const Breakdown& layer, u64 count) {
  const auto runs = static_cast<double>(count);
  for (auto from = layer.level.rbegin(); from != layer.level.rend(); ++from) {
    const auto known = std::ranges::find(levels, from->name, &LevelTotal::name);
    LevelTotal& to = known == levels.end() ? levels.emplace_back() : *known;
    to.name = from->name;
    to.leakage += from->leakage * count;
    to.network += from->network_energy() * count;
    to.accesses += from->access_energy() * count;
    for (std::size_t v = 0; v < from->tensor.size(); ++v) {
      const TensorTraffic& t = from->tensor[v];
      to.read += runs * from->level_words(v, static_cast<double>(t.all.reads));
      to.written += runs * from->level_words(v, static_cast<double>(t.all.fills) + static_cast<double>(t.all.updates));
    }
  }
  auto unit = std::ranges::find(units, layer.compute.name, &UnitTotal::name);
  if (unit == units.end()) unit = units.insert(unit, {layer.compute.name, {}, 0});
  unit->energy += layer.compute.energy * count;
  unit->cycles += layer.cycles * count;
  cycles += layer.cycles * count;
}

Energy NetworkBreakdown::compute() const { return sum_of<Energy>(units, &UnitTotal::energy); }

std::string network_breakdown_table(const NetworkBreakdown& b, const Architecture& architecture) {
  Energy total = b.compute();
  for (const LevelTotal& level : b.levels) total += level.energy();
  const std::vector<const StorageLevel*> all = all_levels(architecture);
  const double sum = total.picojoules();
  const EnergyUnit unit = energy_unit(sum);
  const auto part = [&](Energy e) { return e.units == 0 ? "" : unit(e.picojoules()); };
  const auto share = [&](Energy e) { return sum > 0 ? percent(e.picojoules() / sum) : ""; };
  Table table({"<level", fmt::format("accesses [{}]", unit.name), "network below", "leakage", "share", "words read",
               "words written", "words/cycle", "GB/s"});
  for (const LevelTotal& level : b.levels) {
    const StorageLevel& machine = **std::ranges::find(all, level.name, &StorageLevel::name);
    const double rate = (level.read + level.written) / static_cast<double>(b.cycles);
    const auto bits = static_cast<double>(machine.word_bits);
    table.row(
        {level.name, unit(level.accesses.picojoules()), part(level.network), part(level.leakage), share(level.energy()),
         count(std::round(level.read)), count(std::round(level.written)), fmt::format("{:.4g}", rate),
         architecture.cycle_ns ? fmt::format("{:.4g}", gigabytes_per_second(rate, bits, *architecture.cycle_ns)) : ""});
  }
  for (const UnitTotal& of : b.units) table.row({of.name, unit(of.energy.picojoules()), "", "", share(of.energy)});
  return table.to_string() + "  Of all instances and runs; words/cycle: on average.\n";
}

Json network_breakdown_json(const NetworkBreakdown& b) {
  Json levels = Json::array();
  for (const LevelTotal& level : b.levels)
    levels.push_back({{"level", level.name},
                      {"energy_pj", level.energy().picojoules()},
                      {"accesses_pj", level.accesses.picojoules()},
                      {"network_pj", level.network.picojoules()},
                      {"leakage_pj", level.leakage.picojoules()},
                      {"words_read", level.read},
                      {"words_written", level.written}});
  return levels;
}

namespace {

std::optional<Cost> true_cost(const Workload& workload, const Architecture& architecture, const MappingResult& mapped) {
  if (mapped.status == Status::Infeasible || mapped.mapping.is_perfect()) return std::nullopt;
  const CostModel model(workload, architecture);
  if (!has_true_counts(model.compiled())) return std::nullopt;
  const Evaluation e = model.evaluate(mapped.mapping, Counts::True);
  return e.verdict == Verdict::Fits ? std::optional(e.cost) : std::nullopt;
}

// Unless somebody is tired of waiting: curves of large layers take a while.
Distances distance(const std::shared_ptr<MovementBound>& bound, const Workload& workload,
                   const Architecture& architecture, const MappingResult& mapped) {
  const auto unknown = [&](std::string why) { return Diagnostic{workload.name, 0, "", std::move(why)}; };
  if (mapped.status == Status::Infeasible) return unknown("the layer has no mapping");
  const auto known = until_interrupted([bound, workload, architecture, mapping = mapped.mapping] {
    return bound->distances(workload, architecture, mapping);
  });
  return known ? *known : Distances(unknown("interrupted before the least data movement was known"));
}

}  // namespace

MapAnswer map_answer(Network network, Architecture architecture, NetworkResult result, const SearchOptions& options) {
  const bool any = options.factors == Factors::Any;
  MapAnswer out{std::move(network),
                std::move(architecture),
                std::move(result),
                any,
                any ? Counts::True : Counts::Timeloop,
                options.tiles,
                options.evaluator,
                options.objective,
                {},
                {},
                {},
                {}};
  const auto bound = std::make_shared<MovementBound>();
  for (std::size_t i = 0; i < out.result.layers.size(); ++i) {
    const Workload& workload = out.network.layers[i].workload;
    const MappingResult& found = out.result.layers[i].result;
    out.distances.push_back(distance(bound, workload, out.chain(i), found));
    out.true_cost.push_back(true_cost(workload, out.chain(i), found));
    out.breakdowns.emplace_back();
    if (found.status == Status::Infeasible) continue;
    out.breakdowns.back() = CostModel(workload, out.chain(i)).explain(found.mapping, out.counts);
    out.by_level.add(*out.breakdowns.back(), out.result.layers[i].count);
  }
  return out;
}

EdpTotals edp_totals(const MapAnswer& answer) {
  const NetworkResult& result = answer.result;
  EdpTotals out;
  out.of_totals = edp(result.total.energy, result.total.cycles);
  for (const LayerResult& layer : result.layers) {
    if (layer.result.status == Status::Infeasible) continue;
    const auto runs = static_cast<double>(layer.count);
    out.sum += runs * edp(layer.result.cost.energy, layer.result.cost.cycles);
    out.values += runs * layer.result.value;
  }
  if (answer.evaluator.command.empty())
    out.value_of_totals = objective_number(answer.objective, result.total) *
                          machine_factor(answer.objective, answer.architecture.area_um2(), work_of(answer).macs);
  return out;
}

double true_utilization(const MapAnswer& answer, std::size_t i) {
  const Compiled compiled(answer.network.layers[i].workload, answer.chain(i));
  return utilization(compiled, answer.chain(i), answer.true_cost[i]->cycles);
}

std::optional<Throughput> throughput(const MapAnswer& answer) {
  if (answer.network.layers.size() < 2 || !answer.result.all_feasible()) return std::nullopt;
  const Work work = work_of(answer);
  const std::optional<Rates> run = rates(work, answer.architecture);
  Throughput out;
  if (run) out.runs_per_second = run->per_second;
  if (const auto inferences = answer.network.inferences()) {
    const auto n = static_cast<double>(*inferences);
    out.inference_picojoules = work.picojoules / n;
    if (run) out.inferences_per_second = run->per_second * n;
  }
  if (const auto tokens = answer.network.run_tokens()) {
    out.token_picojoules = work.picojoules / *tokens;
    if (run) out.tokens_per_second = run->per_second * *tokens;
  }
  return out;
}

Work work_of(const MapAnswer& answer) {
  const Cost& total = answer.result.total;
  Work work{total.energy.picojoules(), static_cast<double>(total.cycles), 0};
  for (std::size_t i = 0; i < answer.breakdowns.size(); ++i)
    if (answer.breakdowns[i])
      work.macs += static_cast<double>(answer.result.layers[i].count) *
                   static_cast<double>(answer.network.layers[i].workload.macs());
  return work;
}

}  // namespace heliolite::cli
