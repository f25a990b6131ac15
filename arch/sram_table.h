#pragma once
// The CACTI grid (tables/sram_cacti.csv) as a function of capacity, word width and technology node: exact at its
// points, geometric (log-log linear) in between, power laws above. Private to energy_tables.cpp.
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "arch/energy_tables.h"

namespace heliolite {

// Reads tables that are compiled into the binary: comma-separated, "#" comments, one header line, plain numbers after
// an optional name. They are part of the program, so that an error in one is an assertion.

// Rows of numbers of the embedded table `file` ("sram_cacti.csv"), in file order.
std::vector<std::vector<double>> embedded_rows(std::string_view file);

// The rows of an embedded table whose first column is a name.
std::map<std::string, std::vector<double>, std::less<>> embedded_named_rows(std::string_view file);

class SramTable {
 public:
  static const SramTable& instance();

  // The cost of one bank of `capacity_bytes` (at least 64 words) that is read and written in words of `width_bits` (at
  // least 8); node from kMinTechnologyNm to kMaxTechnologyNm.
  MemoryCost cost(double capacity_bytes, double width_bits, double technology_nm) const;

 private:
  using Values = std::array<double, 4>;  // read, write, leakage, area
  struct Point {
    double bytes;
    Values values;
  };
  struct Width {
    double bits;
    std::vector<Point> points;  // by capacity
  };
  struct Node {
    double nanometres;
    std::vector<Width> widths;  // ascending
  };

  SramTable();
  static Values between(const Values& low, const Values& high, double share);
  static Values at(const Width& width, double bytes);
  static Values at(const Node& node, double bytes, double bits);
  Values at_node(double bytes, double bits, double nanometres) const;

  std::vector<Node> nodes_;  // ascending
};

}  // namespace heliolite
