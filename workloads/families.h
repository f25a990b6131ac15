#pragma once
// Named shapes of workloads: "gemm" with m, n, k; "conv" with its channels, pixels, kernel, stride. One table serves
// the compact text ("gemm:512x512x512"), the YAML layers and the documentation. Names of dimensions and tensors are
// those of Timeloop's shapes, so that mappings and records can be compared by name.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/types.h"
#include "workloads/workload.h"

namespace heliolite {

struct Family {
  std::string_view name;
  // Names of the parameters; the first `positional` may be given as "512x512x512".
  std::vector<std::string_view> parameters;
  int positional = 0;
  std::vector<std::string_view> required;
  std::string_view batch;                    // the parameter a network's batch size multiplies, "" when there is none
  std::string_view formula;                  // of families that are no convolutions
  std::vector<std::string_view> dimensions;  // names of the workload's dimensions, in order
};

// [parameter name]: value.
using Arguments = std::map<std::string, u64, std::less<>>;

std::vector<std::string> family_names();
const Family* find_family(std::string_view name);  // null when there is none

// The parameter called `name` (upper or lower case), if the family has it.
std::optional<std::string_view> find_parameter(const Family& family, std::string_view name);

// Largest value of a parameter: dimensions up to kMaxDimensionSize, strides and dilations up to kMaxCoefficient.
u64 largest_value(std::string_view parameter);

// The workload, checked, with roles. Missing values take their defaults (n, r, stride, dilation, groups: 1; q: as p;
// s: as r). Complaints have neither file nor line: missing required values, groups that do not divide.
Result<Workload> build_workload(const Family& family, Arguments arguments);

// How the tokens of a mixture of experts are taken to fall on its experts, where nothing says so: evenly.

// Experts that have equally many tokens.
struct ExpertGroup {
  u64 experts = 0, tokens = 0;  // active ones; tokens of each
};

// Each of `tokens` takes `per_token` of `experts`, both at least 1. As many are active as can be, min(experts, tokens *
// per_token), and no two of them differ by more than one token: one group, or a second one with a token more.
inline std::vector<ExpertGroup> spread_tokens(u64 experts, u64 tokens, u64 per_token) {
  const u64 assigned = tokens * per_token, active = std::min(experts, assigned);
  const u64 more = assigned % active;
  std::vector<ExpertGroup> groups{{active - more, assigned / active}};
  if (more > 0) groups.push_back({more, assigned / active + 1});
  return groups;
}

}  // namespace heliolite
