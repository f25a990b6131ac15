#pragma once
// The sweep file (docs/formats_sweep.md).
#include <optional>
#include <string>
#include <vector>

#include "engine/search/core/option_table.h"
#include "engine/sweep/sweep_spec.h"

namespace heliolite {

// What is asked for on the command line instead of what the file says.
struct SweepOverrides {
  std::vector<GivenOption> options{};  // of the searches
  std::optional<SweepGoal> goal{};
  std::optional<u64> sample{};
};

std::optional<SweepGoal> parse_sweep_goal(std::string_view name);

// The file with its machine and workloads loaded and everything in it checked, expressions included. All errors in one
// go. Machines and workloads that are files stand beside the sweep's.
Result<SweepSpec> load_sweep(const std::string& path, const SweepOverrides& overrides = {});

}  // namespace heliolite
