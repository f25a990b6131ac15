#pragma once
// The receivers of a fan-out as neighbours on their grid: which of them find the words of a step at a neighbour that
// had them a step before, and what the sender still has to send (docs/link_transfers.md).
#include <array>
#include <map>
#include <span>
#include <vector>

#include "engine/base/types.h"
#include "engine/model/collapse.h"
#include "engine/model/compiled.h"
#include "engine/model/imperfect_nest.h"
#include "engine/model/multicast.h"
#include "engine/model/nest.h"
#include "engine/model/temporal_traffic.h"

namespace heliolite {

// A spatial loop of the fan-out.
struct LinkLoop {
  u64 end = 1, residual = 1;  // iterations, and those in the last context of its dimension
  u8 dimension = 0;
  RankMove move{};  // how far a tensor's tile moves from one iteration to the next
};

// What the sender sends at a step.
struct LinkShare {
  std::vector<ReceiverGroups> groups;  // groups of receivers that take nothing from neighbours
  u64 distinct = 0;                    // groups in all
  u64 linked = 0;                      // receivers that take words from neighbours
};

// One tensor at one fan-out. A *context* is the set of dimensions that are in their last one (imperfect_nest.h); where
// factors divide it changes nothing.
class LinkGrid {
 public:
  // `loops` innermost first, those along X before those along Y; grid of `columns` times `rows` places.
  LinkGrid(std::span<const LinkLoop> loops, u64 columns, u64 rows);

  // Everybody in use is served by the sender.
  LinkShare without_links(DimensionMask context);

  // The words of this step are those of the step before, whose context was `before`, moved by `shift`: a receiver that
  // is off a neighbour by as much finds its words there.
  LinkShare with_links(DimensionMask context, DimensionMask before, const RankMove& shift);

 private:
  const std::vector<i64>& units(DimensionMask context);
  bool has_neighbour(std::size_t id, i64 offset, const std::vector<i64>& before) const;
  void share(const std::vector<i64>& offsets, std::span<const bool> linked, LinkShare& out);

  std::vector<LinkLoop> loops_;
  std::vector<i64> step_;  // [loop]: what its step adds to the number that stands for a move along all ranks
  RankMove reach_{};       // moves from the first receiver to the last, along each rank
  RankMove weight_{};      // [rank]: its weight in that number: the differences of two receivers are unique
  u64 columns_, rows_;
  struct Listed {
    DimensionMask context;
    std::vector<i64> offsets;  // [receiver]: of its words
  };
  std::vector<Listed> listed_;
};

// The words that cross a fan-out step by step, as a walk of the nest for one tensor (docs/cost_model.md, rules 6 and 7)
// that knows of each step whether its words are those of the step before, moved: what link transfers are made of
// (docs/link_transfers.md). For factors that need not divide; equal states are walked once.

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

// Nests whose factors divide, in closed form (links.cpp).

// What one sender sends over a fan-out, and what its receivers take from neighbours.
struct LinkedRecords {
  std::vector<NestRecord> records;  // records of the sender, sorted
  u64 links = 0;                    // words taken from neighbours
};

// Whether some words of tensor v cross the fan-out below `level` by links; if so they are written, over the tile of
// all loops inside the level, before bypass.
bool linked_records(const Compiled& c, int v, const Nest& nest, int level, LinkedRecords& out);

// The tensors of which some words do.
TensorMask tensors_on_links(const Compiled& c, const Nest& nest);

}  // namespace heliolite
