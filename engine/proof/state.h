#pragma once
// A mapping's inside: the loops of some levels, and what they move as far as that is known. It grows from the inside by
// a fan-out, then by temporal loops, then by what begins to move out of the level's tile (docs/rules/proof.md, Steps).
#include <array>

#include "engine/proof/question.h"

namespace heliolite::proof {

inline constexpr int kMaxFlows = 24;

// Words on their way into tiles that loops have not moved yet, or are moving along a rank that slides.
struct StateFlow {
  u64 full = 0;                         // words of the whole tile
  u64 fetched = 0;                      // for each iteration outside
  u64 fills = 1, serves = 1;            // tiles that are filled, and those of them that are read apart
  u64 first = 0, inner = 0, fresh = 0;  // of a moving flow: its first move, the sum of its moves, words of the first
  Tile tile = 0;
  u8 tensor = 0;
  u8 level = kNobody;     // whose tile it is; of words that a network prices: the network's
  u8 server = kNobody;    // nobody: words that a network prices
  std::int8_t rank = -1;  // along which it moves; -1: in place
  bool is_hops = false;   // words are half hops
  u64 price = 0;          // of a word on a network, in the instance's unit

  bool is_moving() const { return rank >= 0; }
};

// Accesses and fills of all instances of a level.
struct PairCounts {
  u64 accesses = 0, fills = 0;
  bool operator==(const PairCounts&) const = default;
};

struct State {
  Digits tile{};
  u64 rest = 1;                                     // iterations outside
  u64 units = 1;                                    // compute units
  std::array<u64, kMaxLevels> instances{}, sums{};  // [level, as far as known]: instances; those that sum up
  std::array<u64, kMaxTensors> waiting{};           // [tensor]: words of a closed flow that have a way to go
  u128 network = 0;                                 // what networks cost so far, in the instance's unit
  std::array<PairCounts, kMaxPairs> count{};
  std::array<StateFlow, kMaxFlows> flow{};
  u8 flows = 0;
  bool too_many = false;       // there were more flows than kMaxFlows: some are not counted
  u8 known = 0;                // levels whose instances are counted
  TensorMask on_way = 0;       // tensors with waiting words
  u16 served = 0, filled = 0;  // levels that serve the output, and those whose fills of it are counted
  int set = 0;                 // of servers, at the next stage
  // How the level inside was made, for its line and for rule push-in.
  u32 id = 0, parent = 0;
  u32 unrolling = 0;
  Digits inner{};  // the tile before the loops
  std::array<u8, kMaxDimensions> order{};
  u8 loops = 0;
  TensorMask kept = 0;
  u128 held = 0;  // parts that these take of its room, with those of levels inside that share it
};

// The parts of a step. Each changes the state in place.
class Steps {
 public:
  explicit Steps(const Question& question) : q_(question) {}

  State root(int set) const;
  void unroll(State& state, int level, std::size_t unrolling) const;
  // A temporal loop of the level over dimension d; `digit`: of its iterations.
  void loop(State& state, int level, int d, u16 digit) const;
  // The flows out of the level's tile; `next`: the servers after it.
  void start(State& state, int level, TensorMask kept, int next) const;
  void finish(State& state) const;
  // Parts of the level's room that levels inside it hold.
  u128 held_inside(const State& state, int level) const { return q_.instance.levels[level].shares ? state.held : 0; }

 private:
  void close(State& state, const StateFlow& flow, u64 rest, int level) const;
  void request(State& state, int tensor, int server, u64 words, int level) const;
  void price_networks(State& state, int level, const ProofUnrolling& u) const;

  const Question& q_;
};

// What moves a flow: the words it has fetched after a loop, and whether it ends. Pure, so that bounds can ask it too.
enum class Moved : u8 { InPlace, Moving, ClosedBefore, ClosedBehind };
Moved move_flow(const Question& q, StateFlow& flow, int d, u16 digit, const Digits& tile);

// What a complete mapping costs.
ExactCost exact_cost(const Question& q, const State& state);

}  // namespace heliolite::proof
