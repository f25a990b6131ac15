#pragma once
// Cutting design points early: a few points are mapped first, the same ones whatever happens, and a point is cut when
// one of them beats even its lower bounds. Rule and proof: docs/rules/sweep.md.
#include <vector>

#include "engine/sweep/design_points.h"
#include "engine/sweep/totals.h"

namespace heliolite {

// How many points are mapped first: what the sweep asks for, or else kPilots; one where a co-search is the better way
// to compare points; none for SweepGoal::All.
u64 pilot_count(const SweepSpec& spec, const DesignPoints& points);

inline constexpr u64 kPilots = 16;

// The points that every run and every shard maps first, by id: pilot_count() of them, or all if there are fewer. They
// are those that their lower bounds say most for, out of kPilotCandidates points spread evenly. Cut short if the sweep
// is told to stop.
std::vector<u64> choose_pilots(const SweepSpec& spec, const DesignPoints& points);

inline constexpr u64 kPilotCandidates = 512;

// Rule pilot-bound.
class PilotRule {
 public:
  // Pilots that are not done cannot cut.
  PilotRule(SweepGoal goal, const std::vector<PointRecord>& pilots);

  // The first pilot that beats every point of at least these totals and this area; none if there is none. For the
  // front: it needs no more energy, cycles and area, and less of one of them. For the best: it has a smaller value.
  const PointRecord* beaten_by(const Totals& least, double area_um2) const;

 private:
  SweepGoal goal_;
  std::vector<PointRecord> pilots_;
};

}  // namespace heliolite
