#pragma once
// Mixed-integer programs whose answers are mappings: what all variants of strategy cosa have in common, and the program
// of each.
#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/model/compiled.h"
#include "engine/search/core/layer_problem.h"
#include "engine/search/core/strategy.h"
#include "engine/search/cosa/mip.h"
#include "engine/space/divisors.h"
#include "engine/space/mapspace.h"
#include "engine/space/splits.h"

namespace heliolite {

// The factors of a mapping as columns of a mixed-integer program: for each dimension, place and prime the exponent of
// the prime. The logarithm to base 2 of a factor is then a sum over columns, and products become sums.

// The exponent of a prime in n.
int exponent_of(u64 n, u64 prime);

class FactorColumns {
 public:
  // Adds the columns, and the rows that make them perfect factors that the mapspace allows: exponents that add up to
  // those of the sizes, limits of factors, room of fan-outs. Both must outlive this object.
  FactorColumns(const Mapspace& space, Mip& mip);

  // log2 of the temporal factor of dimension d at level i, of its spatial factor (over both axes), and of both.
  LinearForm temporal(int i, int d) const { return log2_of(cell(i, d, kTemporal)); }
  LinearForm spatial(int i, int d) const { return log2_of(cell(i, d, kX)).add(log2_of(cell(i, d, kY))); }
  LinearForm both(int i, int d) const { return temporal(i, d).add(spatial(i, d)); }
  // Doublings in both factors: log2 with each prime counted as 2 at most.
  LinearForm doublings(int i, int d) const;

  // The primes of the size of d, and the exponent of the k-th of them in the factors of levels 0 to i together.
  std::span<const PrimePower> primes(int d) const { return primes_[d]; }
  LinearForm exponent_inside(int i, int d, std::size_t k) const;

  // log2 of the size.
  double log2_size(int d) const { return log2_size_[d]; }
  // Dimensions of size above 1 that may have a temporal loop at level i: first those that the machine puts innermost,
  // in their order, and how many these are.
  std::vector<u8> loops(int i) const;
  std::size_t ordered_loops(int i) const;

  // The factors that an answer of the program says.
  PlaceFactors factors(std::span<const double> values) const;
  // The reverse: sets the columns, of which `values` has one for each. False: some factor is none of the program's.
  bool set(const PlaceFactors& factors, std::span<double> values) const;

 private:
  enum Where : int { kX, kY, kTemporal, kWheres };
  using Cell = std::vector<int>;  // [prime of the dimension]: column, or -1 where the exponent is 0

  const Cell& cell(int i, int d, Where where) const { return cells_[(i * kMaxDimensions + d) * kWheres + where]; }
  LinearForm log2_of(const Cell& cell, double most = kUnlimited) const;
  void add_columns();
  Cell columns_of(int i, int d, Where where, u64 most);
  void add_limits(int i, int d, std::initializer_list<Where> where, const FactorLimit& limit, const char* kind);
  void add_fanouts(int i);
  void add_least_units();
  void add_one_axis(int i, int d);

  const Mapspace& space_;
  Mip& mip_;
  std::vector<std::vector<PrimePower>> primes_;     // [dimension]
  std::array<double, kMaxDimensions> log2_size_{};  // [dimension]
  std::vector<Cell> cells_;                         // [level][dimension][where]
  std::vector<const PrimePower*> prime_of_;         // [column]; null for columns that are no exponents
};

// What levels keep where a program leaves no choice: what they must; of what is open only a level that need not keep
// anything takes all.
KeepMasks usual_keep(const Mapspace& space);

class MappingProgram {
 public:
  // The program of mappings that keep these tensors. The problem must outlive the program.
  MappingProgram(const LayerProblem& problem, const KeepMasks& keep)
      : problem_(problem), keep_(keep), factors_(problem.space, mip_) {}
  virtual ~MappingProgram() = default;
  MappingProgram(const MappingProgram&) = delete;
  MappingProgram& operator=(const MappingProgram&) = delete;

  const Mip& mip() const { return mip_; }
  // The mapping that an answer of the program says.
  Mapping mapping(std::span<const double> values) const;

 protected:
  // The dimensions of level i's temporal loops, innermost first, those of one iteration included.
  virtual std::vector<u8> order(int i, std::span<const double> values) const = 0;

  const Mapspace& space() const { return problem_.space; }
  const Compiled& compiled() const { return problem_.model.compiled(); }
  const std::string& level_name(int i) const { return space().level_names[i]; }
  bool keeps(int i, int v) const { return contains(keep_[i], v); }
  bool moves(int d, int v) const { return contains(compiled().tensor[v].indexing, d); }
  // Whether the machine gives level i less room than all tensors need.
  bool is_limited(int i) const { return !compiled().level[i].holds_all(); }
  // The tile of level i that these factors make.
  Extents tile(const PlaceFactors& factors, int i) const;

