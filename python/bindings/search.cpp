// The search: the best mapping of every layer of a network.

#include <pybind11/stl.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/mapped.h"
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
  out["lower_bound"] = r.status == Status::Measured ? std::nullopt : std::optional(r.lower_bound);
  out["gap"] = r.lower_bound > 0 ? std::optional(r.gap) : std::nullopt;
  out["mapping"] = placed;
  if (r.other_tiles) out["any_look"] = other_tiles_as_dict(*r.other_tiles, placed);
  const auto distances = bound.distances(*workload, *chain, r.mapping);
  out["bounds"] = distances ? std::optional(distances_as_list(*distances)) : std::nullopt;
}

py::dict layer_as_dict(const LayerResult& layer, const std::shared_ptr<Workload>& workload, const Asked& asked,
                       MovementBound& bound) {
  const MappingResult& r = layer.result;
  const bool any = asked.options.factors == Factors::Any;
  const auto step_as_dict = [](const StepReport& step) {
    return py::dict("name"_a = std::string(step.name), "evaluated"_a = step.evaluated, "seconds"_a = step.seconds);
  };
  py::dict out(
      "name"_a = layer.name, "count"_a = layer.count, "workload"_a = workload, "objective"_a = minimised(asked.options),
      "counts"_a = std::string(name(any ? Counts::True : Counts::Timeloop)), "factors"_a = any ? "any" : "perfect",
      "status"_a = std::string(name(r.status)), "strategy"_a = std::string(name(r.strategy)),
      "ended_by"_a = text_or_none(r.end == SearchEnd::Done ? "" : name(r.end)),
      "why_not_proven"_a = text_or_none(r.why_not_proven), "evaluated"_a = r.statistics.evaluated,
      "seconds"_a = r.seconds, "steps"_a = mapped(r.statistics.steps, step_as_dict),
      "rules"_a = rules_as_dict(r.statistics.rules), "reasons"_a = mapped(r.why_infeasible, &Diagnostic::to_string));
  if (asked.options.evaluator.command.empty()) out["value_unit"] = unit(info(asked.options.objective), "cycles", " ");
  if (r.status != Status::Infeasible) add_found(out, r, workload, asked, bound);
  return out;
}

// The optimum of the network's own objective; None: it was not asked for, or a layer has no mapping.
py::object optimum_as_dict(const NetworkResult& result) {
  if (!result.optimum) return py::none();
  const NetworkOptimum& best = *result.optimum;
  std::vector<std::string> differ;
  for (std::size_t i = 0; i < best.own.size(); ++i)
    if (best.own[i]) differ.push_back(result.layers[i].name);
  return py::dict("value"_a = best.value, "lower_bound"_a = best.lower_bound, "gap"_a = best.gap,
                  "status"_a = std::string(name(best.status)), "why_not_proven"_a = text_or_none(best.why_not_proven),
                  "lambda_pj_per_cycle"_a = best.lambda > 0 ? std::optional(best.lambda) : std::nullopt,
                  "searches"_a = best.searches, "seconds"_a = best.seconds, "layers_that_differ"_a = differ);
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
