#pragma once
// What the layers of a sweep cost at least on a machine, up to a limit: the work of the search for the best machine
// (best_machine.h). What is proven of a machine that has the best of each part of some machines holds for each of them,
// so knowledge is handed on from sets to their parts (docs/rules/machines.md).
#include <utility>
#include <vector>

#include "engine/search/core/rules.h"
#include "engine/search/network/layer_hull.h"
#include "engine/sweep/sweep_spec.h"
#include "engine/sweep/totals.h"

namespace heliolite {

// What is known of a layer on all machines of a set.
struct LayerKnowledge {
  std::vector<std::pair<double, Wide>> lines;  // energy + lambda x cycles: lambda and value in units of 2^-32 pJ
  double least_value = 0;                      // its own objective, objective_number()
  std::vector<Mapping> mappings;               // good ones on machines around the set
};
using Knowledge = std::vector<LayerKnowledge>;  // [shape of layers]

// How far a machine is to be searched.
enum class ValueGoal : u8 {
  Estimate,  // price what is known, search nothing unless nothing fits
  Exclude,   // until nothing on it is below the limit, or something is
  Exact,     // until nothing on it is below the limit, or its least value is known
};

struct MachineValue {
  bool infeasible = false;                       // some layer has no mapping
  double value = 0;                              // of known mappings of all layers
  double lower_bound = 0;                        // no mappings have less
  bool excluded = false;                         // nothing is below the limit
  bool by_least_costs = false;                   // what every mapping pays was enough for that
  bool exact = false;                            // value is the least
  double least_energy_pj = 0, least_cycles = 0;  // no mappings have less in all
  u64 searches = 0;                              // of layers
  Knowledge knowledge;                           // with what was proven and found
};

class MachineValues {
 public:
  explicit MachineValues(const SweepSpec& spec);

  // `area_um2`: of the machine that counts, if it does. `known`: of a set that the machine is in, or none. `limit`: in
  // the unit of the values of points. The answer does not depend on `threads`.
  MachineValue search(const Architecture& machine, double area_um2, const Knowledge& known, double limit,
                      ValueGoal goal, int threads) const;

  // Whether what a machine is worth is known only when it is mapped: of a search of its value only the bound counts.
  bool decided_by_mapping() const { return kind_ == Kind::Bound || kind_ == Kind::Limited; }

 private:
  friend class ValueSearch;
  enum class Kind : u8 {
    Sum,      // each layer's own optimum makes the value
    Bound,    // a point's value is of totals, each layer mapped for itself: bounds follow from the layers' own
    Totals,   // the network's own objective
    Limited,  // the least objective within limits
  };
  // One network, or one of those whose values have a mean.
  struct Group {
    double weight = 1;                // of its value
    double operations = 1;            // its value is divided by
    std::vector<std::size_t> shapes;  // that it has
    std::vector<double> runs;         // [one of these]
  };

  // The factor of machine and clock that values of energy and cycles get.
  double factor(double area_um2, const std::optional<double>& cycle_ns) const;

  const SweepSpec& spec_;
  SearchOptions options_;
  Kind kind_;
  int degree_ = 1;                   // of the roots of layers' values that add up
  std::vector<std::size_t> shapes_;  // first layer of each shape
  std::vector<double> runs_;         // [shape]: of all groups, times weights
  std::vector<Group> groups_;
};

}  // namespace heliolite
