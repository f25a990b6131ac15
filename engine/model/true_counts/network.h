#pragma once
// What a network below a level carries for one tensor (docs/cost_model.md, rules 38, 40).
#include <array>
#include <optional>
#include <span>
#include <vector>

#include "engine/base/types.h"
#include "engine/model/compiled.h"
#include "engine/model/multicast.h"
#include "engine/model/true_counts/nest.h"

namespace heliolite {

// Units of a fan-out that take the same words together, and how far these go (docs/cost_model.md, rules 11 and 38).

// Words that go to groups of `multicast` units, of all senders, each group's once; and twice their hops, times the
// words.
struct MulticastTraffic {
  u64 multicast;
  u64 words;
  u128 half_hop_words;
};

// The entry of the list for groups of `multicast` units; it is added if there is none.
inline MulticastTraffic& with_multicast(std::vector<MulticastTraffic>& list, u64 multicast) {
  for (MulticastTraffic& m : list)
    if (m.multicast == multicast) return m;
  return list.emplace_back(MulticastTraffic{multicast, 0, 0});
}

// What units fetch at a step, in the same way in `count` contexts.
struct StepFetch {
  std::array<u32, kMaxDimensions> context;  // those of the dimensions' tiles
  u64 count;
  u64 words;                                  // words of each unit
  std::array<i64, 4 * kMaxRanks> box;         // [4 r ..]: 0, extent, and the part that is held, along rank r
  std::array<TileStep, kMaxDimensions> tile;  // [k]: the step of the k-th dimension's tile
};

class MulticastGroups {
 public:
  // `dimensions`: in the order of the tiles of each StepFetch.
  MulticastGroups(const CompiledLevel& machine, const CompiledTensor& t, const TrueNest& nest, int level,
                  std::span<const u8> dimensions);

  // The groups of fetches that happen together, in one context.
  const std::vector<MulticastTraffic>& of_all(std::span<const StepFetch> together);
  // The groups of one fetch, of one word each, where units do not meet. They depend on the loops of the fan-out and on
  // which of its units act, not on sizes, and are remembered: searches ask for the same few again and again.
  const std::vector<MulticastTraffic>& of_one(const StepFetch& f);

 private:
  // One unit: what it fetches, and where it stands.
  struct UnitFetch {
    std::array<i64, 4 * kMaxRanks> box;  // as in StepFetch, from the low corner
    FanoutReceiver receiver;
    auto operator<=>(const UnitFetch&) const = default;
  };
  struct KnownGroups {
    static constexpr std::size_t kLoops = 8;
    using Key =
        std::array<u64, 2 + 2 * kLoops>;  // the grid; of each loop end and dimension; of each dimension its units
    Key key{};
    std::vector<MulticastTraffic> groups;
  };

  void add_units(const StepFetch& f);
  u64 group_half_hops();
  bool describe(const StepFetch& f, KnownGroups::Key& key) const;

  const CompiledTensor& t_;
  const TrueNest& nest_;
  int level_;
  std::span<const u8> dimensions_;
  std::array<u64, kMaxLoops> weight_;  // [spatial loop]: what one step of it adds to the number of a unit
  u64 columns_, rows_;
  std::vector<UnitFetch> units_;
  std::vector<u64> id_, words_;
  std::vector<FanoutReceiver> receivers_;
  std::vector<MulticastTraffic> groups_;
};

// All words on their way from level i to the tiles below it, as if these were kept there, sorted by `multicast`.
void multicast_traffic(const Compiled& c, const CompiledTensor& t, const TrueNest& nest, int level,
                       std::vector<MulticastTraffic>& out);

// What the network costs, of all senders together.
struct TrueNetworkSum {
  u64 ingress_words = 0;
  double hop_words = 0;
  double router_words = 0;

  Energy energy(const CompiledLevel& machine, int v) const;  // of words of tensor v
};

// Words that the network below a level carries because interconnects inside it pass on all that they are asked for,
// more than multicast_traffic() counts; none: there are no interconnects.
std::optional<u64> passing_words(const Compiled& c, int tensor, const TrueNest& nest, int level);

// `accesses`: words that arrive at the level; `part`: of them those of an output that are not read first; `traffic`:
// empty where neither hops nor routers cost anything. `passing`: of passing_words().
TrueNetworkSum network_sum(const CompiledLevel& machine, bool is_output, u64 accesses, u64 part,
                           const std::vector<MulticastTraffic>& traffic, std::optional<u64> passing);

}  // namespace heliolite
