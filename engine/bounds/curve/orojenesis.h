#pragma once
// The ski slope of one Einsum: the least accesses to a backing store for every size of the one buffer in front of it,
// over all tiles, loop orders and choices of what the buffer keeps (Huang, Tsai, Emer, Parashar, "Mind the Gap", ISCA
// 2024). All tensors share one tile; for machines of several levels see nested_curve().
// Definitions and proofs: docs/rules/orojenesis.md.
#include <algorithm>
#include <array>
#include <atomic>
#include <span>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/types.h"
#include "engine/model/compiled.h"
#include "workloads/workload.h"

namespace heliolite {

// Least accesses to a backing store as a function of the buffer in front of it: a staircase of the Pareto-optimal
// pairs, each with how it is reached.

// A point where a curve falls; between steps it is flat.
struct CurveStep {
  u64 buffer = 0;    // words, or bytes when words have sizes
  u64 accesses = 0;  // reads and writes of the backing store, in the same unit
};

// Buffers ascend, accesses descend, both strictly. `How` tells how a point is reached.
template <class How>
class Staircase {
 public:
  struct Point : CurveStep {
    How how{};
  };

  // Whether no point needs at most this buffer for at most these accesses.
  bool admits(u64 buffer, u64 accesses) const {
    const auto after = first_above(buffer);
    return after == points_.begin() || (after - 1)->accesses > accesses;
  }

  // Adds the point if it is admitted, and removes what it makes superfluous.
  void add(u64 buffer, u64 accesses, How how) {
    if (!admits(buffer, accesses)) return;
    const auto first = std::ranges::lower_bound(points_, buffer, {}, &Point::buffer);
    const auto last = std::ranges::find_if(first, points_.end(), [&](const Point& p) { return p.accesses < accesses; });
    if (first == last) {
      points_.insert(first, Point{{buffer, accesses}, std::move(how)});
      return;
    }
    *first = Point{{buffer, accesses}, std::move(how)};
    points_.erase(first + 1, last);
  }

  std::span<const Point> points() const { return points_; }
  std::vector<CurveStep> steps() const { return {points_.begin(), points_.end()}; }
  bool empty() const { return points_.empty(); }

  // The point with the fewest accesses that `capacity` admits; null when even the first one needs more.
  const Point* at(u64 capacity) const {
    const auto after = first_above(capacity);
    return after == points_.begin() ? nullptr : &*(after - 1);
  }

 private:
  auto first_above(u64 buffer) const { return std::ranges::upper_bound(points_, buffer, {}, &Point::buffer); }

  std::vector<Point> points_;
};

struct WordUnit;

// What a partial sum costs that leaves the buffer before it is done.
enum class PartialSums : u8 {
  ReadBack,   // a write, and a read when it comes back: the cost model
  WriteOnly,  // the write alone
};

// Which words count.
enum class WordCount : u8 {
  Distinct,  // those that an execution must hold and move: no execution of a mapping lies below the curve
  Timeloop,  // the cost model's: boxes with the holes that strides leave, overlaps of tiles as the model finds them
};

// What a curve counts, and over which mappings it is the least.
struct OrojenesisOptions {
  WordCount words = WordCount::Distinct;
  bool imperfect = false;  // also tiles that do not divide the sizes
  PartialSums partial_sums = PartialSums::ReadBack;
  // [tensor]: units (say bytes) in one of its words, as word_unit() has them; with all at 1 a curve counts words.
  std::array<u32, kMaxTensors> word_size = {1, 1, 1, 1, 1, 1, 1, 1};
  // Tensors that are in the buffer as a whole and never cross: intermediates of a fused chain.
  TensorMask resident = 0;
  u64 max_nestings = 60'000'000;            // partial nestings that nested_curve() looks at before it gives up
  const std::atomic<bool>* stop = nullptr;  // when somebody sets it, there is no curve, with an error; null: nobody

