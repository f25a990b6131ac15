#pragma once
// Which level serves which tensor: what a partial mapping has to know of the keep choice (docs/rules/exact.md).
//
// The server of a tensor is the next level further out that keeps it: the one that the flow on its way asks. It is
// chosen when the flow begins, so that the flow's price is known from then on, and the levels up to the server bypass
// the tensor. What a level keeps follows: the tensors that it serves.
#include <array>
#include <span>
#include <vector>

#include "engine/base/integers.h"
#include "engine/base/types.h"
#include "engine/search/core/compulsory.h"

namespace heliolite {

// The servers of all tensors in every combination that a range of keep choices leaves, numbered stage by stage. Stage i
// is the one after level i; stage -1, the one before the innermost level.
class ServerSets {
 public:
  // The outermost level must keep every tensor.
  ServerSets(const KeepRange& keep, int levels, int tensors);

  // Whether no stage of a range has more sets than this class is made for.
  static bool few(const KeepRange& keep, int levels, int tensors);

  // Sets of a stage; the one after the outermost level has a single set, in which nothing is served any more.
  std::size_t count(int stage) const { return stage_[place(stage)].size(); }
  // The level that serves the tensor in set `set` of the stage.
  int server(int stage, u32 set, int tensor) const { return stage_[place(stage)][set].level[slot(tensor)]; }
  // The tensors that a level keeps if the stage before it has this set.
  TensorMask kept(int level, u32 set) const { return stage_[place(level - 1)][set].kept; }
  // The sets of the stage after a level that may follow a set of the stage before it.
  std::span<const u32> next(int level, u32 set) const { return stage_[place(level - 1)][set].next; }

  // The set of a stage in which the servers are those of a keep choice within the range.
  u32 find(int stage, const std::array<TensorMask, kMaxLevels>& keep) const;

 private:
  struct Set {
    std::array<u8, kMaxTensors> level{};  // [tensor]
    TensorMask kept = 0;                  // by the level outside the stage
    std::vector<u32> next;                // sets of the stage after that level
  };
  static std::size_t place(int stage) { return at(stage + 1); }
  static std::size_t slot(int tensor) { return at(tensor); }
  u32 index(int stage, const std::array<u8, kMaxTensors>& level) const;

  int levels_, tensors_;
  std::vector<std::vector<Set>> stage_;
};

}  // namespace heliolite
