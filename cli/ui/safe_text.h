#pragma once
// What may go to a terminal: colours of our own, and nothing else that it obeys. Names come from files of others.
#include <string>
#include <string_view>

namespace heliolite::cli {

// A line made visible (engine/base/shortened.h) but for colours of painted().
std::string without_controls(std::string_view text);

// The lines of a text so, as they may go to standard output: where that has no colours nothing is left of what looks
// like them.
std::string for_stdout(const std::string& text);

}  // namespace heliolite::cli