  const LayerProblem& problem_;
  KeepMasks keep_;
  Mip mip_;
  FactorColumns factors_;
};

// CoSA: one mixed-integer program whose answer is the mapping (Huang et al., ISCA 2021; Dinh, UC Berkeley
// EECS-2023-293, section 6.1). Minimised is a weighted sum of logarithms: of cycles, of the words that move in and out
// of the global buffer, and of the words held inside it. docs/cosa.md states all rows.

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

// The cost model itself as a mixed-integer program, relaxed where it is not convex in the logarithms of the factors:
// its answers are mappings, and its bound is one of all mappings. Variant convex of strategy cosa, docs/cosa.md.

// Sums of powers in a mixed-integer program: 2^a + 2^b + .. <= limit, where a, b, .. are linear in the columns. A power
// is convex, so it lies above each of its tangents: a column for each power, above some of them, makes the sum too
// small by little and never too large.

class PowerSum {
 public:
  // The name of its rows.
  explicit PowerSum(std::string name) : name_(std::move(name)) {}

  // Adds 2^exponent.
  void add(LinearForm exponent) { powers_.push_back({std::move(exponent), {}, 0, 0, false}); }
  // Adds 2^exponent - 2^less, which is never negative, where `less` is from `low` to `high`: there the chord of 2^less
  // lies above it, so the difference with the chord is too small as well. With low >= high all that is said of the
  // difference is that it is not negative.
  void add_difference(LinearForm exponent, LinearForm less, double low, double high) {
    powers_.push_back({std::move(exponent), std::move(less), low, high, true});
  }
  bool empty() const { return powers_.empty(); }

  // Adds the columns and rows of sum <= limit. `earlier_answers`: answers of a program with the same columns, at which
  // the powers get tangents of their own and so are exact.
  void add_to(Mip& mip, double limit, std::span<const std::vector<double>> earlier_answers) const;

 private:
  struct Power {
    LinearForm exponent, less;
    double low, high;  // bounds of `less`
    bool is_difference;
  };
  static LinearForm chord(const Power& power);

  std::string name_;
  std::vector<Power> powers_;
};

class LoopOrders {
 public:
  // Adds the columns of level 1 and all levels outside it: no tile is inside level 0. All must outlive this object.
  LoopOrders(const Mapspace& space, const FactorColumns& factors, Mip& mip);

  // log2 of the product of those temporal loops outside the tile of level i that do not move the tensor and yet make it
  // move again, because one that moves it is inside them. `moves`: the dimensions that move it; `name`: of the tensor.
  LinearForm repeats(int i, DimensionMask moves, const std::string& name);

  // The dimensions of level i's loops, innermost first, in an answer.
  std::vector<u8> order(int i, std::span<const double> values) const;

 private:
  struct Level {
    std::vector<u8> loops;                        // dimensions; those that the machine orders come first
    std::vector<int> active;                      // [loop]: binary, it has more than one iteration
    std::vector<std::vector<LinearForm>> inside;  // [a][b]: 1 if loop a is inside loop b, else 0
  };

  Level add_level(int i);
  void add_transitivity(int i, const Level& level);
  int at_least_all(const std::string& name, const std::vector<LinearForm>& forms);

  const Mapspace& space_;
  const FactorColumns& factors_;
  Mip& mip_;
  std::vector<Level> levels_;  // [level]
};

// What is known before a program is made.
struct EnergyLimits {
  double log2_limit = 0;                               // mappings whose value has a larger logarithm are left out
  std::vector<std::vector<double>> earlier_answers{};  // answers of earlier programs, at which this one is exact
  std::vector<double> shrink{};                        // [level]: the room is 2^shrink of what it has; empty: all of it
};

class EnergyProgram : public MappingProgram {
 public:
  // Minimises log2 of the objective in the unit of objective_number().
  EnergyProgram(const LayerProblem& problem, const KeepMasks& keep, const EnergyLimits& limits);

  // Whether the program's bound is one of the cost model: tiles must be products, so no rank slides or has holes.
  static bool is_a_relaxation(const Compiled& c);

 protected:
  std::vector<u8> order(int i, std::span<const double> values) const override { return orders_.order(i, values); }

 private:
  // The traffic of a tensor at a level that keeps it, of one instance: logarithms of words.
  struct Traffic {
    LinearForm asked;  // that the level is asked for from inside
    LinearForm taken;  // that cross into its tile from outside; meaningless at the outermost level
    LinearForm part;   // part of an output's words that is never read before it is written
  };

  void add_rooms(const EnergyLimits& limits);
  void add_traffic(int v);
  void add_energy(int i, PowerSum& sum) const;
  void add_bandwidths(int i, const EnergyLimits& limits);
  void add_accesses(PowerSum& sum, int i, int v, double read, double fill, double update, const LinearForm& scale,
                    double least_scale, double most_scale) const;
  LinearForm spatial_outside(int i, DimensionMask dimensions) const;
  double log2_instances(int i) const;

  int outermost_;
  LoopOrders orders_;
  std::vector<std::vector<Traffic>> traffic_;  // [level][tensor]: of what is kept
  int log_energy_ = -1, log_cycles_ = -1;      // columns: log2 of pJ, of cycles
};

}  // namespace heliolite
