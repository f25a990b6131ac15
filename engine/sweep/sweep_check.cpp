// What in a sweep's question does not go together.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "engine/search/map.h"
#include "engine/sweep/sweep_yaml.h"

namespace heliolite {
namespace {

class Contradictions {
 public:
  explicit Contradictions(const SweepSpec& spec) : spec_(spec), options_(spec.options) {}

  std::vector<std::string> run() {
    if (options_.network) network();
    if (spec_.mean != SweepMean::Total) mean();
    if (spec_.limits.any()) limits();
    if (spec_.goal == SweepGoal::Explore) explore();
    evaluator();
    return std::move(out_);
  }

 private:
  void refuse(std::string what) { out_.push_back(std::move(what)); }

  // A network's own objective.
  void network() {
    const std::string asked = name(asked_objective(options_));
    if (spec_.rank == SweepRank::Layers)
      refuse(
          fmt::format("rank = layers adds up the layers' own objectives, {} is of the network's energy and "
                      "cycles: rank must be totals, or objective {}",
                      asked, name(options_.objective)));
    for (const Diagnostic& error : validate_question(options_)) refuse(error.field + ": " + error.message);
  }

  // Networks are told apart by their names.
  void mean() {
    std::set<std::string> seen;
    for (std::size_t l = 0; l < spec_.layers.size(); ++l)
      if ((l == 0 || spec_.layers[l].workload != spec_.layers[l - 1].workload) &&
          !seen.insert(spec_.layers[l].workload).second)
        refuse(fmt::format("mean = {} is over workloads, and two are called {}: name its layers in one entry",
                           name(spec_.mean), spec_.layers[l].workload));
  }

  // Mappings within limits are corners of a trade-off curve.
  void limits() {
    if (options_.strategy != Strategy::Exact && options_.strategy != Strategy::Sunstone)
      refuse(fmt::format("limits need strategy exact or sunstone, not {}", name(options_.strategy)));
    if (options_.factors != Factors::Perfect || options_.tiles != Tiles::Even)
      refuse("limits need factors perfect and tiles even");
    if (spec_.goal == SweepGoal::Front)
      refuse("limits go with goal all or best: of a front every point keeps its own trade-off");
    if (spec_.rank == SweepRank::Layers) refuse("limits are of a network's totals: rank must be totals");
    const auto whole = [](const SweepLayer& layer) { return layer.weight == std::floor(layer.weight); };
    if (spec_.mean == SweepMean::Total && !std::ranges::all_of(spec_.layers, whole))
      refuse("limits need whole numbers as weights, which are numbers of runs; or a mean");
  }

  void explore() {
    if (spec_.sample) refuse("sample: goal explore chooses its points itself, explore.points says how many");
    if (spec_.pilots) refuse("pilots: goal explore cuts no points");
  }

  // Bounds of our model, by which points are left out, say nothing of another program's numbers.
  void evaluator() {
    const EvaluatorOptions& evaluator = options_.evaluator;
    const bool plain = evaluator.protocol == EvaluatorProtocol::Once && evaluator.seconds == kEvaluatorSeconds;
    if (evaluator.command.empty() && !plain) refuse("evaluator is not given, other options of an evaluator are");
    if (evaluator.command.empty()) return;
    if (spec_.goal != SweepGoal::All && spec_.goal != SweepGoal::Explore)
      refuse(
          fmt::format("evaluator: goal {} leaves points out by bounds of our own model, which do not hold for "
                      "another program's numbers: goal must be all or explore",
                      name(spec_.goal)));
    if (options_.network || spec_.limits.any())
      refuse("evaluator: objectives of networks and limits need all mappings' costs, a command says that of one");
  }

  const SweepSpec& spec_;
  const SearchOptions& options_;
  std::vector<std::string> out_;
};

}  // namespace

std::vector<std::string> contradictions(const SweepSpec& spec) { return Contradictions(spec).run(); }

}  // namespace heliolite
