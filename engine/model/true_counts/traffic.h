#pragma once
// Reads, fills and updates of a tensor at a level, of all instances or of one (docs/cost_model.md, rule 39).
#include "engine/model/compiled.h"
#include "engine/model/cost_of_counts.h"
#include "engine/model/perfect.h"
#include "engine/model/true_counts/fetches.h"

namespace heliolite {

// Follows one tensor from the compute units outwards, level by level.
class TrueStream {
 public:
  TrueStream(const Compiled& c, int tensor, const TrueNest& nest, const UnitDigits& unit)
      : c_(c), t_(c.tensor[at(tensor)]), nest_(nest), unit_(unit) {}

  // Goes on from the tile inside `boundary`, which the level inside keeps; 0: from the compute units.
  void start(int boundary) {
    boundary_ = boundary;
    count_fetches(c_, t_, nest_, boundary, unit_, fetches_);
  }
  // Words that arrive at a level, and at those between that pass the tensor by.
  u64 accesses(int level) const;
  // Words that cross into the tile, over all its instances.
  u64 crossing() const { return words_of(t_, nest_, boundary_, fetches_, 0, unit_); }
  // Words of an output that the instances of the level ever hold, each counted once by each instance.
  u64 part(int level) const;

 private:
  const Compiled& c_;
  const CompiledTensor& t_;
  const TrueNest& nest_;
  const UnitDigits& unit_;
  int boundary_ = 0;
  Fetches fetches_;
};

// Fills are none at the outermost level, and at an interconnect.
inline bool takes_fills(const Compiled& c, int level) {
  return level + 1 < c.level_count && !c.level[at(level)].is_interconnect;
}

// At least as many reads and fills of a tensor that is no output as any instance of the level has; `first`: its first
// instance.
Accesses<u64> most_accesses(const Compiled& c, int tensor, const TrueNest& nest, const KeepMasks& keep, int level,
                            const UnitDigits& first);

// The words of one tensor at a level that keeps it, or at an interconnect, of the instances in `unit`: a class of those
// of that level.
Accesses<u64> instance_accesses(const Compiled& c, int tensor, const TrueNest& nest, const KeepMasks& keep, int level,
                                const UnitDigits& unit);

}  // namespace heliolite
