#pragma once
// Mappings of a machine drawn at random against the curve that no mapping can beat.
#include <string>
#include <vector>

#include "arch/architecture.h"
#include "cli/bound/curve_svg.h"
#include "cli/ui/json.h"
#include "engine/base/result.h"
#include "engine/bounds/curve/orojenesis_nested.h"
#include "workloads/workload.h"

namespace heliolite::cli {

// What the mappings hold inside the outermost boundary and move across it.
struct MappingCloud {
  std::string level;                 // whose outer boundary it is
  u64 drawn = 0;                     // with those that do not fit
  std::vector<PicturePoint> points;  // one for each mapping
  std::vector<double> distances;     // ascending: words moved over the least of mappings that hold no more
};

// `mappings` legal ones. Errors: the machine has one level, or its constraints do not suit the workload.
Result<MappingCloud> mapping_cloud(const NestedCurve& curve, const Workload& workload, const Architecture& architecture,
                                   const WordUnit& unit, u64 mappings, u64 seed);

// As text for people, and docs/json.md: `sample`.
std::string cloud_text(const MappingCloud& cloud);
Json cloud_json(const MappingCloud& cloud);

}  // namespace heliolite::cli
