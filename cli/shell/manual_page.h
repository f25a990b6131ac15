#pragma once
// Manual pages in roff, with the macros of man(7).
#include <string>

#include "cli/shell/command_table.h"

namespace heliolite::cli {

std::string program_page(const CommandTable& table);  // heliolite(1)
std::string command_page(const CommandRow& command);  // heliolite-COMMAND(1)

}  // namespace heliolite::cli
