#pragma once
// The completions of the shells, from the table of options.
#include <string>

#include "cli/shell/command_table.h"

namespace heliolite::cli {

std::string bash_completion(const CommandTable& table);
std::string zsh_completion(const CommandTable& table);
std::string fish_completion(const CommandTable& table);

}  // namespace heliolite::cli
