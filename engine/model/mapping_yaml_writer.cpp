// Writes mappings in our own format (mapping_yaml.h).
#include <fmt/format.h>

#include <string>
#include <vector>

#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "engine/model/level_parts.h"
#include "engine/model/mapping_yaml.h"

namespace heliolite {
namespace {

// "[K: 4, C: [3, 2]]", outermost first, of the loops [first, last) that are of the kind; "" without loops.
std::string loops_text(const Mapping& mapping, const Workload& workload, int first, int last, LoopKind kind) {
  std::vector<std::string> parts;
  for (int k = last; k-- > first;) {
    const Loop& loop = mapping.loop[at(k)];
    if (loop.kind != kind) continue;
    const std::string name = yaml_scalar(workload.dimensions[loop.dimension].name);
    parts.push_back(loop.is_perfect() ? fmt::format("{}: {}", name, loop.end)
                                      : fmt::format("{}: [{}, {}]", name, loop.end, loop.residual));
  }
  return parts.empty() ? "" : fmt::format("[{}]", fmt::join(parts, ", "));
}

// The loops [first, last) over the fan-out below a level, and the tensors that take no links there; "" without any.
std::string spatial_text(const Mapping& mapping, const Workload& workload, int level, int first, int last) {
  std::vector<std::string> parts;
  if (const std::string x = loops_text(mapping, workload, first, last, LoopKind::SpatialX); !x.empty())
    parts.push_back("x: " + x);
  if (const std::string y = loops_text(mapping, workload, first, last, LoopKind::SpatialY); !y.empty())
    parts.push_back("y: " + y);
  std::vector<std::string> unlinked;
  for (const int v : bits(mapping.unlinked[at(level)])) unlinked.push_back(yaml_scalar(workload.tensors[at(v)].name));
  if (!unlinked.empty()) parts.push_back(fmt::format("no_link_transfer: [{}]", fmt::join(unlinked, ", ")));
  return parts.empty() ? "" : fmt::format("{{{}}}", fmt::join(parts, ", "));
}

}  // namespace

std::string write_mapping(const Mapping& mapping, const Workload& workload, const Architecture& architecture) {
  std::string out = "# Outermost level and outermost loop first; spatial: the fan-out below the level.\n";
  out += fmt::format("workload: {}\narchitecture: {}\nmapping:\n", yaml_scalar(workload.name),
                     yaml_scalar(architecture.name));
  for (int i = mapping.level_count - 1; i >= 0; --i) {
    const std::vector<LevelPart> parts = parts_of(mapping, i);
    for (const LevelPart& part : parts) {
      std::vector<std::string> kept;
      for (const int v : bits(part.keep)) kept.push_back(yaml_scalar(workload.tensors[at(v)].name));
      out += fmt::format("  - level: {}\n    keep: [{}]\n", yaml_scalar(architecture.levels[at(i)].name),
                         fmt::join(kept, ", "));
      const std::string temporal = loops_text(mapping, workload, part.first, part.last, LoopKind::Temporal);
      if (!temporal.empty()) out += "    temporal: " + temporal + "\n";
    }
    const std::string spatial = spatial_text(mapping, workload, i, first_loop(mapping, i), parts.back().first);
    if (!spatial.empty()) out += "    spatial: " + spatial + "\n";
  }
  return out;
}

}  // namespace heliolite
