#pragma once
// What a proof claims: that no mapping's value is below V. A claim is a test of energy and cycles that stays true when
// either grows; nothing else in a proof depends on the objective. And the convex curves that no mapping is claimed to
// be below: through mappings, or under lines that searches have proven.
#include <array>
#include <optional>
#include <string>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>

#include "engine/base/types.h"
#include "engine/proof/instance.h"
#include "engine/search/core/objective.h"

namespace heliolite::proof {

// Energies inside a pass are counted in 1 / scale of the instance's unit, so that a word's share of a block is a whole
// number.
class Claim {
 public:
  static constexpr u128 kNever = ~u128{0};

  // The claim that these objectives' value of `energy` (in the instance's unit) and `cycles` is the least. None: no
  // proof speaks of the objective, or its values need more than 256 bits.
  static std::optional<Claim> of(Objective objective, u128 energy, u64 cycles, u64 scale);

  // The claim that nothing is below the convex curve through these corners: cycles rise, energy falls, more and more
  // slowly.
  static std::optional<Claim> of_curve(std::vector<ExactCost> corners, u64 scale);

  // The least scaled energy that is not below V in `cycles` cycles; kNever: none is.
  u128 least_energy(u64 cycles) const;
  bool closed(u128 scaled_energy, u64 cycles) const { return scaled_energy >= least_energy(cycles); }

  // "edp 3192": the kind and V, in units and cycles.
  std::string text() const;

 private:
  using Wide = std::array<u64, 4>;  // the least significant limb first
  u128 on_curve(u64 cycles) const;

  Objective::Kind kind_ = Objective::Edp;
  Wide value_{}, scaled_{};
  u64 cycles_ = 0;  // of delay
  u64 scale_ = 1;   // of a curve, and its corners
  std::vector<ExactCost> corners_;
};

// The corners of the lower left hull of points, from the fewest cycles to the least energy.
std::vector<ExactCost> lower_hull(std::vector<ExactCost> points);

// No mapping has energy + lambda x cycles below `value`, in the instance's unit.
struct ExactLine {
  boost::multiprecision::cpp_rational lambda, value;
};

// Points on or under the lines and right of the least cycles, such that every mapping's cost, of whole cycles and
// units, is on or above their hull: those next to each crossing of two lines, rounded down.
std::vector<ExactCost> points_under(const std::vector<ExactLine>& lines, u64 least_cycles);

}  // namespace heliolite::proof
