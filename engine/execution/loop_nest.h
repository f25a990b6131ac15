#pragma once
// A workload as loops that can be run: which iterations there are, in which order, and which elements each one touches.
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "engine/base/types.h"
#include "workloads/workload.h"

namespace heliolite {

// What loops count: a dimension of the workload, or its quotients or remainders where it is taken apart.
struct LoopVariable {
  std::string name;
  int dimension = 0;  // of the workload
  u32 factor = 1;     // of the variable in the dimension's value, which is the sum over its variables
};

// A loop over boxes of a variable: the values that the loops outside leave, `step` at a time, the last box smaller.
struct BoxLoop {
  u8 variable = 0;
  u32 step = 1;
  u8 level = 0;           // 0: inside the innermost tile; k: over the tiles of the k-th cache or level, from inside
  bool parallel = false;  // iterations that a machine runs side by side; here they follow one another
  TensorMask held = 0;    // tensors whose box holds what all iterations of the loop need (engine/bounds/tiling)
};

// Values of a variable: [begin, end).
struct LoopRange {
  u32 begin = 0, end = 1;
};

// Iterations that are executed as one nest, outermost loop first. Every variable with more than one value has a last
// loop of step 1.
struct LoopNestPart {
  std::vector<LoopRange> range;  // [variable]
  std::vector<BoxLoop> loops;
};

// A tensor in memory: elements in the order of its ranks, the last one next to each other.
struct MemoryArray {
  std::string name;
  std::vector<u64> extents;  // [rank]: 1 + the largest value; empty for a scalar
  u64 words = 1;             // product of the extents, holes of strides included
  u64 first = 0;             // number of its first word when the arrays lie one behind the other
  bool is_output = false;
};

// An operand or the output: the element touched has number first + sum of stride * variable in its array.
struct NestAccess {
  int array = 0;
  int tensor = 0;           // of the workload
  std::vector<u64> stride;  // [variable]
  bool is_output = false;
};

// A workload and all its iterations, part after part.
struct LoopNest {
  Workload workload;
  std::vector<LoopVariable> variables;
  std::vector<MemoryArray> arrays;
  std::vector<NestAccess> accesses;  // inputs first, the output last
  std::vector<LoopNestPart> parts;
  bool guarded = false;  // quotients and remainders make up values beyond a dimension's size: no iterations
  u64 words = 0;         // of all arrays
  std::vector<std::string> levels{};  // [BoxLoop::level]: its name, for people; may be shorter than there are levels
};

// Arrays and accesses of the workload over these variables; no parts yet. Tensors that are accesses of another one
// share its array.
LoopNest make_nest(const Workload& workload, std::vector<LoopVariable> variables);
// With one variable for each dimension.
LoopNest make_nest(const Workload& workload);

// The variables in the order in which loops over the points of a tile are nested, outermost first: reduced ones, then
// those of the output in the order of its ranks, so that the innermost loop walks along neighbours.
std::vector<u8> point_order(const LoopNest& nest);

// Appends loops of one step for all variables of `order` whose box still has more than `extent[variable]` = 1 values.
void add_point_loops(LoopNestPart& part, const std::vector<u8>& order, const std::vector<u32>& extent);

// The iterations of a nest in the order in which they are executed.

// Numbers of the words that one iteration touches, by access: MemoryArray::first + element.
using TouchedWords = std::array<u64, kMaxTensors>;

// Calls `visitor.visit(words)` for every iteration, and before that, where the visitor has them,
// `visitor.begin(part)` when a part begins and `visitor.advance(loop, index)` whenever loop number `loop` of the part
// turns to its next box, `index` counting them from 0. Stops early when `visitor.done()` says so, if there is one.
template <class Visitor>
class NestWalk {
 public:
  NestWalk(const LoopNest& nest, Visitor& visitor) : nest_(nest), visitor_(visitor) {}

  void run() {
    for (const LoopNestPart& part : nest_.parts) {
      part_ = &part;
      box_ = part.range;
      if constexpr (requires { visitor_.begin(part); }) visitor_.begin(part);
      for (std::size_t a = 0; a < nest_.accesses.size(); ++a) {
        const NestAccess& access = nest_.accesses[a];
        words_[a] = nest_.arrays[access.array].first;
        for (std::size_t v = 0; v < box_.size(); ++v) words_[a] += access.stride[v] * box_[v].begin;
      }
      loop(0);
    }
  }

  // Values of the variables in the iteration that is visited: box()[v].begin.
  const std::vector<LoopRange>& box() const { return box_; }

 private:
  void loop(std::size_t i) {
    if (i == part_->loops.size()) return iteration();
    const BoxLoop& l = part_->loops[i];
    const LoopRange all = box_[l.variable];
    const TouchedWords start = words_;
    [[maybe_unused]] u32 index = 0;
    for (u32 x = all.begin; x < all.end; x += l.step) {
      if constexpr (requires { visitor_.done(); })
        if (visitor_.done()) break;
      box_[l.variable] = {x, std::min(all.end, x + l.step)};
      if constexpr (requires { visitor_.advance(i, index); }) visitor_.advance(i, index);
      ++index;
      loop(i + 1);
      for (std::size_t a = 0; a < nest_.accesses.size(); ++a)
        words_[a] += nest_.accesses[a].stride[l.variable] * l.step;
    }
    words_ = start;
    box_[l.variable] = all;
  }

  void iteration() {
    if (nest_.guarded && !exists()) return;
    visitor_.visit(words_);
  }

  bool exists() const {
    std::array<u64, kMaxDimensions> value{};
    for (std::size_t v = 0; v < box_.size(); ++v)
      value[nest_.variables[v].dimension] += u64{nest_.variables[v].factor} * box_[v].begin;
    for (std::size_t d = 0; d < nest_.workload.dimensions.size(); ++d)
      if (value[d] >= nest_.workload.dimensions[d].size) return false;
    return true;
  }

  const LoopNest& nest_;
  Visitor& visitor_;
  const LoopNestPart* part_ = nullptr;
  std::vector<LoopRange> box_;
  TouchedWords words_{};
};

template <class Visitor>
void walk(const LoopNest& nest, Visitor& visitor) {
  NestWalk<Visitor>(nest, visitor).run();
}

}  // namespace heliolite
