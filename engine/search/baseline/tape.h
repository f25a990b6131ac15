#pragma once
// Derivatives by reverse accumulation: a tape of operations on real numbers, played backwards once for all derivatives
// of the last one (Griewank, Walther, Evaluating Derivatives, SIAM 2008).
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace heliolite {

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

}  // namespace heliolite
