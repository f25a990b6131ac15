#pragma once
// The presets of machines and of workloads, a line each.
#include <string>

#include "cli/ui/json.h"

namespace heliolite::cli {

std::string preset_tables();
void add_preset_lists(Json& answer);  // "machines" and "workloads" of docs/json.md

}  // namespace heliolite::cli
