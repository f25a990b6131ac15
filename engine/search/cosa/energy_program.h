#pragma once
// The cost model itself as a mixed-integer program, relaxed where it is not convex in the logarithms of the factors:
// its answers are mappings, and its bound is one of all mappings. Variant convex of strategy cosa, docs/cosa.md.
#include <span>
#include <string>
#include <vector>

#include "engine/search/cosa/mapping_program.h"
#include "engine/search/cosa/mip.h"

namespace heliolite {

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
