#include "cli/bench/bench_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/ui/table.h"
#include "engine/base/mapped.h"
#include "engine/base/text.h"

namespace heliolite::cli {
namespace {

// A number as text when it exists.
template <class T, class Show>
std::string maybe(const std::optional<T>& value, Show show) {
  return value ? show(*value) : "";
}

std::string ratio_text(double r) { return fmt::format("{:.4f}", r); }

// A mapper that crashed or failed says nothing of whether there is a mapping.
std::string status_of(const BenchRow& row) {
  const std::string why = row.why_infeasible.empty() ? "" : row.why_infeasible.front().field;
  if (why == kMapperCrashed) return "crashed";
  if (why == kMapperFailed) return "failed";
  return row.status ? std::string(name(*row.status)) : "external";
}

template <class T>
std::string csv_number(const std::optional<T>& value) {
  return value ? fmt::format("{}", *value) : "";
}

template <class T>
Json json_of(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json trace_json(const std::vector<TracePoint>& trace) {
  return mapped(trace, [](const TracePoint& point) { return Json{point.evaluated, point.seconds, point.value}; });
}

Json evaluator_json(const BenchRow& row) {
  return row.evaluator ? to_json(*row.evaluator, row.value.has_value()) : Json();
}

// "1.0842", or ">= 1.0842" to a value that nobody has proven to be the optimum.
std::string ratio_to_optimum(const AblationLayer& layer, const AblationRow& row) {
  const auto r = ratio(layer, row);
  return r ? (layer.optimum.proven ? "" : ">= ") + ratio_text(*r) : "";
}

std::string points_text(const AblationRow& row) {
  return (row.at_most ? "<= " : row.finished ? "" : "> ") + count(row.points);
}

std::string optimum_text(const AblationOptimum& best) {
  if (best.proven) return "proven optimum";
  if (best.value <= 0) return "no mapping";
  return best.lower_bound > 0 ? fmt::format("best known, gap {}", percent(best.value / best.lower_bound - 1))
                              : "best known";
}

// Over the layers on which every searched step finished: points and values of the others cannot be compared.
std::string mean_table(const AblationResult& result) {
  Table table({"<rules", "points, mean", "fewer than before", "mean ratio to the optimum"});
  double before = 0;
  u64 layers = 0;
  bool proven = true;
  for (std::size_t step = 0; step < kAblationSteps; ++step) {
    double points = 0, values = 0;
    bool valued = false;
    layers = 0;
    for (const AblationLayer& layer : result.layers) {
      bool complete = true;
      for (const AblationRow& row : layer.rows) complete &= row.finished;
      if (!complete) continue;
      ++layers;
      proven &= layer.optimum.proven;
      points += std::log(layer.rows[step].points);
      if (const auto r = ratio(layer, layer.rows[step])) values += std::log(*r), valued = true;
    }
    if (layers == 0) return "  No layer was finished with every step.\n";
    const double mean = std::exp(points / static_cast<double>(layers));
    table.row({std::string(name(static_cast<AblationStep>(step))), count(std::round(mean)),
               step == 0 ? "" : fmt::format("{:.3g}x", before / mean),
               valued ? (proven ? "" : ">= ") + ratio_text(std::exp(values / static_cast<double>(layers))) : ""});
    before = mean;
  }
  return fmt::format("  Geometric means over the {} of {} layers that every step finished:\n\n{}", layers,
                     result.layers.size(), table.to_string());
}

}  // namespace

std::string rows_table(const std::vector<BenchRow>& rows, const AskedObjective& objective) {
  const bool fused = std::ranges::any_of(rows, [](const BenchRow& row) { return row.unfused.has_value(); });
  std::vector<std::string> heading{"<machine", objective.network ? "<network" : "<layer", "<strategy",
                                   heliolite::title(objective.objective)};
  if (fused) heading.insert(heading.end(), {"not fused", "bound"});
  heading.insert(heading.end(), {"ratio", "gap", "evaluated", "time", "<status"});
  Table table(heading);
  const BenchRow* above = nullptr;
  for (const BenchRow& row : rows) {
    const bool new_machine = above == nullptr || above->machine != row.machine;
    const bool new_layer = new_machine || above->layer != row.layer;
    if (new_machine && above != nullptr) table.rule();
    std::vector<std::string> cells{new_machine ? row.machine : "", new_layer ? row.layer : "", row.strategy,
                                   row.value ? scientific(*row.value) : "-"};
    if (fused) cells.insert(cells.end(), {maybe(row.unfused, scientific), maybe(row.lower_bound, scientific)});
    cells.insert(cells.end(), {maybe(row.ratio_to_best, ratio_text), maybe(row.gap, percent),
                               maybe(row.evaluated, grouped), maybe(row.seconds, cli::seconds), status_of(row)});
    table.row(cells);
    above = &row;
  }
  return table.to_string();
}

std::string rows_notes(const std::vector<BenchRow>& rows) {
  std::string out;
  for (const BenchRow& row : rows) {
    const std::string who = fmt::format("  {} on {}, {}: ", row.layer, row.machine, row.strategy);
    for (const Diagnostic& why : row.why_infeasible) out += who + why.to_string() + "\n";
    if (!row.evaluator || !row.value) continue;
    const EvaluatorReport& report = *row.evaluator;
    out += fmt::format("{}the evaluator's value is {:.10g}, {} evaluations, {} failures{}\n", who, report.value,
                       grouped(report.evaluations), grouped(report.failures),
                       report.failures == 0 ? "" : ", the first one: " + report.first_failure);
  }
  return out.empty() ? out : out + "\n";
}

std::string summary_table(const std::vector<BenchSummary>& summaries) {
  Table table(
      {"<strategy", "<machine", "mapped", "best", "proven", "mean ratio", "worst", "<at", "median time", "longest"});
  const BenchSummary* above = nullptr;
  for (const BenchSummary& s : summaries) {
    const bool fresh = above == nullptr || above->strategy != s.strategy;
    if (fresh && above != nullptr) table.rule();
    const bool is_worse = s.worst_ratio && *s.worst_ratio > 1;
    table.row({fresh ? s.strategy : "", s.machine.empty() ? "all" : s.machine, fmt::format("{}/{}", s.mapped, s.rows),
               fmt::format("{}", s.best), fmt::format("{}", s.proven), maybe(s.mean_ratio, ratio_text),
               maybe(s.worst_ratio, ratio_text), is_worse ? s.worst : "", maybe(s.median_seconds, seconds),
               maybe(s.max_seconds, seconds)});
    above = &s;
  }
  return table.to_string();
}

std::string ablation_table(const AblationResult& result, Objective objective) {
  Table table(
      {"<machine", "<layer", "<rules", "points", "reduction", heliolite::title(objective), "ratio", "time", "<"});
  const AblationLayer* above = nullptr;
  for (const AblationLayer& layer : result.layers) {
    if (above != nullptr) table.rule();
    for (const AblationRow& row : layer.rows) {
      const bool first = &row == &layer.rows.front();
      const bool new_machine = first && (above == nullptr || above->machine != layer.machine);
      table.row({new_machine ? layer.machine : "", first ? layer.layer : "", std::string(name(row.step)),
                 points_text(row), first ? "" : fmt::format("{:.2g}x", layer.rows.front().points / row.points),
                 maybe(row.value, scientific), ratio_to_optimum(layer, row), seconds(row.seconds),
                 row.counted    ? "closed form"
                 : row.finished ? "searched"
                                : "out of time"});
    }
    const AblationOptimum& best = layer.optimum;
    table.row({"", "", "exact", count(static_cast<double>(best.evaluated)), "",
               best.value > 0 ? scientific(best.value) : "", "", seconds(best.seconds), optimum_text(best)});
    above = &layer;
  }
  return table.to_string() + "\n" + mean_table(result);
}

std::string rows_csv(const std::vector<BenchRow>& rows, const AskedObjective& objective) {
  std::string out =
      "strategy,machine,layer,objective,search_seconds,evaluated,value,lower_bound,gap,ratio_to_best,status,unfused_"
      "value\n";
  for (const BenchRow& row : rows)
    out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_cell(row.strategy), csv_cell(row.machine),
                       csv_cell(row.layer), name(objective), csv_number(row.seconds), csv_number(row.evaluated),
                       csv_number(row.value), csv_number(row.lower_bound), csv_number(row.gap),
                       csv_number(row.ratio_to_best), status_of(row), csv_number(row.unfused));
  return out;
}

std::string ablation_csv(const AblationResult& result) {
  std::string out = "machine,layer,rules,points,counted,finished,value,ratio,search_seconds\n";
  for (const AblationLayer& layer : result.layers) {
    const std::string place = csv_cell(layer.machine) + "," + csv_cell(layer.layer);
    for (const AblationRow& row : layer.rows)
      out += fmt::format("{},{},{},{},{},{},{},{}\n", place, name(row.step), row.points_exact, row.counted,
                         row.finished, csv_number(row.value), csv_number(ratio(layer, row)), row.seconds);
    const AblationOptimum& best = layer.optimum;
    out += fmt::format("{},exact,{},false,{},{},,{}\n", place, best.evaluated, best.proven,
                       best.value > 0 ? fmt::format("{}", best.value) : "", best.seconds);
  }
  return out;
}

Json rows_json(const std::vector<BenchRow>& rows) {
  Json out = Json::array();
  for (const BenchRow& row : rows)
    out.push_back({{"strategy", row.strategy},
                   {"machine", row.machine},
                   {"layer", row.layer},
                   {"seconds", json_of(row.seconds)},
                   {"evaluated", json_of(row.evaluated)},
                   {"value", json_of(row.value)},
                   {"ratio_to_best", json_of(row.ratio_to_best)},
                   {"gap", json_of(row.gap)},
                   {"lower_bound", json_of(row.lower_bound)},
                   {"unfused_value", json_of(row.unfused)},
                   {"status", status_of(row)},
                   {"external", row.external},
                   {"reasons", mapped(row.why_infeasible, &Diagnostic::to_string)},
                   {"evaluator", evaluator_json(row)},
                   {"trace", trace_json(row.trace)}});
  return out;
}

Json summary_json(const std::vector<BenchSummary>& summaries) {
  Json out = Json::array();
  for (const BenchSummary& s : summaries)
    out.push_back({{"strategy", s.strategy},
                   {"machine", s.machine.empty() ? Json() : Json(s.machine)},
                   {"rows", s.rows},
                   {"mapped", s.mapped},
                   {"best", s.best},
                   {"proven", s.proven},
                   {"mean_ratio", json_of(s.mean_ratio)},
                   {"worst_ratio", json_of(s.worst_ratio)},
                   {"worst", s.worst},
                   {"median_seconds", json_of(s.median_seconds)},
                   {"max_seconds", json_of(s.max_seconds)}});
  return out;
}

Json ablation_json(const AblationResult& result) {
  Json out = Json::array();
  for (const AblationLayer& layer : result.layers) {
    Json steps = Json::array();
    for (const AblationRow& row : layer.rows)
      steps.push_back({{"rules", std::string(name(row.step))},
                       {"points", row.points},
                       {"points_exact", row.points_exact},
                       {"counted", row.counted},
                       {"at_most", row.at_most},
                       {"finished", row.finished},
                       {"value", json_of(row.value)},
                       {"ratio", json_of(ratio(layer, row))},
                       {"seconds", row.seconds}});
    const AblationOptimum& best = layer.optimum;
    out.push_back({{"machine", layer.machine},
                   {"layer", layer.layer},
                   {"steps", steps},
                   {"optimum",
                    {{"value", best.value > 0 ? Json(best.value) : Json()},
                     {"lower_bound", best.lower_bound > 0 ? Json(best.lower_bound) : Json()},
                     {"proven", best.proven},
                     {"evaluated", best.evaluated},
                     {"seconds", best.seconds}}}});
  }
  return out;
}

}  // namespace heliolite::cli
