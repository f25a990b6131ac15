#pragma once
// The best mapping of a layer, or of every layer of a network, with a proof or a proven gap.
//
//   auto network = heliolite::load_network("resnet18");
//   auto machine = heliolite::load_architecture("eyeriss");
//   auto answer = heliolite::map_network(*network, *machine, {.objective = heliolite::Objective::Energy});
//   for (const heliolite::LayerResult& layer : answer->layers)
//     std::printf("%s: %g, at most %g above the optimum\n", layer.name.c_str(), layer.result.value, layer.result.gap);
//
// map_workload() does one layer on the calling thread. The defaults of SearchOptions are those of `heliolite map`.
#include <heliolite/evaluate.h>  // IWYU pragma: export

#include "engine/search/core/answer.h"     // IWYU pragma: export
#include "engine/search/core/objective.h"  // IWYU pragma: export
#include "engine/search/core/options.h"    // IWYU pragma: export
#include "engine/search/map.h"             // IWYU pragma: export
