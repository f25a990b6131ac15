#pragma once
// Energy, leakage and area of memories and logic by size, width and technology node (docs/energy.md says where
// every number comes from). Rules are those of CACTI, of the Accelergy plug-ins and of Stillmaker and Baas.
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/types.h"

namespace heliolite {

inline constexpr double kMinTechnologyNm = 7;
inline constexpr double kMaxTechnologyNm = 130;

// Costs of one memory.
struct MemoryCost {
  double read_pj = 0;   // one access of one word
  double write_pj = 0;  // likewise
  double leakage_mw = 0;
  double area_um2 = 0;
};

// The cost of an on-chip memory of `words` words of `width_bits` bits, of which an access reads or writes one word.
// From 64 words on: the CACTI table, exact at its points, log-log linear between them, power laws above 16 MB and
// 256 bits. Up to 32 words: energy of a flip-flop register file, but never above the 64-word SRAM of the same
// width; in between the geometric blend; leakage and area in proportion to the words of the 64-word SRAM.
// Never decreasing in words; energies never decreasing in width. Zero words cost nothing.
MemoryCost memory_cost(u64 words, u64 width_bits, double technology_nm);

// The cost of a register file of flip-flops, of any size: a flip-flop a bit, and for each word a comparator of its
// address. Energy, leakage and area grow with the words and the width. Zero words cost nothing.
MemoryCost register_cost(u64 words, u64 width_bits, double technology_nm);

// pJ of one access of a register file of flip-flops: the word's flip-flops and the address comparators.
double flip_flop_access_pj(u64 words, u64 width_bits, double technology_nm);

// Costs of one unit of logic.
struct LogicCost {
  double energy_pj = 0;  // one operation
  double leakage_mw = 0;
  double area_um2 = 0;
};

LogicCost adder_cost(u64 bits, double technology_nm);       // linear in the width
LogicCost multiplier_cost(u64 bits, double technology_nm);  // quadratic in the width
LogicCost mac_cost(u64 bits, double technology_nm);         // a multiplier and an adder of twice its width

// pJ per bit read or written of a DRAM of this type; nothing for an unknown type.
std::optional<double> dram_pj_per_bit(std::string_view type);
std::vector<std::string> dram_types();  // sorted: "DDR3", "GDDR5", ...

// The CACTI grid (tables/sram_cacti.csv) as a function of capacity, word width and technology node: exact at its
// points, geometric (log-log linear) in between, power laws above.

// Reads tables that are compiled into the binary: comma-separated, "#" comments, one header line, plain numbers after
// an optional name. They are part of the program, so that an error in one is an assertion.

// Rows of numbers of the embedded table `file` ("sram_cacti.csv"), in file order.
std::vector<std::vector<double>> embedded_rows(std::string_view file);

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
