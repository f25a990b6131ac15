#include "cli/map/evaluator_text.h"

#include <fmt/format.h>

#include "cli/ui/table.h"

namespace heliolite::cli {

std::string evaluator_text(const NetworkResult& result, const EvaluatorOptions& evaluator) {
  if (evaluator.command.empty()) return "";
  std::string text =
      fmt::format("\n  Value from {} (lower is better; the table has our cost model's numbers):\n", evaluator.command);
  for (const LayerResult& layer : result.layers) {
    if (!layer.result.evaluator) continue;
    const EvaluatorReport& report = *layer.result.evaluator;
    const bool found = layer.result.status != Status::Infeasible;
    text += fmt::format("    {}: {}, {} evaluations, {} failures, {} repeated{}\n", layer.name,
                        found ? fmt::format("{:.10g}", report.value) : "none", grouped(report.evaluations),
                        grouped(report.failures), grouped(report.repeated),
                        report.failures == 0 ? "" : "; the first failure: " + report.first_failure);
  }
  return text;
}

Json evaluator_json(const MappingResult& layer, const EvaluatorOptions& evaluator) {
  if (!layer.evaluator) return nullptr;
  Json out = to_json(*layer.evaluator, layer.status != Status::Infeasible);
  out["command"] = evaluator.command;
  out["protocol"] = name(evaluator.protocol);
  return out;
}

}  // namespace heliolite::cli
