#pragma once
// Which of several machines that differ in their memories serves a set of layers best, and how, without a search for
// every machine.
//
//   heliolite::Architecture small = *heliolite::load_architecture("eyeriss"), large = small;
//   large.levels[3].entries = 2 * *small.levels[3].entries;
//   auto family = heliolite::MachineFamily::create({small, large});
//   std::vector<heliolite::WeightedLayer> layers{{heliolite::load_network("gemm:64x64x64")->layers[0].workload}};
//   auto answer = heliolite::co_search(layers, *family, {});
//   std::printf("machine %zu, gap %g\n", answer->best, answer->gap);
#include <heliolite/map.h>  // IWYU pragma: export

#include "engine/search/co_search/co_search.h"  // IWYU pragma: export
