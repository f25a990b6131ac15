#pragma once
// CoSA: one mixed-integer program whose answer is the mapping (Huang et al., ISCA 2021; Dinh, UC Berkeley
// EECS-2023-293, section 6.1). Minimised is a weighted sum of logarithms: of cycles, of the words that move in and out
// of the global buffer, and of the words held inside it. docs/cosa.md states all rows.
#include <optional>
#include <span>
#include <string>

#include "engine/model/compiled.h"
#include "engine/search/core/strategy.h"
#include "engine/search/cosa/mapping_program.h"
#include "engine/search/cosa/mip.h"

namespace heliolite {

// How long a tile is along a rank that is no single dimension, such as 2 * p + r: exactly, as a table. Each pair of
// divisors of p and r has a binary column; the one that is 1 says both tiles and, with it, the logarithm of the extent.

inline constexpr std::size_t kMostRankCells = 400;  // cells of a table

// log2 of the words along a rank, the sum of coefficient x (extent - 1) over `terms`, plus 1, of the tile of level i.
// Adds the table's columns and rows to `mip`. Extents above `most` are left out: no tile may have them. Nothing if the
// table would have more than kMostRankCells cells. `name`: of its columns and rows.
std::optional<LinearForm> add_rank_table(const FactorColumns& factors, int i, std::span<const CompiledTerm> terms,
                                         double most, const std::string& name, Mip& mip);

class LogTrafficProgram : public MappingProgram {
 public:
  // `variant`: Published or Ordered.
  LogTrafficProgram(const LayerProblem& problem, const KeepMasks& keep, CosaVariant variant, const CosaWeights& weights,
                    CosaHalo halo);

  // The program with the columns that a mapping says held at what it says: its answers are the values of the others.
  // Nothing if some of the mapping is not in the program: what levels keep, a factor.
  std::optional<Mip> held_at(const Mapping& mapping) const;

  // Adds rows that this answer, whose mapping does not fit, does not obey. False: none could be added.
  bool exclude(std::span<const double> values);

 protected:
  std::vector<u8> order(int i, std::span<const double> values) const override;

 private:
  // The columns that order the loops of one level: slot 0 is innermost.
  struct Slots {
    int level = 0;
    std::vector<u8> loops;                // dimensions, those that the machine orders first
    std::vector<std::vector<int>> takes;  // [loop][slot]: binary, the loop has the slot
    std::vector<LinearForm> length;       // [slot]: log2 of the iterations of its loop
    std::vector<std::vector<int>> part;   // [loop][slot]: column, log2 of the iterations if the loop has the slot
  };

  LinearForm held(int i, int v) const;
  void set_slots(const Slots& slots, const std::vector<u8>& loops, std::span<double> values) const;
  double share(int i, int v) const;
  LinearForm tile_size(int i, int v, CosaHalo halo);
  LinearForm doubled_size(int i, int v) const;
  void add_capacities();
  Slots add_slots(int level);
  LinearForm add_refetches(const Slots& slots, int v, int* last, int before);
  LinearForm traffic(int v, CosaVariant variant);

  int buffer_;  // the global buffer: the outermost level inside the last one that may have loops; -1: there is none
  std::vector<Slots> slots_;
  std::vector<std::vector<LinearForm>> size_;   // [level][tensor kept there]: log2 of the words of its tile
  std::vector<std::vector<int>> capacity_row_;  // [level][tensor]; -1: no limit
  DimensionMask window_ = 0;                    // dimensions that slide along a larger one
};

}  // namespace heliolite
