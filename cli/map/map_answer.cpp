#include "cli/map/map_answer.h"

#include <memory>
#include <utility>

#include "cli/ui/interrupt.h"
#include "engine/model/true_counts/cost.h"

namespace heliolite::cli {
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
  const auto bound = std::make_shared<MovementBound>();
  std::vector<Distances> distances;
  for (std::size_t i = 0; i < result.layers.size(); ++i)
    distances.push_back(distance(bound, network.layers[i].workload, architecture, result.layers[i].result));
  std::vector<std::optional<Cost>> in_true_counts;
  for (std::size_t i = 0; i < result.layers.size(); ++i)
    in_true_counts.push_back(true_cost(network.layers[i].workload, architecture, result.layers[i].result));
  const bool any = options.factors == Factors::Any;
  const Counts counts = any ? Counts::True : Counts::Timeloop;
  std::vector<std::optional<Breakdown>> breakdowns;
  NetworkBreakdown by_level;
  for (std::size_t i = 0; i < result.layers.size(); ++i) {
    breakdowns.emplace_back();
    if (result.layers[i].result.status == Status::Infeasible) continue;
    const CostModel model(network.layers[i].workload, architecture);
    breakdowns.back() = model.explain(result.layers[i].result.mapping, counts);
    by_level.add(*breakdowns.back(), result.layers[i].count);
  }
  return {std::move(network),
          std::move(architecture),
          std::move(result),
          any || options.imperfect,
          counts,
          options.tiles,
          options.evaluator,
          std::move(distances),
          std::move(in_true_counts),
          std::move(breakdowns),
          std::move(by_level)};
}

EdpTotals edp_totals(const NetworkResult& result) {
  EdpTotals out;
  out.of_totals = edp(result.total.energy, result.total.cycles);
  for (const LayerResult& layer : result.layers) {
    if (layer.result.status == Status::Infeasible) continue;
    const auto runs = static_cast<double>(layer.count);
    out.sum += runs * edp(layer.result.cost.energy, layer.result.cost.cycles);
    out.values += runs * layer.result.value;
  }
  return out;
}

double true_utilization(const MapAnswer& answer, std::size_t i) {
  return static_cast<double>(answer.network.layers[i].workload.macs()) /
         static_cast<double>(answer.architecture.compute.instances) / static_cast<double>(answer.true_cost[i]->cycles);
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
