#pragma once
// Reads a sweep's file (docs/formats_sweep.md).
#include <optional>
#include <string>
#include <vector>

#include "engine/inputs/read_options.h"
#include "engine/search/core/option_table.h"
#include "engine/sweep/sweep_spec.h"

namespace heliolite {

// What the command line asks for instead of what the file says.
struct SweepOverrides {
  std::vector<GivenOption> options{};  // of the searches
  std::optional<SweepGoal> goal{};
  std::optional<SweepRank> rank{};
  std::optional<u64> sample{};
  std::optional<double> sweep_budget{};  // seconds
  std::optional<u64> explore_points{};   // of goal explore
  ReadOptions reading{};                 // of the machine and the workloads
};

// The goal and the rank of this name; none if there is no such one.
std::optional<SweepGoal> parse_sweep_goal(std::string_view name);
std::optional<SweepRank> parse_sweep_rank(std::string_view name);

// Sets what the names say, if they are given. Errors name all that is allowed.
Diagnostics set_goal_and_rank(const std::optional<std::string>& goal, const std::optional<std::string>& rank,
                              SweepOverrides& overrides);

// Reads the file, loads its machine and workloads and checks everything in it, expressions included. All errors are
// returned at once. Paths of machines and workloads are relative to the sweep's file.
Result<SweepSpec> load_sweep(const std::string& path, const SweepOverrides& overrides = {});
// Reads a text that the file `path` could hold, which need not be there.
Result<SweepSpec> parse_sweep(std::string text, const std::string& path, const SweepOverrides& overrides = {});

}  // namespace heliolite
