#pragma once
// Reads a sweep's file (docs/formats_sweep.md), and lists its fields.
#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/field_reader.h"
#include "engine/base/yaml_node.h"
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

// Sets what the names say, if they are given. Errors name all that is allowed.
Diagnostics set_goal_and_rank(const std::optional<std::string>& goal, const std::optional<std::string>& rank,
                              SweepOverrides& overrides);

// Reads the file, loads its machine and workloads and checks everything in it, expressions included. All errors are
// returned at once. Paths of machines and workloads are relative to the sweep's file.
Result<SweepSpec> load_sweep(const std::string& path, const SweepOverrides& overrides = {});
// Reads a text that the file `path` could hold, which need not be there.
Result<SweepSpec> parse_sweep(std::string text, const std::string& path, const SweepOverrides& overrides = {});

// What in the sweep's question does not go together, a text each; the evaluator is still one of the search's options.
std::vector<std::string> contradictions(const SweepSpec& spec);

// Warnings about energies and areas that do not follow a swept capacity although the user may expect it.

// A warning for each swept capacity whose level states its energy or area (or has them from an ERT or ART), so that
// they stay the same at every capacity.
Diagnostics stated_cost_warnings(const SweepSpec& spec);

// Reads a parameter from the map `node`: `set` with `values`, or with a range (`from`, `to`, and `step` or `factor`);
// or `values` alone, a map of named alternatives that set several fields each. `machine`: the one whose fields are set.
// What is wrong becomes complaints in `errors`.
SweepParameter read_parameter(const std::string& name, const YamlNode& node, const ArchitectureSpec& machine,
                              Diagnostics& errors);

// The fields of sweep files, map by map.

// Options of a search that a sweep has not.
inline constexpr std::array<std::string_view, 1> kNotOfSweeps{"threads"};

const FieldTable& sweep_file_fields();  // the document
const FieldTable& sweep_fields();
const FieldTable& sweep_limit_fields();
const FieldTable& sweep_explore_fields();
const FieldTable& sweep_workload_fields();
const FieldTable& sweep_parameter_fields();

// The names of all columns of the tables of results, of the views and of the exports, and of the keys of their JSON.

// All column names in small letters. A sweep's parameter is a further column and must have another name; SQL does
// not tell capitals from small letters.
const std::set<std::string>& column_names();

}  // namespace heliolite
