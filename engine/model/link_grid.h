#pragma once
// The receivers of a fan-out as neighbours on their grid: which of them find the words of a step at a neighbour that
// had them a step before, and what the sender still has to send (docs/link_transfers.md).
#include <span>
#include <vector>

#include "engine/base/types.h"
#include "engine/model/halo_move.h"
#include "engine/model/multicast.h"

namespace heliolite {

// A spatial loop of the fan-out.
struct LinkLoop {
  u64 end = 1, residual = 1;  // iterations, and those in the last context of its dimension
  u8 dimension = 0;
  RankMove move{};  // of a tensor's tile, from one iteration to the next
};

// What the sender sends at a step.
struct LinkShare {
  std::vector<ReceiverGroups> groups;  // of receivers that take nothing from neighbours
  u64 distinct = 0;                    // groups in all
  u64 linked = 0;                      // receivers that do
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
  std::vector<i64> step_;  // of each loop, ranks in one number
  RankMove reach_{};       // of the receivers along each rank, from the first to the last
  RankMove weight_{};      // of a rank in that number: the differences of two receivers are unique
  u64 columns_, rows_;
  struct Listed {
    DimensionMask context;
    std::vector<i64> offsets;  // [receiver]: of its words
  };
  std::vector<Listed> listed_;
};

}  // namespace heliolite
