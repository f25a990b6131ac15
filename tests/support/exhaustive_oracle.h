#pragma once
// The optimum of a mapspace by looking at every mapping in it. Reads the architecture and the workload alone: it shares
// no code with the searches and the space they walk, and asks the cost model only what a mapping costs.
#include <array>
#include <functional>
#include <optional>

#include "arch/architecture.h"
#include "engine/model/cost.h"
#include "engine/model/mapping.h"
#include "workloads/workload.h"

namespace heliolite::testing {

struct OracleBest {
  Mapping mapping;
  Cost cost;
  u64 ties = 0;  // mappings of the same value
};

struct OracleAnswer {
  u64 mappings = 0;                // in the declared mapspace: constraints and fan-outs respected
  u64 legal = 0;                   // of those, the ones whose tiles fit
  std::array<OracleBest, 4> best;  // by objective, those of energy and cycles; meaningless when nothing is legal
};

struct OracleOptions {
  u64 limit = 1'000'000;                                 // more mappings than this: no answer
  bool free = false;                                     // lift the machine's dataflow constraints
  bool innermost_orders = false;                         // also the orders of the innermost level, which change no cost
  std::function<Evaluation(const Mapping&)> price = {};  // what a mapping costs; if empty, the cost model says
};

// Every perfect factorisation over the temporal loops of all levels and X and Y of all fan-outs (both axes for one
// dimension unless the machine says one_axis_per_dimension), every order of the non-unit temporal loops of every level,
// and every keep choice left open; the machine's constraints obeyed. Absent when there are more than `limit`.
std::optional<OracleAnswer> enumerate_mapspace(const Workload& workload, const Architecture& architecture,
                                               const OracleOptions& options = {});

}  // namespace heliolite::testing
