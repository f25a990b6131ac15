#pragma once
// Sums of powers in a mixed-integer program: 2^a + 2^b + .. <= limit, where a, b, .. are linear in the columns. A power
// is convex, so it lies above each of its tangents: a column for each power, above some of them, makes the sum too
// small by little and never too large.
#include <span>
#include <string>
#include <vector>

#include "engine/search/cosa/mip.h"

namespace heliolite {

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

  // Adds the columns and rows of sum <= limit. `seen`: answers of a program with the same columns, at which the powers
  // get tangents of their own and so are exact.
  void add_to(Mip& mip, double limit, std::span<const std::vector<double>> seen) const;

 private:
  struct Power {
    LinearForm exponent, less;
    double low, high;  // of `less`
    bool is_difference;
  };
  static LinearForm chord(const Power& power);

  std::string name_;
  std::vector<Power> powers_;
};

}  // namespace heliolite
