#pragma once
// What peers of a fan-out can take from each other, by how far a tensor's words move from one step to the next: the
// closed form of link transfers (docs/link_transfers.md) for partial mappings, whose outer loops are not placed yet.
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "engine/model/compiled.h"

namespace heliolite {

struct LayerProblem;
struct SpatialChoice;

// Words of a step that are those of the step before, moved by `by`.
struct PeerMove {
  RankMove by{};
  double saved = 0;  // share of them that the sender need not send
  double over = 0;   // share of the receivers that take them from a neighbour
  auto operator<=>(const PeerMove&) const = default;
};

// One tensor at an unrolled fan-out, directly outside the tile that its words fill.
struct PeerSite {
  std::vector<PeerMove> moves;  // those that save something
  bool exact =
      false;  // what these add and save is priced exactly; else all receivers count as taking, and it is a bound
  double most_saved = 0;
  RankMove least{};  // least of the moves along each rank

  const PeerMove* find(const RankMove& by) const;
  // Whether words that stay need not be sent again, and no others move on.
  bool holds() const { return moves.size() == 1 && moves.front().by == RankMove{} && moves.front().saved == 1; }
};

// Receivers of an unrolled fan-out that want the same words.
struct MulticastRange {
  double most = 1;       // of the largest group
  double groups = 1;     // number of groups
  double instances = 1;  // all receivers
};

// A tensor at an unrolled fan-out.
struct PeerPlace {
  const PeerSite* site = nullptr;  // null: neighbours have nothing for each other
  MulticastRange groups;
};

// What compute units that share the innermost level can take from each other of tensor v, at a choice of the fan-out
// below it: the moves that loops can make between two steps, no move among them.
std::vector<PeerMove> unit_moves(const LayerProblem& problem, const SpatialChoice& choice, int v);

// The places of a search; the same few are asked about again and again, by several threads.
class PeerSites {
 public:
  // The sites of tensor v at a choice of the fan-out below `level`, over a tile of extent `tile`. Those alike are one
  // object, which lives as long as this.
  PeerPlace of(const LayerProblem& problem, int level, const SpatialChoice& choice, int v, const Extents& tile,
               bool exact);
  // Among the compute units that share the innermost level, of words that stay in place, too. Null: neighbours have
  // nothing for each other.
  const PeerSite* of_units(const LayerProblem& problem, const SpatialChoice& choice, int v);

 private:
  using Key = std::array<u32, 3 * kMaxDimensions + 1>;
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  const PeerSite* unique(std::vector<PeerMove> moves, bool exact);

  std::mutex mutex_;
  std::unordered_map<Key, PeerPlace, Hash> known_;
  std::map<std::pair<std::vector<PeerMove>, bool>, std::unique_ptr<PeerSite>> sites_;
};

}  // namespace heliolite
