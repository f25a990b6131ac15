#pragma once
// Cutting design points early: a few points are mapped first, the same ones whatever happens, and a point is cut when
// one of them beats even its lower bounds. Rule and proof: docs/rules/sweep.md.
#include <vector>

#include "engine/sweep/design_points.h"
#include "engine/sweep/totals.h"

namespace heliolite {

// How many points are mapped first: the sweep's own number, or else kPilots; one where a co-search is the better way to
// compare points; none for SweepGoal::All.
u64 pilot_count(const SweepSpec& spec, const DesignPoints& points);

inline constexpr u64 kPilots = 16;

// Ids of the points that every run and every shard maps first: pilot_count() of them, or all if there are fewer. They
// are the most promising by their lower bounds, out of kPilotCandidates points spread evenly. Fewer if the sweep is
// told to stop meanwhile.
std::vector<u64> choose_pilots(const SweepSpec& spec, const DesignPoints& points);

inline constexpr u64 kPilotCandidates = 512;

// The rule pilot-bound: cuts a point that one of the pilots beats for certain.
class PilotRule {
 public:
  // Pilots whose state is not Done cut nothing.
  PilotRule(const SweepSpec& spec, const std::vector<PointRecord>& pilots);

  // The first pilot that beats every point with at least these totals and the area and clock of `point`; null if none
  // does. For the front a pilot beats by needing no more energy, delay and area, and less of one of them; for the best
  // by a smaller value.
  const PointRecord* beaten_by(const Totals& least, const PointRecord& point) const;

 private:
  SweepGoal goal_;
  Ranking ranking_;
  std::vector<PointRecord> pilots_;
};

}  // namespace heliolite
