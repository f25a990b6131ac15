#pragma once
// The planned points of a shard, family by family: what a co-search of memories looks at together.
#include <map>
#include <optional>
#include <vector>

#include "engine/sweep/design_points.h"
#include "engine/sweep/totals.h"

namespace heliolite {

// Whether the sweep asks for the best point only and can find each family's best by a co-search: that of several layers
// ranked by totals it cannot.
bool co_searches(const SweepSpec& spec, const DesignPoints& points);

// Larger families are searched in pieces, for all machines of a co-search are in memory at once.
inline constexpr u64 kMaxFamily = 2000;

// Walks over the families of one shard.
class Families {
 public:
  Families(const SweepSpec& spec, const DesignPoints& points, const ShardRule& mine);

  // The ids of the next family or piece of one, in the order of the families; none after the last.
  std::optional<std::vector<u64>> next();

 private:
  std::optional<std::vector<u64>> next_of_sample();

  const DesignPoints& points_;
  const ShardRule& mine_;
  const bool sampled_;
  u64 family_ = 0, member_ = 0;
  std::map<u64, std::vector<u64>> sample_;  // [family]: ids of its points in the sample
};

// Cutting design points early: a few points are mapped first, the same ones whatever happens, and a point is cut when
// one of them beats even its lower bounds. Rule and proof: docs/rules/sweep.md.

// How many points are mapped first: the sweep's own number, or else kPilots; one where a search of many
// machines at once is the better way to compare points; none for SweepGoal::All.
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

  // A further point whose totals are proven.
  void add(const PointRecord& proven) { pilots_.push_back(proven); }
  // The first pilot that keeps every such point off the front and from being the best.
  const PointRecord* excluded_by(const Totals& least, const PointRecord& point) const;

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
