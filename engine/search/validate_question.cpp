// Which questions no search answers: options that exclude each other, or that the layer does not allow.
#include "engine/search/map.h"

#include <fmt/format.h>

#include <utility>

#include "engine/model/mapping_check.h"
#include "engine/model/true_counts/cost.h"
#include "engine/search/core/layer_problem.h"
#include "engine/search/core/option_table.h"

namespace heliolite {

Diagnostics witness_complaints(const LayerProblem& problem) {
  if (!problem.options.witness) return {};
  const Mapping& witness = *problem.options.witness;
  const auto complaint = [](std::string what) { return Diagnostic{"", 0, "witness", std::move(what)}; };
  if (problem.options.strategy != Strategy::Exact || problem.has_all_tiles())
    return {complaint("only strategy exact follows one, and only with perfect factors")};
  if (problem.options.tiles == Tiles::Uneven || !witness.is_even())
    return {complaint("is followed only where each level has one tile (--tiles even)")};
  if (!witness.is_perfect()) return {complaint("has factors that do not divide their dimensions")};
  Diagnostics out = check(witness, problem.workload, problem.architecture);
  if (out.empty()) out = violations(problem.space, witness);
  for (int k = 1; k < witness.loop_count && out.empty(); ++k)
    for (int j = 0; j < k; ++j) {
      const Loop &a = witness.loop[j], &b = witness.loop[k];
      if (a.level == b.level && a.kind == b.kind && a.dimension == b.dimension)
        out.push_back(
            complaint(fmt::format("has two loops over {} at {}, the mapspace one",
                                  problem.space.dimension_names[a.dimension], problem.space.level_names[a.level])));
    }
  return out;
}

Diagnostics factors_complaints(const LayerProblem& problem) {
  if (problem.options.factors != Factors::Any) return {};
  const auto complaint = [](std::string what) { return Diagnostic{"", 0, "factors", std::move(what)}; };
  if (!has_true_counts(problem.model.compiled()))
    return {complaint(fmt::format("must be perfect for {}: {}", problem.workload.name, kNoTrueCounts))};
  return {};
}

Diagnostics ramps_complaints(const Architecture& architecture, const SearchOptions& options) {
  if (!architecture.ramps || options.tiles == Tiles::Even) return {};
  return {{"", 0, "tiles",
           fmt::format("must be even on {}, which counts ramps (latency: ramps): how uneven tiles come in first is not "
                       "searched",
                       architecture.name)}};
}

Diagnostics validate_question(const SearchOptions& options) {
  Diagnostics out = misplaced_options(options);
  if (info(options.strategy).factors == OtherFactors::Refuses && options.factors == Factors::Any)
    out.push_back({"", 0, "factors",
                   fmt::format("strategy {} knows factors that divide the sizes only", name(options.strategy))});
  if (options.cosa.pad && options.factors == Factors::Perfect)
    out.push_back(
        {"", 0, "pad", "needs tiles that do not divide the sizes, which the answer has once it is cut: --factors any"});
  if (options.strategy != Strategy::Bayes && (options.bayes.from || options.bayes.learn))
    out.push_back({"", 0, "strategy", fmt::format("{} learns nothing, bayes does", name(options.strategy))});
  const EvaluatorOptions& evaluator = options.evaluator;
  if (options.network && !evaluator.command.empty())
    out.push_back({"", 0, "network", "needs energy and cycles, an evaluator gives one value"});
  if (options.network && options.strategy == Strategy::Cosa && info(options.objective).degree() > 1)
    out.push_back({"", 0, "network", "strategy cosa minimises products, not the sums that a network's optimum needs"});
  const bool plain = evaluator.protocol == EvaluatorProtocol::Once && evaluator.seconds == kEvaluatorSeconds;
  if (evaluator.command.empty() && !plain)
    out.push_back({"", 0, "evaluator", "is not given, the other options of an evaluator are"});
  if (options.tiles == Tiles::Even) return out;
  if (options.strategy != Strategy::Exact)
    out.push_back({"", 0, "tiles",
                   fmt::format("uneven ones need strategy exact, {} knows even ones only", name(options.strategy))});
  if (options.factors == Factors::Any)
    out.push_back({"", 0, "tiles", "uneven ones need factors that divide the sizes; leave out factors any"});
  return out;
}

}  // namespace heliolite
