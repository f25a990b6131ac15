#pragma once
// Numbers as people read them, in tables and on pages. Locale plays no part.
#include <string>
#include <string_view>

#include "engine/base/types.h"

namespace heliolite {

std::string grouped(u64 n);            // "1,234,567"
std::string percent(double fraction);  // "46.9 %"

// A number with the prefix of its unit that makes it easy to read: "1.2 mW", "345 GB/s", "0 W".
std::string with_prefix(double value, std::string_view unit);

}  // namespace heliolite
