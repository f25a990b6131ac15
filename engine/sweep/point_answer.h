#pragma once
// The answers of a point of a sweep: the mappings that its layers get, and their costs where a command of the user's
// says them. Each layer has a mapping of its own, or those of the layers of each network are found together, for the
// network's own objective or the least one within limits (docs/rules/network.md).
#include <optional>
#include <string>
#include <vector>

#include "arch/architecture.h"
#include "engine/search/core/answer.h"
#include "engine/search/core/evaluator.h"
#include "engine/search/network/layer_hull.h"
#include "engine/sweep/records.h"
#include "engine/sweep/sweep_spec.h"

namespace heliolite {

// Whether a point's layers are mapped together.
bool maps_together(const SweepSpec& spec);

// The sweep's limits, delays in cycles of this length.
CostLimits limits_in_cycles(const SweepSpec& spec, std::optional<double> cycle_ns);

struct PointMappings {
  std::vector<MappingResult> layers;  // Infeasible where no mappings keep to the limits
  std::vector<bool> outside{};        // [layer]: that is why; none: there are no limits
  // Where layers were mapped together: no mappings of the point have less, in the unit of its value.
  std::optional<double> lower_bound;
  bool proven = true;  // nothing is better; within limits: no corner of the networks' trade-off curves is
};

// The layers of a sweep with these numbers on a machine; if maps_together(), all of them. Errors as map_network().
Result<PointMappings> map_layers(const SweepSpec& spec, std::size_t first, std::size_t count,
                                 const Architecture& machine, const SearchOptions& options);

// The costs of layers on machines from outside: a command of the user's is told a machine, a layer and the mapping that
// the sweep's strategy found, and answers with energy and cycles, which take the place of the cost model's
// (docs/evaluator.md, "An evaluator of machines").

// The version of what the command is told; one that says more is a new one.
inline constexpr int kMachineProtocol = 1;

// For any number of threads at a time. The sweep must outlive it.
class PointEvaluator {
 public:
  explicit PointEvaluator(const SweepSpec& spec) : spec_(spec), evaluator_(spec.evaluator, 2) {}

  // "point": .., "parameters": {..} of a point, for evaluate() and question().
  std::string parameters_text(const PointRecord& point) const;
  // The question of a layer, of which this is the one of our own model.
  std::string question(const std::string& own, const std::string& parameters) const;
  // Puts the command's costs into the row of a mapped layer; one that it gives none has none. False: the run is to end
  // before there was an answer.
  bool evaluate(LayerRecord& row, const SweepLayer& layer, const Architecture& machine, const std::string& parameters);

 private:
  const SweepSpec& spec_;
  Evaluator evaluator_;
};

}  // namespace heliolite
