#pragma once
// Every lower bound that applies to a workload, for any memory size: what a mapping's traffic is held against. Which
// holds when: docs/bounds.md.
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/named.h"
#include "engine/bounds/conv/conv_bound.h"
#include "engine/bounds/curve/movement_distance.h"
#include "engine/bounds/curve/orojenesis.h"
#include "engine/bounds/hbl/hbl_exponent.h"
#include "engine/bounds/hbl/hbl_nest.h"
#include "engine/bounds/segment/iolb_segment.h"
#include "workloads/workload.h"

namespace heliolite {

// Which words a lower bound counts.
struct TrafficRule {
  bool stores = true;             // words stored count too; else loads alone
  bool outputs_are_read = false;  // outputs start as words to be read; else as zeros

  bool operator==(const TrafficRule&) const = default;
};

// The argument behind a bound.
enum class BoundKind : u8 {
  Compulsory,  // every word once
  Hbl,         // the segment argument with the exponents of the HBL linear program
  Conv,        // the closed forms for convolutions, matrix products among them
  Iolb,        // the segment argument with the best exponents
};

constexpr ValueNames<4> value_names(BoundKind) { return {"compulsory", "hbl", "conv", "iolb"}; }

// One bound at one capacity.
struct LowerBound {
  BoundKind kind = BoundKind::Compulsory;
  u64 words = 0;    // no execution moves fewer between a memory of the capacity and what is outside
  std::string why;  // the argument with its numbers, for people
};

// The bounds of one workload at any capacity.
class LowerBounds {
 public:
  // `word_sizes[tensor]`: room that one element takes, in the unit of capacities; 1 for tensors beyond its end.
  explicit LowerBounds(const Workload& workload, TrafficRule rule = {}, std::span<const double> word_sizes = {});

  // All bounds that apply, in the order of BoundKind; none rises with the capacity. `capacity` > 0: the words that may
  // be inside at a time, operands of the compute units included.
  std::vector<LowerBound> at(double capacity) const;
  // The words of the largest of them.
  u64 words(double capacity) const;

  const AccessNest& nest() const { return nest_; }            // as the workload has it
  const AccessNest& lifted() const { return lifted_; }        // with strided windows taken apart
  const std::vector<RankRow>& rows() const { return rows_; }  // rank conditions of the lifted nest
  // The workload as a convolution; none if it is not one.
  const std::optional<Convolution>& convolution() const { return convolution_; }

 private:
  u64 by_rule(double words) const;
  u64 compulsory() const;

  TrafficRule rule_;
  AccessNest nest_, lifted_;
  std::vector<RankRow> rows_;
  SegmentBounds segments_;
  std::optional<Convolution> convolution_;
  double input_words_ = 0;
  double output_words_ = 0;  // words of the outputs that some iteration touches
  double output_box_ = 0;    // words of their boxes: at least as many
};

// The bound with the most words; of equal ones the first.
const LowerBound& best(std::span<const LowerBound> bounds);

// Units of one word of each tensor: the operands of a MAC.
u64 operand_units(const Workload& workload, const WordUnit& unit);

// What a mapping can have inside a boundary of a machine at a time, in its unit, as LowerBounds takes it: capacities
// and the operands of the compute units. None: unbounded.
std::optional<double> words_inside(const Boundary& wall, const Architecture& architecture, const Workload& workload);

// A curve of the least accesses of any mapping, raised to the bounds of all schedules, which mappings are among: curves
// of mappings are low where tensors slide or have holes.

// What any schedule moves that has room for `operands` units in addition to the buffer.
struct ScheduleBounds {
  LowerBounds bounds;
  u64 operands = 0;

  double inside(u64 buffer) const { return static_cast<double>(buffer) + static_cast<double>(operands); }
  LowerBound at(u64 buffer) const { return best(bounds.at(inside(buffer))); }
};

// The bounds for a workload whose words have the sizes that the options of its curve give them.
ScheduleBounds schedule_bounds(const Workload& workload, const OrojenesisOptions& options);

// A point of a raised curve, which holds up to the next one.
struct RaisedStep {
  CurveStep step;
  std::optional<BoundKind> by;  // the bound that says more there than the curve of mappings; none: that one
  std::size_t own = 0;          // the point of the curve of mappings that holds there
};

// The larger of the curve and of those bounds, buffer by buffer. Where a bound falls smoothly there are points at every
// sixteenth of a buffer, each as low as the bound is before the next one; from `largest` on nothing falls.
std::vector<RaisedStep> raised(std::span<const CurveStep> curve, const ScheduleBounds& schedules, u64 largest);

}  // namespace heliolite
