// In what two mappings of one workload on one machine differ, level by level, and what that costs where.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "engine/base/integers.h"
#include "engine/model/keep.h"
#include "engine/model/mapping_yaml.h"

namespace heliolite {
namespace {

// "K4 C2", outermost first; "-" without loops.
std::string nest_of(const Mapping& mapping, const Workload& workload, int level, LoopKind kind) {
  std::vector<std::string> words;
  for (int k = mapping.loop_count; k-- > 0;) {
    const Loop& loop = mapping.loop[k];
    if (loop.level != level || loop.kind != kind) continue;
    const std::string& name = workload.dimensions[loop.dimension].name;
    words.push_back(loop.is_perfect() ? fmt::format("{}={}", name, loop.end)
                                      : fmt::format("{}={},{}", name, loop.end, loop.residual));
  }
  return words.empty() ? "-" : fmt::format("{}", fmt::join(words, " "));
}

// "A, B / Z": of uneven tiles the tensors of each part, the outermost first.
std::string kept_by(const Mapping& mapping, const Workload& workload, int level) {
  std::vector<std::string> parts;
  for (const LevelPart& part : parts_of(mapping, level)) {
    std::vector<std::string> names;
    for (const int v : bits(part.keep)) names.push_back(workload.tensors[v].name);
    parts.push_back(names.empty() ? "-" : fmt::format("{}", fmt::join(names, ", ")));
  }
  return fmt::format("{}", fmt::join(parts, " / "));
}

}  // namespace

FieldDifferences differences(const Mapping& a, const Mapping& b, const Workload& workload,
                             const Architecture& architecture) {
  FieldDifferences out;
  for (int i = static_cast<int>(architecture.levels.size()) - 1; i >= 0; --i) {
    const std::string& level = architecture.levels[i].name;
    const auto add = [&](const char* what, std::string x, std::string y) {
      if (x != y) out.push_back({fmt::format("{}.{}", level, what), std::move(x), std::move(y)});
    };
    add("keep", kept_by(a, workload, i), kept_by(b, workload, i));
    add("temporal", nest_of(a, workload, i, LoopKind::Temporal), nest_of(b, workload, i, LoopKind::Temporal));
    add("spatial x", nest_of(a, workload, i, LoopKind::SpatialX), nest_of(b, workload, i, LoopKind::SpatialX));
    add("spatial y", nest_of(a, workload, i, LoopKind::SpatialY), nest_of(b, workload, i, LoopKind::SpatialY));
  }
  return out;
}

}  // namespace heliolite
