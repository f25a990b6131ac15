#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "engine/base/text.h"
#include "engine/model/mapping_yaml.h"

namespace heliolite {
namespace {

// "[K: 4, C: [3, 2]]", outermost first; "" without loops.
std::string loops_text(const Mapping& mapping, const Workload& workload, int level, LoopKind kind) {
  std::vector<std::string> parts;
  for (const Loop& loop : mapping.loops()) {
    if (loop.level != level || loop.kind != kind) continue;
    const std::string name = yaml_scalar(workload.dimensions[loop.dimension].name);
    parts.push_back(loop.is_perfect() ? fmt::format("{}: {}", name, loop.end)
                                      : fmt::format("{}: [{}, {}]", name, loop.end, loop.residual));
  }
  std::reverse(parts.begin(), parts.end());
  return parts.empty() ? "" : fmt::format("[{}]", fmt::join(parts, ", "));
}

}  // namespace

std::string write_mapping(const Mapping& mapping, const Workload& workload, const Architecture& architecture) {
  std::string out = "# Outermost level and outermost loop first; spatial: the fan-out below the level.\n";
  out += fmt::format("workload: {}\narchitecture: {}\nmapping:\n", yaml_scalar(workload.name),
                     yaml_scalar(architecture.name));
  for (int i = mapping.level_count - 1; i >= 0; --i) {
    std::vector<std::string> kept;
    for (std::size_t v = 0; v < workload.tensors.size(); ++v)
      if (mapping.keeps(i, static_cast<int>(v))) kept.push_back(yaml_scalar(workload.tensors[v].name));
    out +=
        fmt::format("  - level: {}\n    keep: [{}]\n", yaml_scalar(architecture.levels[i].name), fmt::join(kept, ", "));
    const std::string temporal = loops_text(mapping, workload, i, LoopKind::Temporal);
    if (!temporal.empty()) out += "    temporal: " + temporal + "\n";
    const std::string x = loops_text(mapping, workload, i, LoopKind::SpatialX);
    const std::string y = loops_text(mapping, workload, i, LoopKind::SpatialY);
    if (x.empty() && y.empty()) continue;
    out += fmt::format("    spatial: {{{}{}{}}}\n", x.empty() ? "" : "x: " + x, x.empty() || y.empty() ? "" : ", ",
                       y.empty() ? "" : "y: " + y);
  }
  return out;
}

}  // namespace heliolite
