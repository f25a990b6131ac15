#pragma once
// Files that grow while the program writes them: lists that are too long to be kept in memory.
#include <string>
#include <string_view>

namespace heliolite {

// Adds the text to the end of a file of the program's own, or makes it. Returns what went wrong; "": nothing did.
std::string append_text(const std::string& path, std::string_view text);

}  // namespace heliolite
