#pragma once
// Mappers of somebody else, beside our own strategies: their answer is a mapping, which our cost model rates.
#include <functional>

#include "engine/base/result.h"
#include "engine/search/core/answer.h"
#include "engine/search/core/options.h"

namespace heliolite {

// The mapping of one layer on one machine, or the reasons why there is none. `options`: the time limit, what of the
// machine's rules may be lifted, which factors and tiles are allowed, the stop flag.
using ForeignMapper =
    std::function<Result<Mapping>(const Workload& workload, const Architecture& machine, const SearchOptions& options)>;

// The fields of Diagnostics of a mapper that gave no answer: its program crashed (a signal ended it), or failed
// otherwise.
inline constexpr const char* kMapperCrashed = "crashed";
inline constexpr const char* kMapperFailed = "command";

// What the answer is worth: Bounded, with a lower bound of 0 and one mapping priced, or Infeasible with the reasons,
// also where the mapping is not of the mapspace that the options ask for.
MappingResult rated(const Result<Mapping>& answer, const Workload& workload, const Architecture& machine,
                    const SearchOptions& options);

}  // namespace heliolite
