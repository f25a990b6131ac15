#pragma once
// Link transfers: words of a fan-out that its receivers take from peers (arch/architecture.h), and what the sender
// still has to send (docs/link_transfers.md). First what counters and tables ask of the channel; its words are counts
// of a level like others (LevelNest::peer_words), which collapse.h carries and cost_of_counts.h prices. Then the
// receivers as neighbours on their grid, which of them find the words of a step at a neighbour that had them a step
// before.
#include <span>
#include <vector>

#include "engine/base/types.h"
#include "engine/model/collapse.h"
#include "engine/model/compiled.h"
#include "engine/model/imperfect_nest.h"
#include "engine/model/multicast.h"
#include "engine/model/nest.h"

namespace heliolite {

// The tensors of which receivers of the fan-out below level i may take words from peers.
TensorMask tensors_of_peers(const Compiled& c, const StorageLevel& level, int i, const Workload& workload);

// Nests whose factors divide.

// Whether some words of tensor v come from peers at the fan-out below `level`; if so what one sender sends and what its
// receivers take from each other are written to `out`, over the tile of all loops inside the level, before bypass.
bool take_from_peers(const Compiled& c, int v, const Nest& nest, int level, LevelNest& out);

// The tensors of which some words do.
TensorMask tensors_from_peers(const Compiled& c, const Nest& nest);

// What take_from_peers() says where factors need not divide and something may come from peers: added to `out`.
void take_from_peers(const Compiled& c, const CompiledTensor& t, const ImperfectNest& nest, int level, LevelNest& out);

// Receivers as neighbours on their grid.

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

}  // namespace heliolite
