#pragma once
// Sizes of memories in bytes, as people write them: the one notation of files and options.
#include <optional>
#include <string_view>

namespace heliolite {

// The bytes that "108 KB" or "3.1MiB" means: a number above 0 and its unit, B, KB, MB or GB, each 1024 times the one
// before (KiB, MiB and GiB are the same). Nothing for anything else, plain numbers included.
std::optional<double> parse_bytes(std::string_view text);

inline constexpr std::string_view kByteUnits = "B, KB, MB or GB, of 1024";  // for messages
// A regular expression that every such text matches.
inline constexpr const char* kBytePattern = "^[0-9.]+([eE][+-]?[0-9]+)?\\s*([kKmMgG][iI]?)?[bB]\\s*$";

}  // namespace heliolite
