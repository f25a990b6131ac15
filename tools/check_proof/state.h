#pragma once
// What is known of a mapping from the inside up to a level, and the steps that add the next one's unrolling, loops and
// tiles. Counts are of all instances; all divisions are exact.
#include "check_proof/machine.h"

namespace check_proof {

// Words that begin to move at a tile. They stay in place until the first loop that moves the tile.
struct Flow {
  u64 full = 1;               // words of the tile
  u64 words = 1;              // that come for each iteration of the loops outside
  u64 fills = 1, serves = 1;  // places at which they arrive, and that ask the server for different ones
  u64 first = 0, inner = 0;   // the first loop's move along a sliding rank, and the sum of all moves so far
  u64 fresh = 0;              // words that the first loop's move brings
  Digits tile{};
  i8 tensor = 0;
  Place place = -1;
  i8 server = -1;  // none: a network
  i8 rank = -1;    // that it moves along; none: it is in place

  bool is_moving() const { return rank >= 0; }
  bool operator==(const Flow&) const = default;
};

struct Count {
  u64 accesses = 0, fills = 0;
  bool operator==(const Count&) const = default;
};

struct Loop {
  u8 dimension = 0;
  u64 factor = 1;
};

// What a step adds to a state.
struct Step {
  int unrolling = 0;  // its number
  std::vector<Loop> loops;
  int set = 0;  // of servers after the level
};

struct State {
  Digits at{};                                               // the tile
  Extents tile{};                                            // its extents
  u64 rest = 1;                                              // iterations and instances outside
  u64 units = 1;                                             // compute units inside
  i8 level = -1;                                             // the last level inside
  u16 set = 0;                                               // of Machine::sets(level + 1)
  Mask kept = 0;                                             // tensors that the last level holds
  Mask looped = 0;                                           // dimensions of its loops
  i8 outermost = -1;                                         // dimension of its outermost loop
  Extents unrolled{};                                        // the tile before its loops
  std::array<u64, kLevels> instances{}, summed{};            // [level inside]; summed: without dimensions of the output
  std::array<std::array<Count, kTensors>, kLevels> count{};  // of closed flows
  std::array<u64, kTensors> pending{};                       // words on their way to the server that the tensor has now
  i128 network = 0;  // energy of closed flows over networks, in 1/scale of a unit
  std::vector<Flow> flows;
};

class Steps {
 public:
  explicit Steps(const Machine& machine) : m_(machine) {}

  State root(int set) const;
  // The fan-out below the next level; the dimensions must have these factors left.
  void unroll(State& s, const Unrolling& u) const;
  // The next temporal loop of the level whose fan-out is behind.
  void loop(State& s, int d, u64 factor) const;
  // The level is done: its tiles begin to move. `kept`: what it holds.
  void start(State& s, Mask kept, int next_set) const;
  // So is the outermost level: nothing moves any more.
  void finish(State& s) const;
  // Counts the words of a flow in so many iterations; `from`: the last level whose fan-out is behind it.
  void close(State& s, const Flow& f, u64 rest, int from) const;
  // All of these; empty where that is legal, otherwise what is wrong.
  std::string extend(State& s, const Step& step) const;

  const Servers& servers(const State& s) const { return m_.sets(s.level + 1)[s.set]; }

 private:
  bool moves(State& s, Flow& f, int d, u64 factor) const;

  const Machine& m_;
};

}  // namespace check_proof
