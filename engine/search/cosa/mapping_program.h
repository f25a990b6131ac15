#pragma once
// A mixed-integer program whose answers are mappings: what all variants of the strategy have in common.
#include <array>
#include <span>
#include <string>
#include <vector>

#include "engine/search/core/layer_problem.h"
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

}  // namespace heliolite
