#pragma once
// The cost of a mapping whose factors are real numbers, with its derivatives: DOSA's model (Hong et al., MICRO 2023)
// on any machine. What it counts, for a tensor kept at level a, fetched from level b outside it:
//   fills    words of a's tile, times the loops outside it from the innermost that moves the tensor on
//   reads    of b: fills of all the a's that it serves; those that want the same words share one read
//   outputs  are updates of b instead, and all but the first of each word are read before
//   energy   counts times the machine's prices; cycles: the slowest of the units and of the levels' bandwidths
// Left out, as in DOSA: halos that neighbouring tiles share, networks, leakage.
//
// What is too large costs instead of being refused: with the square of the logarithm of what a tile is above its
// buffer, an unrolling above its fan-out, a factor below 1 or above its limit.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "engine/model/cost_of_counts.h"
#include "engine/search/core/layer_problem.h"
#include "engine/space/splits.h"

namespace heliolite {

// Derivatives by reverse accumulation: a tape of operations on real numbers, played backwards once for all derivatives
// of the last one (Griewank, Walther, Evaluating Derivatives, SIAM 2008).

class Tape {
 public:
  // A number on the tape.
  struct Number {
    std::size_t at = 0;
  };

  void clear() { node_.clear(); }
  double value(Number x) const { return node_[x.at].value; }

  // A variable, or a number whose derivative nobody asks for.
  Number number(double value) { return push(value, 0, 0, 0, 0); }

  Number add(Number a, Number b) { return push(value(a) + value(b), a.at, 1, b.at, 1); }
  Number subtract(Number a, Number b) { return push(value(a) - value(b), a.at, 1, b.at, -1); }
  Number multiply(Number a, Number b) { return push(value(a) * value(b), a.at, value(b), b.at, value(a)); }
  Number divide(Number a, Number b) {
    return push(value(a) / value(b), a.at, 1 / value(b), b.at, -value(a) / (value(b) * value(b)));
  }
  Number scale(Number a, double factor) { return push(value(a) * factor, a.at, factor, a.at, 0); }
  Number shift(Number a, double summand) { return push(value(a) + summand, a.at, 1, a.at, 0); }
  Number exp(Number a) {
    const double e = std::exp(value(a));
    return push(e, a.at, e, a.at, 0);
  }
  Number log(Number a) { return push(std::log(value(a)), a.at, 1 / value(a), a.at, 0); }
  // The larger of the two, with its derivative.
  Number max(Number a, Number b) {
    const bool first = value(a) >= value(b);
    return push(std::max(value(a), value(b)), a.at, first ? 1 : 0, b.at, first ? 0 : 1);
  }

  // Derivatives of `last` by every number before it, by their places on the tape.
  const std::vector<double>& derivatives(Number last) {
    derivative_.assign(node_.size(), 0);
    derivative_[last.at] = 1;
    for (std::size_t k = last.at + 1; k-- > 0;) {
      const Node& n = node_[k];
      derivative_[n.a] += derivative_[k] * n.by_a;
      derivative_[n.b] += derivative_[k] * n.by_b;
    }
    return derivative_;
  }

 private:
  struct Node {
    double value;
    std::size_t a, b;  // what it was computed from
    double by_a, by_b;
  };

  Number push(double value, std::size_t a, double by_a, std::size_t b, double by_b) {
    node_.push_back({value, a, b, by_a, by_b});
    return {node_.size() - 1};
  }

  std::vector<Node> node_;
  std::vector<double> derivative_;
};

class RelaxedModel {
 public:
  // The problem must outlive it.
  RelaxedModel(const LayerProblem& problem, const KeepMasks& keep);

  // A factor that may be chosen; that of the outermost place of each dimension follows from the others.
  struct Variable {
    u8 dimension = 0, place = 0;
  };
  const std::vector<Variable>& variables() const { return variable_; }

  // [level]: the tensor whose loops stand outside the others, so that it stays longest.
  using Stationary = std::array<u8, kMaxLevels>;

  // The logarithm of the objective, with what is too large; `logs`: of the factors. Writes its derivatives by them.
  double loss(std::span<const double> logs, const Stationary& stationary, std::span<double> gradient);

 private:
  using Number = Tape::Number;

  void read(std::span<const double> logs);
  void move(int v, const Stationary& stationary);
  Number fills(int v, int inner, const Stationary& stationary);
  Number words(int v, int level);
  Number times_all(int from, int to, DimensionMask dimensions);
  // What moves at a level, over all its instances, in parts of its words.
  struct Parts {
    Number read, written;
  };
  void read_words(int level, int v, Number words);
  void write_words(int level, int v, Number words, const Accesses<double>& kind);
  Number in_parts(const CompiledLevel& level, int v, Number words);
  void wait_for(int level, Number words, double bandwidth);
  void too_large(Number log);
  void check_limits();
  Number product(Number a, Number b) { return tape_.multiply(a, b); }

  const LayerProblem& problem_;
  const Compiled& compiled_;
  KeepMasks keep_;
  std::vector<Variable> variable_;
  std::array<int, kMaxDimensions> rest_{};  // [dimension]: place of the factor that follows; -1: of size 1

  // The operations of the point that is looked at.
  Tape tape_;
  std::array<std::array<Number, kMaxDimensions>, kMaxPlaces> log_{}, factor_{};
  std::array<std::array<Number, kMaxDimensions>, kMaxLevels> extent_{};  // [level]: of its tile
  std::array<Parts, kMaxLevels> moved_{};                                // [level]
  Number one_, energy_, cycles_, excess_;
};

}  // namespace heliolite
