#pragma once
// Cuts a chain into fused segments: at a capacity the best cut is a shortest path over the cut points.
#include <atomic>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/named.h"
#include "engine/base/result.h"
#include "engine/bounds/curve/orojenesis.h"
#include "engine/bounds/fusion/chain.h"
#include "engine/bounds/fusion/fusion.h"
#include "workloads/network.h"
#include "workloads/word_bits.h"

namespace heliolite {

// How a segment runs.
enum class SegmentKind : u8 {
  Alone,    // one link
  Untiled,  // intermediates whole in the buffer, any mapping of each link around them
  Tiled,    // tiled_fusion()
};
constexpr ValueNames<3> value_names(SegmentKind) { return {"alone", "untiled", "tiled"}; }

// Links [first, last) of a chain at some capacity.
struct Segment {
  std::size_t first = 0, last = 0;
  SegmentKind kind = SegmentKind::Alone;
  u64 buffer = 0;    // units in use
  u64 accesses = 0;  // units moved between the buffer and the backing store
  FusedTiles tiles;  // how a tiled one runs
};

// A chain cut into segments.
struct Segmentation {
  u64 accesses = 0;               // units of all segments together
  std::vector<Segment> segments;  // in the chain's order
};

// Which segments are considered.
struct SegmentOptions {
  FusionOptions fusion;
  bool imperfect = false;                   // layers alone also with tiles that do not divide their sizes
  bool tiled = true, untiled = true;        // kinds of fused segments to consider
  const std::atomic<bool>* stop = nullptr;  // as OrojenesisOptions::stop
};

// Curves that are known already: a network repeats its layers and segments. All are in one unit.
struct SegmentCurves {
  std::map<std::pair<u64, TensorMask>, std::shared_ptr<const Curve>> layers;  // by fingerprint and resident tensors
  std::map<std::vector<u64>, std::shared_ptr<const FusedCurve>> segments;     // by their links; null: cannot be tiled
};

// The curves of all segments of one chain, and their best combination at any capacity. Capacities and accesses are in
// the chain's unit.
class SegmentedChain {
 public:
  // Errors: those of one_buffer_curve(). `known` must be of the same options.
  static Result<SegmentedChain> create(const Network& network, const Chain& chain, const SegmentOptions& options,
                                       SegmentCurves& known);

  // The fewest accesses of one execution with a buffer of `capacity` units: with nothing fused, and with the best cuts.
  u64 unfused(u64 capacity) const;
  Segmentation best(u64 capacity) const;

  // Every capacity at which one of the two may change, ascending from 0.
  std::vector<u64> capacities() const;

 private:
  // Curves of one link: with its operand, or its output, whole in the buffer.
  struct LinkCurves {
    std::shared_ptr<const Curve> free, operand, output, both;  // null: not looked at
    const Curve& with(bool operand_inside, bool output_inside) const {
      return *(operand_inside ? (output_inside ? both : operand) : output_inside ? output : free);
    }
  };
  struct TiledSegment {
    std::size_t first = 0, last = 0;
    std::shared_ptr<const FusedCurve> curve;
  };

  Diagnostics add_link(const Workload& workload, TensorMask operand, TensorMask output, const WordUnit& unit,
                       const SegmentOptions& options, SegmentCurves& known);

  std::vector<Segment> candidates(u64 capacity) const;

  std::vector<LinkCurves> links_;
  std::vector<TiledSegment> tiled_;
  bool untiled_ = true;
};

// Accesses of a network with a buffer, in the network's unit.
struct FusedPoint {
  u64 buffer = 0;
  u64 unfused = 0, fused = 0;
};

// All chains of a network, each as often as it runs, and what joins their tensors (chain.h). Chains run one after the
// other, so that each has the whole buffer. Capacities and accesses are in unit(), that of
// all layers.
class SegmentedNetwork {
 public:
  // Errors: those of word_unit() and one_buffer_curve().
  static Result<SegmentedNetwork> create(const Network& network, const SegmentOptions& options = {});

  // As for one chain, summed over the network.
  u64 unfused(u64 capacity) const;
  u64 fused(u64 capacity) const;
  std::vector<u64> capacities() const;

  // The two with buffers of these capacities; of the first of them if `stop` becomes true meanwhile.
  std::vector<FusedPoint> points(std::span<const u64> capacities, const std::atomic<bool>* stop = nullptr) const;
  // The two where they fall: `unfused` at each of its steps; `fused`, which falls almost everywhere, where it is lower
  // by one part in 512, and for the last time. The first of them, or none, if `stop` becomes true meanwhile.
  std::vector<FusedPoint> points(const std::atomic<bool>* stop = nullptr) const;

  const WordUnit& unit() const { return unit_; }
  std::span<const Chain> chains() const { return chains_; }
  const SegmentedChain& segmented(std::size_t chain) const { return segmented_[chain]; }

 private:
  WordUnit unit_;
  std::vector<Chain> chains_;
  std::vector<SegmentedChain> segmented_;
  u64 joined_ = 0;  // joined_words()
};

}  // namespace heliolite
