#pragma once
// Different sums of the places of units along two dimensions of a rank (docs/rules/any_factors.md, item 4).
#include <vector>

#include "engine/base/integers.h"
#include "engine/search/any/remembered.h"

namespace heliolite {

// Units of one fan-out along dimensions a and b, and how far their places are apart along the rank; 0: not known.
struct PlaceRow {
  u64 units_a = 1, units_b = 1;
  u64 step_a = 0, step_b = 0;
};

// Requests are for one word if their units' places have the same sum in each fan-out, at one moment. Remembers what it
// has been asked.
class DistinctPlaces {
 public:
  // Of sizes a and b so many at least, over all moments, whatever loops over time are between the fan-outs (innermost
  // first); 0: not known, as there are too many places.
  u64 least(u64 size_a, u64 size_b, const std::vector<PlaceRow>& rows);

 private:
  Remembered<std::vector<u64>, u64> known_;
};

}  // namespace heliolite
