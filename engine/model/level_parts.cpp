#include "engine/model/level_parts.h"

#include "engine/base/integers.h"

namespace heliolite {

int first_loop(const Mapping& mapping, int level) {
  int k = 0;
  while (k < mapping.loop_count && mapping.loop[at(k)].level < level) ++k;
  return k;
}

std::vector<LevelPart> parts_of(const Mapping& mapping, int level) {
  int first = first_loop(mapping, level);  // of its temporal loops
  const int last = first_loop(mapping, level + 1);
  while (first < last && mapping.loop[at(first)].is_spatial()) ++first;
  std::vector<LevelPart> out;
  for (int outside = 0; outside <= last - first; ++outside) {
    TensorMask here = 0;
    for (const int v : bits(mapping.keep[at(level)]))
      if (mapping.outside[at(level)][at(v)] == outside) here |= static_cast<TensorMask>(1u << v);
    if (here == 0 && outside > 0) continue;
    if (!out.empty()) out.back().first = last - outside;
    out.push_back({here, first, last - outside});
  }
  return out;
}

}  // namespace heliolite
