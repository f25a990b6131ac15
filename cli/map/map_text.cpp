// The answer of `heliolite map` as text.
#include <fmt/format.h>

#include "cli/map/answer_texts.h"
#include "cli/map/map_answer.h"
#include "cli/ui/table.h"
#include "cli/ui/units.h"
#include "engine/base/text.h"

namespace heliolite::cli {
namespace {

// At the outermost boundary; null where nothing is known.
const LevelDistance* outermost(const Distances& levels) {
  return levels && !levels->empty() ? &levels->back() : nullptr;
}

// The distance of all layers together; empty if it is not known of each.
std::string total_distance(const MapAnswer& answer) {
  // Layers may count in words, bytes or bits.
  const double word_bytes = static_cast<double>(answer.architecture.levels.back().word_bits) / 8;
  double moved = 0, least = 0;
  for (std::size_t i = 0; i < answer.distances.size(); ++i) {
    const LevelDistance* distance = outermost(answer.distances[i]);
    if (distance == nullptr) return "";
    const double runs =
        static_cast<double>(answer.result.layers[i].count) * distance->bound.boundary.unit.bytes(word_bytes);
    moved += runs * static_cast<double>(distance->mapping.accesses);
    least += runs * static_cast<double>(distance->bound.least);
  }
  return fmt::format("{:.2f}", moved / least);
}

// Whether energy, cycles and their product, which the table has columns for, are what was minimised; else that column
// is the objective's.
bool shows_edp(const MapAnswer& answer) {
  const ObjectiveInfo& o = info(answer.objective);
  return !answer.evaluator.command.empty() || (o.cycles_power <= 1 && o.area_power == 0 && !o.per_operation);
}

// What was minimised, of the whole network; of a reciprocal also what should be large.
std::string value_of_totals_text(const MapAnswer& answer, const EdpTotals& totals) {
  constexpr std::string_view kReciprocal = "1 / ";
  const ObjectiveInfo& o = info(answer.objective);
  if (shows_edp(answer) || totals.value_of_totals == 0) return "";
  const std::string in = unit(o);
  std::string text = fmt::format("\n  {} of the totals: {} {}", o.label, scientific(totals.value_of_totals), in);
  if (o.label.starts_with(kReciprocal))
    text += fmt::format("; {}: {} per ({})", o.label.substr(kReciprocal.size()), scientific(1 / totals.value_of_totals),
                        in);
  if (!o.per_operation) text += fmt::format("; sum of the layers' own {} {}", scientific(totals.values), in);
  return text + "\n";
}

std::string result_table(const MapAnswer& answer) {
  const NetworkResult& result = answer.result;
  const EnergyUnit unit = energy_unit(result.total.energy.picojoules());
  const bool one_unit = answer.architecture.units.empty();
  std::vector<std::string> heading{"<layer",
                                   "count",
                                   "<size",
                                   fmt::format("energy [{}]", unit.name),
                                   "cycles",
                                   "utilization",
                                   title(shows_edp(answer) ? Objective::Edp : answer.objective),
                                   "gap",
                                   fmt::format("x least {}", answer.architecture.levels.back().name),
                                   "|<status",
                                   "evaluated",
                                   "time"};
  if (!one_unit) heading.insert(heading.begin() + 1, "<unit");
  Table table(heading);
  for (std::size_t i = 0; i < result.layers.size(); ++i) {
    const LayerResult& layer = result.layers[i];
    const MappingResult& r = layer.result;
    std::vector<std::string> row{layer.name, fmt::format("{}", layer.count),
                                 sizes_text(answer.network.layers[i].workload)};
    if (!one_unit) row.insert(row.begin() + 1, answer.chain(i).compute.name);
    if (r.status == Status::Infeasible) {
      row.insert(row.end(), {"-", "-", "-", "-", "-", ""});
    } else {
      const bool bounded = r.lower_bound > 0;
      const LevelDistance* distance = outermost(answer.distances[i]);
      row.insert(row.end(), {unit(r.cost.energy.picojoules()), grouped(r.cost.cycles), percent(r.utilization),
                             scientific(shows_edp(answer) ? edp(r.cost.energy, r.cost.cycles) : r.value),
                             bounded ? percent(r.gap) : "", distance ? fmt::format("{:.2f}", distance->ratio()) : ""});
    }
    row.insert(row.end(), {status_text(status_word(r), answer.any_factors, answer.tiles),
                           grouped(r.statistics.evaluated), seconds(r.seconds)});
    table.row(row);
  }
  table.rule();
  u64 runs = 0;
  for (const LayerResult& layer : result.layers)
    if (layer.result.status != Status::Infeasible) runs += layer.count;
  const Cost& total = result.total;
  const EdpTotals edps = edp_totals(answer);
  const bool one = runs <= 1;  // then both are the same
  std::vector<std::string> last{result.all_feasible() ? "total" : "total of what fits",
                                fmt::format("{}", runs),
                                "",
                                unit(total.energy.picojoules()),
                                grouped(total.cycles),
                                "",
                                one ? scientific(shows_edp(answer) ? edps.of_totals : edps.values) : "",
                                "",
                                total_distance(answer),
                                "",
                                "",
                                seconds(result.seconds)};
  if (!one_unit) last.insert(last.begin() + 1, "");
  table.row(last);
  const std::string own = value_of_totals_text(answer, edps);
  if (one) return table.to_string() + own;
  return table.to_string() + own +
         fmt::format("\n  EDP: total energy x total cycles {} pJ x cycles; sum of the layers' EDPs {} pJ x cycles\n",
                     scientific(edps.of_totals), scientific(edps.sum));
}

// What was found for the network's own objective, and which layers have another mapping for it than alone.
std::string optimum_lines(const MapAnswer& answer) {
  if (!answer.result.optimum) return "";
  const NetworkOptimum& best = *answer.result.optimum;
  const ObjectiveInfo& o = info(answer.objective);
  const std::string proof = best.status == Status::Optimal
                                ? "no choice of mappings has less"
                                : fmt::format("at most {} above the least; {}", percent(best.gap), best.why_not_proven);
  std::string text = fmt::format(
      "\n  network: {} of the totals {} {}, {}: {}; {} layer searches for energy + lambda x cycles, {}\n", o.label,
      scientific(best.value), unit(o), name(best.status), proof, best.searches, seconds(best.seconds));
  for (std::size_t i = 0; i < best.own.size(); ++i) {
    if (!best.own[i]) continue;
    const LayerResult& layer = answer.result.layers[i];
    text += fmt::format("  {} alone: {}, {} cycles; for the network {}, {} cycles\n", layer.name,
                        energy(best.own[i]->energy.picojoules()), grouped(best.own[i]->cycles),
                        energy(layer.result.cost.energy.picojoules()), grouped(layer.result.cost.cycles));
  }
  return text;
}

// What the short looks at all tile sizes found, of all layers together; empty if there were none.
std::string looks_text(const NetworkResult& result) {
  double perfect = 0, found = 0, bound = 0, time = 0;
  u64 evaluated = 0;
  for (const LayerResult& layer : result.layers) {
    if (!layer.result.other_tiles) continue;
    const OtherTilesProbe& probe = *layer.result.other_tiles;
    const auto runs = static_cast<double>(layer.count);
    perfect += runs * layer.result.value, found += runs * probe.value, bound += runs * probe.lower_bound;
    evaluated += probe.evaluated, time += probe.seconds;
  }
  if (perfect == 0) return "";
  // In percent, or where little of 100 % is left, how many times lower.
  const auto lower = [&](double value) {
    return value < perfect / 100 ? fmt::format("{:.0f} times", perfect / value) : percent(1 - value / perfect);
  };
  return fmt::format(
      "\n  any tile size: {} lower found, at most {} lower possible (--factors any); {} mappings, {} (--no-look)\n",
      lower(found), lower(bound), grouped(evaluated), seconds(time));
}

// What the averages of the table hide.
std::string true_counts_text(const MapAnswer& answer) {
  std::string text;
  for (std::size_t i = 0; i < answer.true_cost.size(); ++i) {
    if (!answer.true_cost[i] || answer.counts == Counts::True) continue;
    const Cost& cost = *answer.true_cost[i];
    text += fmt::format(
        "  {}: its factors do not divide; the costs above are Timeloop's averages. Every word counted: "
        "{}, {} cycles, EDP {:.4g}, utilization {}.\n",
        answer.result.layers[i].name, energy(cost.energy.picojoules()), grouped(cost.cycles),
        edp(cost.energy, cost.cycles), percent(true_utilization(answer, i)));
  }
  return text.empty() ? text : "\n" + text;
}

// "; 91.61 inferences/s, 10.93 mJ each", tokens where the network has them, or what one run is that is no inference.
std::string throughput_text(const MapAnswer& answer) {
  const std::optional<Throughput> t = throughput(answer);
  if (!t) return "";
  std::string text;
  if (t->inferences_per_second)
    text += fmt::format("; {:.4g} inferences/s, {} each", *t->inferences_per_second, energy(*t->inference_picojoules));
  else if (t->runs_per_second && !t->inference_picojoules) text += fmt::format("; {:.4g} runs/s", *t->runs_per_second);
  if (t->token_picojoules)
    text += fmt::format("\n  tokens: {}{} each",
                        t->tokens_per_second ? fmt::format("{:.4g} tokens/s, ", *t->tokens_per_second) : "",
                        energy(*t->token_picojoules));
  const std::string& run = answer.network.one_run;
  return run.empty() ? text : text + fmt::format("\n  a run is no inference: {}", run);
}

// Where the energy goes, and what it comes to in seconds and W.
std::string whole_text(const MapAnswer& answer) {
  if (answer.by_level.levels.empty()) return "";
  const Work work = work_of(answer);
  std::string text = "\n" + network_breakdown_table(answer.by_level, answer.architecture);
  text += fmt::format("\n  {}: {}", answer.result.all_feasible() ? "one run" : "what fits",
                      rates_text(work, answer.architecture));
  text += throughput_text(answer) + fmt::format("\n  area: {}\n", area_text(answer.architecture));
  const std::string alone = layers_alone_note(answer.network, answer.architecture.levels.back().name);
  return alone.empty() ? text : text + "  " + alone + "\n";
}

}  // namespace

std::string map_text(const MapAnswer& answer) {
  std::vector<NotProven> not_proven;
  const std::optional<NetworkOptimum>& best = answer.result.optimum;
  for (std::size_t i = 0; i < answer.result.layers.size(); ++i)
    if (!best || !best->own[i])
      not_proven.push_back({answer.result.layers[i].name, answer.result.layers[i].result.why_not_proven});
  std::string text = result_table(answer) + optimum_lines(answer) + whole_text(answer) +
                     evaluator_text(answer.result, answer.evaluator) + not_proven_text(not_proven) +
                     true_counts_text(answer) + looks_text(answer.result) + proofs_text(answer.proofs, answer.result) +
                     (answer.network_proof ? network_proof_text(*answer.network_proof) : "");
  if (answer.distances.size() != 1 || answer.result.layers[0].result.status == Status::Infeasible) return text;
  const Distances& levels = answer.distances[0];
  if (!levels) return text + fmt::format("\n  No bound on words moved: {}.\n", levels.errors().front().message);
  if (levels->empty()) return text;
  return text + "\n" + level_table(*levels, answer.network.layers[0].workload);
}

}  // namespace heliolite::cli
