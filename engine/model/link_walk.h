#pragma once
// The words that cross a fan-out step by step, as a walk of the nest for one tensor (docs/cost_model.md, rules 6 and 7)
// that knows of each step whether its words are those of the step before, moved: what link transfers are made of
// (docs/link_transfers.md). For factors that need not divide; equal states are walked once.
#include <array>
#include <map>
#include <vector>

#include "engine/model/compiled.h"
#include "engine/model/halo_move.h"
#include "engine/model/imperfect_nest.h"

namespace heliolite {

// Steps of a fan-out that are alike.
struct LinkSteps {
  DimensionMask context = 0, before = 0;  // dimensions in their last context, now and a step before
  bool repeats = false;                   // the words are those of the step before, moved by `shift`
  RankMove shift{};
  u64 words = 0;  // of each receiver, over all these steps

  bool alike(const LinkSteps& other) const {
    return context == other.context && before == other.before && repeats == other.repeats && shift == other.shift;
  }
};

// One walk.
class LinkWalk {
 public:
  LinkWalk(const CompiledTensor& t, const ImperfectNest& nest, int level);

  // The steps of the fan-out below `level` that bring the receivers anything.
  std::vector<LinkSteps> run();

 private:
  // Words [low, low + extent) of each rank, relative to the origin of the current tile.
  struct Region {
    RankMove low{}, extent{};
    auto operator<=>(const Region&) const = default;
  };
  using Regions = std::vector<Region>;

  // What the steps before leave behind.
  struct State {
    bool visited = false, has_stride = false;
    RankMove stride{};         // the last move of the tile
    Region tile;               // the last tile
    Regions fresh;             // the words of the last step
    DimensionMask before = 0;  // its context
    auto operator<=>(const State&) const = default;
  };
  struct Key {
    int loop;
    DimensionMask last;
    State state;
    auto operator<=>(const Key&) const = default;
  };
  struct Entry {
    State after;
    std::vector<LinkSteps> steps;
  };

  void visit(int l, DimensionMask last, State& state, u64 weight, std::vector<LinkSteps>& out);
  void iterate(int l, DimensionMask last, State& state, std::vector<LinkSteps>& out);
  void step(DimensionMask last, State& state, u64 weight, std::vector<LinkSteps>& out) const;
  Regions fresh_words(const Region& tile, State& state) const;
  Region tile(DimensionMask last) const;
  void shift(State& state, const ImperfectLoop& loop, i64 iterations) const;

  const CompiledTensor& tensor_;
  const ImperfectNest& nest_;
  int level_;
  int from_;               // the level's first temporal loop
  DimensionMask cut_ = 0;  // dimensions that the level's spatial loops keep in the middle
  std::map<Key, Entry> known_;
};

}  // namespace heliolite
