#pragma once
// The `instance` of a Timeloop problem: sizes, coefficients, and keys that Timeloop passes over.
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/yaml_node.h"
#include "workloads/workload.h"

namespace heliolite {

// The shapes a Timeloop problem may name instead of spelling out (Timeloop's folder problem-shapes), as the YAML a
// problem would spell them in.

struct BuiltInShape {
  std::string_view name;  // lower case, with hyphens
  std::string_view text;
};

inline constexpr std::array<BuiltInShape, 4> kBuiltInShapes{{
    {"cnn-layer", R"(
dimensions: [R, S, P, Q, C, K, N]
coefficients: [{name: Wstride, default: 1}, {name: Hstride, default: 1},
               {name: Wdilation, default: 1}, {name: Hdilation, default: 1}]
data_spaces:
- {name: Weights, projection: [[[C]], [[K]], [[R]], [[S]]]}
- {name: Inputs, projection: [[[N]], [[C]], [[R, Wdilation], [P, Wstride]], [[S, Hdilation], [Q, Hstride]]]}
- {name: Outputs, projection: [[[N]], [[K]], [[Q]], [[P]]], read_write: true}
)"},
    {"dw-cnn-layer", R"(
dimensions: [R, S, P, Q, C, N]
coefficients: [{name: Wstride, default: 1}, {name: Hstride, default: 1},
               {name: Wdilation, default: 1}, {name: Hdilation, default: 1}]
data_spaces:
- {name: Weights, projection: [[[C]], [[R]], [[S]]]}
- {name: Inputs, projection: [[[N]], [[C]], [[R, Wdilation], [P, Wstride]], [[S, Hdilation], [Q, Hstride]]]}
- {name: Outputs, projection: [[[N]], [[C]], [[Q]], [[P]]], read_write: true}
)"},
    {"gemm-abz", R"(
dimensions: [M, N, K]
data_spaces:
- {name: A, projection: [M, K]}
- {name: B, projection: [N, K]}
- {name: Z, projection: [M, N], read_write: true}
)"},
    {"gemm", R"(
dimensions: [M, N, K]
data_spaces:
- {name: A, projection: [M, K]}
- {name: B, projection: [N, K]}
- {name: C, projection: [M, N]}
- {name: D, projection: [M, N], read_write: true}
)"},
}};

// A named factor of projections.
struct TimeloopCoefficient {
  std::string name;
  u64 value = 1;     // 0 where the file says so
  YamlNode place{};  // of the value, if the file gives one
};

// Sets the sizes of the workload's dimensions and the coefficients. Values may be expressions over `variables` (maps of
// names and values). `notes` gets a sentence for each key that is passed over although it may have been meant.
void read_timeloop_instance(MapReader& map, const std::vector<YamlNode>& variables, Workload& workload,
                            std::vector<TimeloopCoefficient>& coefficients, std::vector<std::string>& notes,
                            Diagnostics& errors);

}  // namespace heliolite
