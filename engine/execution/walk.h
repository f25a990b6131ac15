#pragma once
// The iterations of a nest in the order in which they are executed.
#include <array>
#include <cstddef>
#include <vector>

#include "engine/base/integers.h"
#include "engine/execution/loop_nest.h"

namespace heliolite {

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
        words_[a] = nest_.arrays[at(access.array)].first;
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
      value[at(nest_.variables[v].dimension)] += u64{nest_.variables[v].factor} * box_[v].begin;
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
