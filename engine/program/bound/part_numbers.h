#pragma once
// The bounds of parts as numbers, at given parameter values.
#include <optional>
#include <vector>

#include "engine/program/bound/program_bound.h"

namespace heliolite {

// Counts points at given parameter values. What cannot be counted is remembered.
class PartNumbers {
 public:
  PartNumbers(const AffineProgram& program, const ParameterValues& values) : program_(program), values_(values) {}

  std::optional<double> points(const isl::set& set);
  std::optional<double> points(const isl::union_set& sets);
  // The values of each coordinate, from its least to its largest one.
  std::vector<double> extents(const isl::set& set) const;

  // The part's shape, choices of exponents and counts. False if no bound comes of it.
  bool fill(PartBound& bound);
  // What the bound counts when bounds are compared: its words for a few small memories.
  double small_memory_words(const PartBound& bound);

  bool uncounted() const { return uncounted_; }  // something, so that a bound had to be left out
  const AffineProgram& program() const { return program_; }
  const ParameterValues& values() const { return values_; }

 private:
  const AffineProgram& program_;
  const ParameterValues& values_;
  bool uncounted_ = false;
};

double partition_words(const PartBound& bound, double capacity);
// Nothing where its slices cannot be counted.
std::optional<double> wavefront_words(const AffineProgram& program, const ParameterValues& values,
                                      const PartBound& bound, double capacity);

}  // namespace heliolite
