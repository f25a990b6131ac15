#pragma once
// The best machine of a grid, proven (docs/rules/machines.md): branch and bound over sets of points. A set's envelope
// (machine_grid.h) has the best of each part of its machines, so what `exact` proves of it holds for all of them; a set
// that may hold something better than the best machine known is split by the value of a parameter.
#include <array>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/types.h"

namespace heliolite {

class DesignPoints;
class MachineGrid;
struct MachineValue;
struct SweepSpec;

// Why machines were left out.
enum class Excluded : u8 {
  LeastCosts,  // memory-bound: what every mapping on their set's envelope pays is too much
  Inherited,   // memory-bound: what was proven of a larger set is
  Searched,    // memory-bound: what a search of their set's envelope proves is
  Alone,       // the machine itself was searched
  Infeasible,  // some layer has no mapping on their set's envelope
};
inline constexpr std::array<std::string_view, 5> kExcludedNames{
    "least costs of a set", "proven of a larger set", "proven of a set", "searched alone", "no mapping in a set"};

// What is proven of a grid.
struct BestMachine {
  std::optional<u64> point;                           // the best one; none: nothing was found
  double value = 0;                                   // its least value
  double lower_bound = 0;                             // no machine has less
  bool proven = false;                                // the two are equal
  u64 machines = 0;                                   // that were compared
  u64 sets = 0, splits = 0;                           // that were looked at
  u64 searches = 0;                                   // of layers
  std::array<u64, kExcludedNames.size()> excluded{};  // machines, by why
};

// What a search for the best machine tells, and is told.
struct BestMachineHooks {
  // Machines that are left out together: why, what none of them has less of, and the best one known, which may be among
  // them.
  std::function<void(std::vector<u64> points, Excluded why, const MachineValue& least, std::optional<u64> best)>
      excluded;
  // A machine that is the best known, and is kept as such: the first one, the best of its neighbours, then each better
  // one. It may be the best no longer when others are told.
  std::function<void(u64 point)> found;
  // How far it is: machines not decided yet, the best value and what none has less.
  std::function<void(u64 open, double value, double lower_bound)> tell;
};

// `points`: the machines to choose from, each admitted by the constraints. `known`: a point with the value that its
// mappings have for certain, if one is known; it need not be among the points. The answer does not depend on the number
// of threads. It ends early when the options say stop: then lower_bound is what is proven by then.
BestMachine find_best_machine(const SweepSpec& spec, const DesignPoints& grid, const MachineGrid& parts,
                              std::vector<u64> points, std::optional<std::pair<u64, double>> known,
                              const BestMachineHooks& hooks);

// Whether the search for the best machine can take the question.
bool searches_sets(const SweepSpec& spec);

}  // namespace heliolite
