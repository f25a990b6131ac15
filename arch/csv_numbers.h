#pragma once
// Reads tables that are compiled into the binary: comma-separated, "#" comments, one header line, plain numbers after
// an optional name. They are part of the program, so that an error in one is an assertion.
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace heliolite {

// Rows of numbers of the embedded table `file` ("sram_cacti.csv"), in file order.
std::vector<std::vector<double>> embedded_rows(std::string_view file);

// The same for tables whose first column is a name.
std::map<std::string, std::vector<double>, std::less<>> embedded_named_rows(std::string_view file);

}  // namespace heliolite
