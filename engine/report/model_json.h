#pragma once
// Mappings and what they cost as JSON, for answers of --json and for Python. Keys are stable and documented in
// docs/json.md.
#include <nlohmann/json.hpp>

#include "engine/model/cost.h"
#include "engine/model/mapping.h"

namespace heliolite {

struct Architecture;
struct Workload;

// The mapping in the form that engine/model/mapping_yaml.h reads back.
nlohmann::ordered_json to_json(const Mapping& mapping, const Workload& workload, const Architecture& architecture);
nlohmann::ordered_json to_json(const Breakdown& breakdown, const Workload& workload);

}  // namespace heliolite
