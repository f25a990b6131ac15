#pragma once
// Orojenesis curves: the fewest accesses to a backing store that any mapping needs, for every size of the buffer in
// front of it; of one Einsum, and of networks whose layers may be fused.
//
//   heliolite::Workload gemm = *heliolite::parse_einsum("o[i,j] += a[i,k]*b[k,j]; i=64,j=64,k=64");
//   auto curve = heliolite::one_buffer_curve(gemm);                       // nested_curve(): of any number of levels
//   for (const auto& point : curve->points())
//     std::printf("%llu words: %llu accesses\n", (unsigned long long)point.buffer, (unsigned long long)point.accesses);
//   auto fused = heliolite::SegmentedNetwork::create(*heliolite::load_network("bert_base"));
#include <heliolite/workload.h>  // IWYU pragma: export

#include "engine/bounds/curve/movement_distance.h"  // IWYU pragma: export
#include "engine/bounds/curve/orojenesis.h"         // IWYU pragma: export
#include "engine/bounds/curve/orojenesis_nested.h"  // IWYU pragma: export
#include "engine/bounds/curve/provision.h"          // IWYU pragma: export
#include "engine/bounds/fusion/cut.h"               // IWYU pragma: export
#include "engine/bounds/fusion/fusion.h"            // IWYU pragma: export
