#pragma once
// The order in which the values of a parameter stand in a chart.
#include <string>
#include <vector>

namespace heliolite {

// The values by size if every value has one: numbers, sizes with units ("54 KB"), products ("14x12"). Else as they are.
std::vector<std::string> in_order(std::vector<std::string> values);

}  // namespace heliolite
