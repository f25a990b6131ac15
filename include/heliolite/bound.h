#pragma once
// What nothing can beat: the least words that move between a memory of some size and what is outside it, tiled or not,
// and how far a mapping is from that.
//
//   heliolite::Workload gemm = *heliolite::parse_einsum("o[i,j] += a[i,k]*b[k,j]; i=512,j=512,k=512");
//   heliolite::LowerBounds bounds(gemm);
//   for (const heliolite::LowerBound& bound : bounds.at(8192))            // words of memory
//     std::printf("%s: %llu words\n", name(bound.kind).data(), (unsigned long long)bound.words);
#include <heliolite/mapping.h>  // IWYU pragma: export

#include "engine/bounds/curve/movement_distance.h"  // IWYU pragma: export
#include "engine/bounds/lower_bounds.h"             // IWYU pragma: export
#include "engine/bounds/traffic_rule.h"             // IWYU pragma: export
