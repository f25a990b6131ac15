// The search: the best mapping of every layer of a network.

#include <pybind11/stl.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/bounds/curve/movement_distance.h"
#include "engine/search/core/option_table.h"
#include "engine/search/map.h"
#include "engine/space/constraint_notes.h"
#include "python/bindings/library_calls.h"

namespace heliolite::python {

namespace {

// A SearchProgress with a name of its own.
struct SearchNews {
  std::string layer;
  SearchProgress progress;
};

py::dict news_as_dict(const SearchNews& news) {
  const auto number = [](double x) { return x == 0 ? py::object(py::none()) : py::cast(x); };
  return py::dict("layer"_a = news.layer, "value"_a = number(news.progress.value),
                  "lower_bound"_a = number(news.progress.lower_bound), "evaluated"_a = news.progress.evaluated,
                  "layer_done"_a = news.progress.layer_done, "layers_done"_a = news.progress.layers_done,
                  "layers"_a = news.progress.layers);
}

// What is asked for and what it is found on.
struct Asked {
  std::shared_ptr<Network> network;
  std::shared_ptr<Architecture> machine;
  SearchOptions options;
  std::vector<std::string> constraint_notes{};  // how the machine's constraints are read
};

py::dict rules_as_dict(const RuleCounts& counts) {
  py::dict out;
  for (const RuleInfo& rule : kRuleTable) {
    const std::size_t r = at(rule.rule);
    if (counts.calls[r] > 0) out[py::str(std::string(rule.name))] = py::make_tuple(counts.calls[r], counts.cuts[r]);
  }
  return out;
}

py::dict other_tiles_as_dict(const OtherTilesProbe& probe, const PlacedMapping& placed) {
  return py::dict("value"_a = probe.value, "lower_bound"_a = probe.lower_bound,
                  "energy_pj"_a = probe.cost.energy.picojoules(), "cycles"_a = probe.cost.cycles,
                  "utilization"_a = probe.utilization, "evaluated"_a = probe.evaluated, "seconds"_a = probe.seconds,
                  "mapping"_a = PlacedMapping{probe.mapping, placed.workload, placed.machine});
}

// The numbers that only a layer with a mapping has.
void add_found(py::dict& out, const MappingResult& r, const std::shared_ptr<Workload>& workload, const Asked& asked,
               MovementBound& bound) {
  // The chain of levels that leads to the unit that runs it; it lives as long as the machine.
  const std::shared_ptr<const Architecture> chain(asked.machine, &asked.machine->chain(r.unit));
  const PlacedMapping placed{r.mapping, workload, chain};
  out["energy_pj"] = r.cost.energy.picojoules();
  out["cycles"] = r.cost.cycles;
  out["utilization"] = r.utilization;
  out["value"] = r.value;
  out["lower_bound"] = r.status == Status::Measured ? py::object(py::none()) : py::cast(r.lower_bound);
  out["gap"] = r.lower_bound > 0 ? py::cast(r.gap) : py::object(py::none());
  out["mapping"] = placed;
  if (r.other_tiles) out["any_look"] = other_tiles_as_dict(*r.other_tiles, placed);
  const auto distances = bound.distances(*workload, *chain, r.mapping);
  out["bounds"] = distances ? py::object(distances_as_list(*distances)) : py::none();
}

py::dict layer_as_dict(const LayerResult& layer, const std::shared_ptr<Workload>& workload, const Asked& asked,
                       MovementBound& bound) {
  const MappingResult& r = layer.result;
  py::dict out;
  out["name"] = layer.name;
  out["count"] = layer.count;
  out["workload"] = workload;
  out["objective"] = minimised(asked.options);
  if (asked.options.evaluator.command.empty()) out["value_unit"] = unit(info(asked.options.objective), "cycles", " ");
  const bool any = asked.options.factors == Factors::Any;
  out["counts"] = std::string(name(any ? Counts::True : Counts::Timeloop));
  out["factors"] = any ? "any" : "perfect";
  out["status"] = std::string(name(r.status));
  out["strategy"] = std::string(name(r.strategy));
  out["ended_by"] = r.end == SearchEnd::Done ? py::object(py::none()) : py::cast(std::string(name(r.end)));
  out["why_not_proven"] = r.why_not_proven.empty() ? py::object(py::none()) : py::cast(r.why_not_proven);
  out["evaluated"] = r.statistics.evaluated;
  out["seconds"] = r.seconds;
  py::list steps;
  for (const StepReport& step : r.statistics.steps) {
    steps.append(
        py::dict("name"_a = std::string(step.name), "evaluated"_a = step.evaluated, "seconds"_a = step.seconds));
  }
  out["steps"] = steps;
  out["rules"] = rules_as_dict(r.statistics.rules);
  std::vector<std::string> reasons;
  for (const Diagnostic& d : r.why_infeasible) reasons.push_back(d.to_string());
  out["reasons"] = reasons;
  if (r.status != Status::Infeasible) add_found(out, r, workload, asked, bound);
  return out;
}

// The optimum of the network's own objective; None: it was not asked for, or a layer has no mapping.
py::object optimum_as_dict(const NetworkResult& result) {
  if (!result.optimum) return py::none();
  const NetworkOptimum& best = *result.optimum;
  py::dict out;
  out["value"] = best.value;
  out["lower_bound"] = best.lower_bound;
  out["gap"] = best.gap;
  out["status"] = std::string(name(best.status));
  out["why_not_proven"] = best.why_not_proven.empty() ? py::object(py::none()) : py::cast(best.why_not_proven);
  out["lambda_pj_per_cycle"] = best.lambda > 0 ? py::object(py::cast(best.lambda)) : py::object(py::none());
  out["searches"] = best.searches;
  out["seconds"] = best.seconds;
  std::vector<std::string> differ;
  for (std::size_t i = 0; i < best.own.size(); ++i)
    if (best.own[i]) differ.push_back(result.layers[i].name);
  out["layers_that_differ"] = differ;
  return out;
}

py::dict answer_as_dict(const NetworkResult& result, const Asked& asked) {
  MovementBound bound;
  py::list layers;
  for (std::size_t i = 0; i < result.layers.size(); ++i)
    layers.append(
        layer_as_dict(result.layers[i], std::make_shared<Workload>(asked.network->layers[i].workload), asked, bound));
  return py::dict("layers"_a = layers, "energy_pj"_a = result.total.energy.picojoules(),
                  "cycles"_a = result.total.cycles, "seconds"_a = result.seconds,
                  "all_feasible"_a = result.all_feasible(), "optimum"_a = optimum_as_dict(result),
                  "constraint_notes"_a = asked.constraint_notes,
                  "alone_note"_a = layers_alone_note(*asked.network, asked.machine->levels.back().name));
}

// (answer, None or the exception that ended the search early). No answer: it came before any.
py::tuple map_network_watched(const std::shared_ptr<Network>& network, std::shared_ptr<Architecture> machine,
                              const NamedValues& given, bool for_network, bool look, const py::object& progress) {
  Asked asked{std::make_shared<Network>(*network), std::move(machine),
              value_of(options_with(value_of(given_options(given))))};
  fit_products(*asked.network, *asked.machine);
  asked.options.network |= for_network;
  asked.options.probe_other_tiles = look;
  asked.constraint_notes =
      constraint_notes(*asked.network, *asked.machine, {.free = asked.options.free, .open = asked.options.open});
  std::atomic<bool> stop = false;
  Mailbox<SearchNews> mailbox;
  asked.options.stop = &stop;
  if (!progress.is_none())
    asked.options.progress = [&](const SearchProgress& p) { mailbox.post({std::string(p.layer), p}); };
  const auto tell = [&] {
    for (const SearchNews& news : mailbox.take()) progress(news_as_dict(news));
  };
  auto outcome = watched(stop, tell, [&] { return map_network(*asked.network, *asked.machine, asked.options); });
  if (!outcome.value && !outcome.raised.is_none()) return py::make_tuple(py::none(), outcome.raised);
  return py::make_tuple(answer_as_dict(value_of(std::move(outcome.value)), asked), outcome.raised);
}

}  // namespace

void add_search(py::module_& module) {
  module.def("map_network", map_network_watched);
  module.def("search_options", [] {
    py::dict out;
    for (const SearchOption& option : search_option_table()) out[py::str(std::string(option.name))] = option.help;
    return out;
  });
}

}  // namespace heliolite::python
