#pragma once
// The ordering bound: what the loops still to be placed outside a tile cost at least, whatever their order and however
// they are spread over levels. Proof: docs/rules/exact.md.
#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "engine/base/types.h"
#include "engine/model/compiled.h"

namespace heliolite {

// A loop set: the loops between two tiles in any order, as iterations by dimension and by class of dimensions, and what
// halos leave to be fetched when such a set moves a tile.

// A number for each class of dimensions, mostly iterations. Sets of classes are DimensionMasks too.
using ClassLoops = std::array<double, kMaxDimensions>;

// The classes of a layer's dimensions. Dimensions that index the same tensors, and along which the same tensors slide,
// end the same flows at the same price: the ordering bound takes them for one loop.
class LoopClasses {
 public:
  explicit LoopClasses(const Compiled& c);

  std::size_t count() const { return count_; }
  // The class of dimension d.
  std::size_t of(int d) const { return of_[d]; }
  // The classes that index the tensor.
  DimensionMask indexing(std::size_t tensor) const { return indexing_[tensor]; }

 private:
  std::size_t count_ = 0;
  std::array<std::size_t, kMaxDimensions> of_{};
  std::array<DimensionMask, kMaxTensors> indexing_{};
};

// The loops between two tiles.
struct LoopSet {
  std::array<double, kMaxDimensions> n;  // [dimension]: iterations
  ClassLoops of_class;                   // [class]: product of the iterations of its dimensions
  DimensionMask present = 0;             // classes with more than one iteration

  // The loops that enlarge a tile of extent `from` to one of extent `to` (by dimension), which is a multiple.
  LoopSet(const LoopClasses& classes, const Compiled& c, const Extents& from, const Extents& to);
};

// The share of a tensor's fetches that is left if loops and fan-outs reuse all they can: 1 / the iterations of the
// dimensions that the tensor does not depend on.
double irrelevant_share(const Compiled& c, const CompiledTensor& t, const LoopSet& loops);

// The share of a sliding tensor's words that is left to be fetched because neighbouring tiles overlap. Into `out`, by
// class: if the first loop that moves the tile is of that class; returned: if all loops move it. `extent`: of the
// tensor's box by rank; `step`: of the tile by dimension. A lower bound: along a rank the tiles of all loops together
// cover at least the union of their ranges.
double halo_shares(const LoopClasses& classes, const CompiledTensor& t, const std::array<i64, kMaxRanks>& extent,
                   const Extents& step, const LoopSet& loops, double* out);

// [rank]: extent of the tensor's box when the tile has extent `tile` (by dimension).
std::array<i64, kMaxRanks> box_extent(const CompiledTensor& t, const Extents& tile);

// A flow in place: a tile of one tensor that the loops outside it fetch again and again. Loops are classes of
// dimensions (ordering_bound.h); costs are energy units or cycles.
struct BoundFlow {
  DimensionMask relevant;  // loops that move the tile
  double without_reuse;    // cost if every iteration outside fetches the tile again
  const double* halo;  // [loop]: share of `without_reuse` that is left if it is the first to move the tile; null: all
  double full_reuse;   // cost in every order at least: each of its words is fetched once
};

inline constexpr int kMaxBoundFlows = 6;  // the bound takes time exponential in them

// The least cost of the flows (at most kMaxBoundFlows) over all orders of the loops. `n`: iterations of each loop;
// `present`: loops with more than one. A recursion over the sets of flows that are still in place: loops that none of
// them depends on come first.
double ordering_bound(std::span<const BoundFlow> flows, const std::array<double, kMaxDimensions>& n,
                      DimensionMask present);

// A list of flows for the ordering bound.
struct BoundFlows {
  std::array<BoundFlow, kMaxTensors * 2> flow;
  std::size_t count = 0;

  BoundFlows() = default;
  BoundFlows(const BoundFlows& other) : count(other.count) { std::copy_n(other.flow.begin(), count, flow.begin()); }

  // Adds a flow; flows without halos that the same loops move are joined.
  void append(const BoundFlow& other);
  void append_if_any(const BoundFlow& other) {
    if (other.without_reuse > 0) append(other);
  }
  // Their ordering bound. Of more than kMaxBoundFlows flows the rest count as 0. `n`, `present`: as ordering_bound().
  double least(const std::array<double, kMaxDimensions>& n, DimensionMask present) const;
  // Their bound over the orders in which one of the loops `first` comes first; 0: any may.
  double least(const std::array<double, kMaxDimensions>& n, DimensionMask present, DimensionMask first) const;
};

// The ordering bounds of some flows in several channels at once: the loops, the flows and their halos are the same,
// what they cost differs. Numbers are to the last bit those of ordering_bound(), channel by channel.
class ChannelBounds {
 public:
  static constexpr std::size_t kMostChannels = 16;
  // A number for each channel.
  using Row = std::array<double, kMostChannels>;

  // As BoundFlow, by channel; nothing in those that do not count.
  struct Flow {
    DimensionMask relevant = 0;
    const double* halo = nullptr;
    Row without_reuse{}, full_reuse{};
  };

  // Computes the bounds of every set of the flows (at most kMaxBoundFlows) in the first `channels`.
  void compute(std::span<const Flow* const> flows, const std::array<double, kMaxDimensions>& n, DimensionMask present,
               std::size_t channels);
  // The bounds of the flows of a set.
  const Row& of(unsigned set) const { return sets_[set].least; }

 private:
  struct Set {
    double scale = 1;  // one over the iterations that move none of its flows
    Row least{};
  };
  // A class of loops that moves these flows. Of several that move the same ones, of which one slides at most, the one
  // with the least halo share is never dearer than the others.
  struct Mover {
    unsigned flows;
    int loop;
  };

  void list_movers(std::span<const Flow* const> flows, DimensionMask present);
  void compute_lanes(std::span<const Flow* const> flows, std::size_t first);

  std::vector<Set> sets_;
  std::vector<Mover> movers_;
};

}  // namespace heliolite
