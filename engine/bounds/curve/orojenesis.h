#pragma once
// The ski slope of one Einsum: the least accesses to a backing store for every size of the one buffer in front of it,
// over all tiles, loop orders and choices of what the buffer keeps (Huang, Tsai, Emer, Parashar, "Mind the Gap", ISCA
// 2024). All tensors share one tile; for machines of several levels see orojenesis_nested.h.
// Definitions and proofs: docs/rules/orojenesis.md.
#include <array>
#include <atomic>

#include "engine/base/result.h"
#include "engine/base/types.h"
#include "engine/bounds/curve/orojenesis_curve.h"
#include "engine/model/compiled.h"
#include "workloads/workload.h"

namespace heliolite {

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

}  // namespace heliolite
