#pragma once
// What the flows outside a level cost at least, over all tiles that its tile can grow into. Proof:
// docs/rules/any_factors.md.
#include <array>
#include <functional>
#include <vector>

#include "engine/search/all_tiles/partial_cost.h"
#include "engine/search/all_tiles/tile_ranges.h"

namespace heliolite {

// What the loops of a mapspace may be, by their limits.
struct LoopLimits {
  // [level][dimension]: the most tiles of the level, if the loops outside it are to go through all of them.
  std::array<std::array<u64, kMaxDimensions>, kMaxLevels> most_tiles;
  // [level]: dimensions that the level or the fan-out below it may loop over.
  std::array<DimensionMask, kMaxLevels> looped;
};
LoopLimits loop_limits(const Mapspace& space);

// How many tiles of all levels tables with these ranges look at.
u64 tiles_looked_at(const KeptFlows& costs, const TileRanges& ranges, const LoopLimits& limits);

// What the flows of each boundary by itself cost at least, of all unrollings together.
class BoundaryTable {
 public:
  BoundaryTable(PartialCost& partial, const KeptFlows& costs, const TileRanges& ranges, const LoopLimits& limits);

  // What the flows into tiles of the level outside `level` cost, at a point of ranges(); Rest::kNone: none fits.
  const RestOutside& operator()(int level, std::size_t point) const { return at_level_[level][point]; }
  const TileRanges& ranges() const { return ranges_; }
  u64 bytes() const { return at_level_.size() * ranges_.points() * sizeof(RestOutside); }

 private:
  const TileRanges& ranges_;
  std::vector<std::vector<RestOutside>> at_level_;  // [level][point]; of the outermost none
};

// What is known before tables are made, so that few of their tiles need be looked at.
struct KnownBefore {
  const BoundaryTable& boundaries;  // with the same ranges, or with ranges of which these are parts
  // Whether mappings may be of use whose flows into boundaries outside a level cost so much at least.
  std::function<bool(int level, const Rest& outside)> can_improve;
  // Whether nobody wants the tables any more: what they say then means nothing.
  std::function<bool()> over = {};
};

// Whether a table is to answer further_out(), too.
enum class FurtherOut : u8 { No, Yes };

class RestTable {
 public:
  // With `known`: of mappings that can improve on the incumbent.
  RestTable(PartialCost& partial, const KeptFlows& costs, const TileRanges& ranges, const LoopLimits& limits,
            const KnownBefore* known = nullptr, FurtherOut further_out = FurtherOut::No);

  // Where the tile of a level stands in the table, if it holds the present one and what fan-outs have yet to make of
  // it.
  std::size_t point(const KeptFlows& costs, const Trail& trail, const Reach& reach) const;
  // What all flows from boundaries outside `level` cost, one further out than the present level, if it holds what all
  // fan-outs up to its own make of the present tile. Only if that was to be answered.
  RestOutside further_out(const KeptFlows& costs, const Trail& trail, const Reach& reach, int level) const;
  // At least what all flows from boundaries outside `level` cost. Rest::kNone: nothing fits that leaves few enough
  // tiles.
  Rest operator()(int level, std::size_t point) const {
    if (at_level_.size() <= at(level) || at_level_[level].empty()) return {};
    return at_level_[level][point];
  }
  u64 bytes() const {
    return (at_level_.size() + twins_.size() + grown_.size() + grown_twins_.size()) * ranges_.points() * sizeof(Rest);
  }
  // What they cost with twins (RestOutside), if there are any.
  Rest with_twins(int level, std::size_t point) const { return twins_[level][point]; }

 private:
  std::vector<Rest> grown(std::vector<Rest> table) const;

  const TileRanges& ranges_;
  std::vector<std::vector<Rest>> at_level_, twins_;     // [level][point]; of the outermost none
  std::vector<std::vector<Rest>> grown_, grown_twins_;  // the same if levels inside have loops yet, too
};

}  // namespace heliolite
