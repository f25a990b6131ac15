#pragma once
// What a search is asked and what it answers, between the public form and the engine's: searches of layers, networks
// and sets of machines share it.
#include <heliolite/map.h>

#include "engine/search/core/answer.h"
#include "engine/search/core/options.h"

namespace heliolite::api {

// The options by the table that the command line has (engine/search/core/option_table.h), with its errors.
Result<heliolite::SearchOptions> engine_options(const MapOptions& options);

// The answer for a layer that was mapped on the machine as `workload` has it.
LayerAnswer public_answer(const heliolite::MappingResult& result, const Workload& workload,
                          const Architecture& architecture, std::uint64_t count);

}  // namespace heliolite::api
