#pragma once
// A mapping with imperfect factors while it is being searched, and its small changes. Each dimension is a chain of loop
// ends over the places of the mapspace; residuals follow from the ends (docs/rules/imperfect.md).
#include <array>
#include <vector>

#include "engine/base/integers.h"
#include "engine/model/mapping.h"
#include "engine/space/mapspace.h"
#include "engine/space/nest_writer.h"
#include "engine/space/splits.h"

namespace heliolite {

// A mapping with imperfect factors, as loop ends.
struct ImperfectPlan {
  PlaceFactors tiling{};                      // loop ends by place and dimension
  LevelOrders orders;                         // [level]: every dimension of size above 1 that may loop there
  std::array<TensorMask, kMaxLevels> keep{};  // [level]: tensors kept
};

// A place for one loop of each dimension, axes told apart: X or Y of a fan-out, or the temporal loops of a level.
struct LoopPlace {
  u8 level = 0;
  LoopKind kind = LoopKind::Temporal;
  u8 place = 0;
  DimensionMask allowed = 0;
};

// One loop end of a dimension changes, the loop at another place makes up for it.
struct EndMove {
  u8 dimension = 0;
  u8 loop_place = 0;
  u8 absorber = 0;
  u32 end = 1;
};

// The plans and moves of a mapspace, which must outlive it.
class ImperfectPlanSpace {
 public:
  // `useful_only`: of the ends with as many iterations outside only the least, and what fills an axis.
  explicit ImperfectPlanSpace(const Mapspace& space, bool useful_only = true);

  const std::vector<LoopPlace>& loop_places() const { return loop_places_; }  // innermost first
  const Mapspace& space() const { return space_; }

  u32 end_at(const ImperfectPlan& plan, int loop_place, int d) const {
    const PlaceFactor& f = plan.tiling[loop_places_[at(loop_place)].place][at(d)];
    return loop_places_[at(loop_place)].kind == LoopKind::SpatialY ? f.y : f.x;
  }

  // Makes the move. Returns false if the result breaks a limit of the machine; the plan must then be thrown away.
  bool apply(ImperfectPlan& plan, const EndMove& move) const;

  // Makes up for what the other places leave of dimension d: the end at `absorber` is the least that covers the
  // dimension, ends that would never be reached are cut. False when a limit is broken.
  bool absorb(ImperfectPlan& plan, int d, int absorber) const;

  // Writes into `out`, ascending, the ends that the loop of dimension d at `loop_place` may have, the loops inside it
  // as they are.
  void useful_ends(const ImperfectPlan& plan, int d, int loop_place, std::vector<u32>& out) const;

  // Appends all moves of dimension d to `out`; with `near` only those to the ends next to the present one, to 1 and to
  // the largest.
  void list(const ImperfectPlan& plan, int d, bool near, std::vector<EndMove>& out) const;

  // The mapping that a plan stands for, and the plan of a mapping.
  Mapping mapping(const ImperfectPlan& plan) const;
  ImperfectPlan plan(const Mapping& mapping) const;

  // The machine's smallest factors, the rest at the outermost places that take it. False: there is no such plan.
  bool smallest(ImperfectPlan& plan) const;

 private:
  void set_end(ImperfectPlan& plan, int loop_place, int d, u32 end) const {
    PlaceFactor& f = plan.tiling[loop_places_[at(loop_place)].place][at(d)];
    (loop_places_[at(loop_place)].kind == LoopKind::SpatialY ? f.y : f.x) = end;
  }
  u64 room(const ImperfectPlan& plan, int d, int loop_place) const;
  bool legal(const ImperfectPlan& plan, int d) const;
  void canonical_orders(ImperfectPlan& plan) const;

  const Mapspace& space_;
  bool useful_only_;
  NestWriter writer_;
  std::vector<LoopPlace> loop_places_;
};

}  // namespace heliolite
