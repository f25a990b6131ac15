#pragma once
// Every extension of a state by its next level that the closing rules of proofs leave open (docs/rules/proof.md,
// Theorem an extension): unrollings, tiles, orders of loops, next servers.
#include <functional>
#include <vector>

#include "engine/proof/bounds.h"
#include "engine/proof/claim.h"
#include "engine/proof/state.h"

namespace heliolite::proof {

__extension__ using i128 = __int128;

class Extender {
 public:
  // `over`: asked now and then whether to stop; may be empty.
  Extender(const Question& question, const Bounds& bounds, const Claim& claim, std::function<bool()> over = {});

  // Whether no bound closes the root.
  bool is_open(const State& root) const;

  // Calls visit(extension) for each that is open; at the outermost level for mappings that are below the claim.
  void extend(const State& parent, int stage, const std::function<void(State&)>& visit);

  u64 questions() const { return questions_; }
  bool was_stopped() const { return stopped_; }
  bool had_too_many_flows() const { return too_many_; }  // some were not counted: the extensions are worth nothing

 private:
  static constexpr std::size_t kNoSlot = ~std::size_t{0};

  // Words of a flow that a loop has ended.
  struct Closed {
    u64 filled = 0, served = 0;
    u8 tensor = 0, level = kNobody, server = kNobody;
    bool has_way = false;
  };
  // The loops of the level so far.
  struct Node {
    Digits tile{};
    u64 rest = 1;
    u32 waiting = 0;  // flows of the spread state that are in place
    u128 spent = 0;   // energy of closed flows
    std::array<StateFlow, kMaxFlows> moving;
    std::array<Closed, kMaxFlows> closed;
    u8 moving_count = 0, closed_count = 0;
    std::array<u8, kMaxDimensions> order{};
    u8 loops = 0;

    void copy(const Node& from);
  };

  // Energy or words in a channel of all that has begun in a state whose last fan-out is that of `level`.
  i128 inside(std::size_t channel, const State& state, int level) const;
  i128 counted(std::size_t channel, const State& state) const;
  i128 on_way(std::size_t channel, const State& state, int level, const Digits& tile) const;
  i128 of_moving(const PricedChannel& channel, const StateFlow& flow, int level, const Digits& tile, u64 rest) const;
  WaitingFlow placed(const State& state, const StateFlow& flow, int level, const Digits& tile) const;
  // What first words of the output are refunded at most; `summed`: by an unrolling that the state does not have yet.
  i128 refunds(std::size_t channel, const State& state, int level, const Digits& tile, u16 served, u16 filled,
               u64 summed) const;
  u128 leakage(const State& state, u64 cycles) const;
  u64 least_steps(const State& state, int level, Tile tile) const;
  u64 rate_cycles(const PricedChannel& channel, const State& state, int level, Tile tile, i128 words) const;
  bool fewer_are_closed(const State& parent, u64 receivers) const;
  bool surely_closed(const State& parent, Tile tile) const;
  bool closed_after_unrolling(const State& state, int level, Tile tile) const;
  bool closes(i128 energy, u64 cycles) const;
  Tile number(const Digits& tile) const;
  u64 share(int tensor, const Digits& tile) const;

  void find_growable_axes(const State& parent, int stage);
  bool pushes(int d) const;
  void walk_tiles(const State& parent);
  void walk_orders();
  void order(int depth, DimensionMask waiting_loops, std::size_t prefix);
  void take(int depth, int d, DimensionMask waiting_loops, std::size_t prefix);
  void close(Node& node, const StateFlow& flow, u64 rest);
  DimensionMask ended_by_classes(const Node& node, DimensionMask loops, bool first, bool& pushed) const;
  u32 ends(const Node& node, int d, bool& slides) const;
  void leaf(const Node& node);
  void ask(const Node& node, std::size_t next);
  u128 ordering(std::size_t channel, const Node& node, std::size_t next);
  void build(const Node& node, std::size_t next);

  const Question& q_;
  const Bounds& bounds_;
  const Claim& claim_;
  Steps steps_;
  std::function<bool()> over_;
  bool stopped_ = false, too_many_ = false;
  u32 ticks_ = 0;  // tiles since the start, for asking over_
  u64 questions_ = 0;
  mutable u64 asked_cycles_ = 0;  // of the least energy that was asked last
  mutable u128 asked_least_ = 0;

  // What belongs to the parent and the unrolling that are being extended.
  int stage_ = 0;
  const State* parent_ = nullptr;
  const std::function<void(State&)>* visit_ = nullptr;
  std::size_t unrolling_ = 0;
  State spread_;             // after the unrolling
  u128 parent_leak_ = 0;     // in a cycle
  i128 parent_counted_ = 0;  // energy
  std::array<std::vector<u32>, kMaxDimensions> growable_;
  std::vector<i128> counted_;  // [channel]: of the state after the unrolling

  // What belongs to the tile whose orders are being tried.
  Tile tile_ = 0;
  Digits digits_{};
  Digits factor_{};  // of the loops
  u64 steps_least_ = 0;
  std::array<u64, kMaxTensors> share_{};
  struct Remembered {
    u64 key;
    u128 cost;
  };
  std::vector<Remembered> ordered_;  // ordering bounds that were asked for this tile
  std::vector<i128> ways_;           // [channel]: of words on their way, for this tile
  std::vector<bool> ways_known_;
  std::array<Node, kMaxDimensions + 1> node_;
};

}  // namespace heliolite::proof
