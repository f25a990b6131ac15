#pragma once
// The preset files compiled into the binary.
#include <optional>
#include <span>
#include <string_view>

#include "engine/base/embedded.h"

namespace heliolite {

std::span<const EmbeddedFile> embedded_workload_presets();

// Text of the preset "resnet18" (file resnet18.yaml).
std::optional<std::string_view> workload_preset(std::string_view name);

}  // namespace heliolite