  bool stopped() const { return stop != nullptr && stop->load(std::memory_order_relaxed); }
};

// How a point of a curve is reached.
struct Tiling {
  Extents tile{};       // of all tensors
  TensorMask kept = 0;  // tensors that the buffer keeps
  // Loops over the tiles, innermost first.
  u8 loop_count = 0;
  std::array<u8, kMaxDimensions> loop{};
};

using Curve = Staircase<Tiling>;

// The ski slope of the workload. Errors: its tiles or loop orders are too many to search in minutes;
// OrojenesisOptions::stop was set; wrong_sizes().
Result<Curve> one_buffer_curve(const Workload& workload, const OrojenesisOptions& options = {});

// The error of a search for a curve that was asked to stop.
Diagnostic stopped_curve(const Workload& workload);
// An error where tensors state sizes of words that the options do not have, or where accesses in units may need more
// than 64 bits.
Diagnostics wrong_sizes(const Workload& workload, const OrojenesisOptions& options);

// Units that no schedule exceeds: two words at each access of each MAC; the error where they need more than 64 bits.
u128 most_accesses(const Workload& workload, const std::array<u32, kMaxTensors>& sizes);
Diagnostics beyond_64_bits(const std::string& name, u64 macs, u128 accesses, const WordUnit& unit);

// Words (in units of the options) that all tensors take, holes of strides included.
u64 operand_words(const Workload& workload, const OrojenesisOptions& options = {});

// Different words (in units of the options) that some MAC uses: what any execution moves, however large the buffer.
u64 algorithmic_minimum(const Workload& workload, const OrojenesisOptions& options = {});

// The curve that no mapping on any machine can beat: the least accesses across a boundary by the words of storage
// inside it, on any number of levels, with or without fan-outs, each level keeping what it likes. One buffer shared by
// all tensors can be beaten by levels that hold different tensors for different tiles; this cannot, and
// is only a little below. Proof: docs/rules/orojenesis.md.

// Tensors by the size of their tiles: each tile lies within the next one. A tensor that is not listed is not stored.
struct Nesting {
  u8 count = 0;                             // tensors listed
  std::array<u8, kMaxTensors> tensor{};     // smallest tile first
  std::array<Extents, kMaxTensors> tile{};  // [k]: the tile of tensor[k]
};

using NestedCurve = Staircase<Nesting>;

// The curve of the workload; its first point needs no storage. Of Einsums of more than five tensors the five largest
// nest, the words of the others count once. With options.imperfect it holds for mappings whose last tiles are smaller
// too; words are then those really moved, which the averages of the cost model over partly idle fan-outs may miss.
// Errors as one_buffer_curve().
Result<NestedCurve> nested_curve(const Workload& workload, const OrojenesisOptions& options = {});

// How to divide a chip between a buffer and compute units when the least accesses for every buffer are known (Huang,
// Tsai, Emer, Parashar, "Mind the Gap", ISCA 2024, section on provisioning), and the roofline that follows from a
// curve.

// MACs per word accessed: the operational intensity with a MAC as one operation.
inline double intensity(u64 macs, u64 accesses) { return static_cast<double>(macs) / static_cast<double>(accesses); }

// MACs per second of a machine with this peak (MACs per second) and bandwidth (words per second): the performance mesa.
inline double attainable(double peak, double bandwidth, double intensity) {
  const double fed = bandwidth * intensity;
  return fed < peak ? fed : peak;
}

// The chip to be divided.
struct Chip {
  double area_um2 = 0;          // for buffer and compute units together
  double mac_um2 = 0;           // area of one unit
  double word_um2 = 0;          // area of a word of buffer
  double hertz = 0;             // MACs per second of one unit
  double words_per_second = 0;  // from and to the backing store
};

// A way to divide the chip.
struct Provision {
  u64 buffer = 0;              // words
  double share = 0;            // of the area that the buffer takes, 0 to 1
  double units = 0;            // compute units in the rest of the area; fractions count
  double macs_per_second = 0;  // attainable by them
};

// One provision for each step of the curve whose buffer fits the chip: where the curve is flat the smallest buffer is
// best. `macs`: of the workload.
std::vector<Provision> provisions(const Chip& chip, u64 macs, std::span<const CurveStep> curve);

// What can be attained over the share of the buffer, as a line: with a buffer between two steps the accesses are as
// many as with the smaller one, and units are lost. Points by ascending share, up to the last step that fits.
struct ProvisionPoint {
  double share = 0;
  double macs_per_second = 0;
};
std::vector<ProvisionPoint> provision_line(const Chip& chip, u64 macs, std::span<const CurveStep> curve);

// The fastest of all, of equally fast ones that with the smallest buffer; a default Provision if `all` is empty.
Provision best_provision(std::span<const Provision> all);

}  // namespace heliolite
