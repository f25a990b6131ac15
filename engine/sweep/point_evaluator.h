#pragma once
// The costs of layers on machines from outside: a command of the user's is told a machine, a layer and the mapping that
// the sweep's strategy found, and answers with energy and cycles, which take the place of the cost model's
// (docs/evaluator.md, "An evaluator of machines").
#include <memory>
#include <string>

#include "arch/architecture.h"
#include "engine/search/core/evaluator.h"
#include "engine/sweep/records.h"
#include "engine/sweep/sweep_spec.h"

namespace heliolite {

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
