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
  Tile tile{};
  int into = 0, tensor = 0;  // slot of what arrives
  int server = -1;           // none: a network
  int rank = -1;             // that it moves along; none: it is in place
  bool is_moving() const { return rank >= 0; }
  bool operator==(const Flow&) const = default;
};
struct Loop {
  int dimension = 0;
  u64 factor = 1;
};
// What a step adds to a state.
struct Step {
  int unrolling = 0;  // its number
  std::vector<Loop> loops;
  int set = 0;  // of servers after the level
};
struct State {
  u64 id = 0, line = 0;     // in a proof
  Tile tile{}, unrolled{};  // what is inside; in front of the last level's loops
  u64 rest = 1, units = 1;  // iterations and instances outside; compute units inside
  int level = -1, set = 0;  // the last level inside; of Machine::sets[level + 1]
  Mask kept = 0, free = 0;  // tensors that the level holds; dimensions of no loop but the outermost
  u128 held = 0;            // parts that these take of its room, and levels inside that share it
  std::array<u64, kLevels> instances{}, summed{};  // [level inside]; those that differ in no index of the output
  Counts count;                                    // words of closed flows
  std::array<u64, kTensors> pending{};             // words on their way to the server that the tensor has now
  std::vector<Flow> flows;
};

class Steps : public Machine {
 public:
  using Machine::Machine;
  const Servers& servers(const State& s) const { return sets[s.level + 1][s.set]; }
  // The compute units ask for their words.
  State root(int set) const {
    State s;
    s.rest = in.macs, s.set = set;
    s.count.resize(slots.size());
    for (int v = 0; v < tensors(); ++v) ask(s, v, servers(s)[v], s.rest, -1);
    return s;
  }
  // The fan-out below the next level; its factors must divide what is left.
  void unroll(State& s, const Unrolling& u) const {
    const int i = s.level + 1;
    const Level& level = in.levels[i];
    if (!level.has_fanout && !level.has_ingress) return;
    std::array<u64, kTensors> groups{};
    for (int v = 0; v < tensors(); ++v) {
      groups[v] = receiver_groups(in.tensors[v], *this, u, s.tile);
      if (s.pending[v] == 0) continue;
      const u64 words = static_cast<u64>(static_cast<u128>(std::exchange(s.pending[v], 0)) * groups[v] / u.receivers);
      s.count[slot(kEntered, i, v)] += words;
      ask(s, v, servers(s)[v], words, i);
    }
    s.rest /= u.receivers;
    for (std::size_t k = 0, begun = s.flows.size(); k < begun; ++k) {
      Flow& f = s.flows[k];
      f.fills *= u.receivers;
      f.serves *= f.server >= i ? groups[f.tensor] : u.receivers;
      if (f.server < i || level.of[f.tensor][kIngress] == 0) continue;
      Flow words = f;
      words.into = slot(kEntered, i, f.tensor), words.server = -1, words.fills = words.serves, words.serves = 1;
      s.flows.push_back(words);
    }
    for (int v = 0; v < tensors(); ++v) {
      if (!level.has_hops || level.of[v][kHop] == 0) continue;
      if (const u64 hops = half_hops(level, in.tensors[v], *this, u, s.tile); hops != 0)
        begin(s, v, slot(kHopped, i, v), -1, hops);
    }
    multiply(s.tile, u.both);
    for (int j = 0; j < i; ++j) s.instances[j] *= u.receivers, s.summed[j] *= u.summed;
    s.units *= u.receivers;
  }
  // The next temporal loop of the level whose fan-out is behind.
  void loop(State& s, int d, u64 factor) const {
    const u64 rest = s.rest / factor;
    Tile after = s.tile;
    after[d] = times(d, after[d], place(d, factor));
    for (Flow& f : std::exchange(s.flows, {})) {
      if (moves(s.tile, f, d, factor)) close(s, f, s.rest, s.level + 1);
      else if (f.is_moving() && left(after, in.tensors[f.tensor].along[f.rank]) == 1) close(s, f, rest, s.level + 1);
      else s.flows.push_back(f);
    }
    s.rest = rest, s.tile = after;
  }
  // The level is done. Its tiles begin to move, where there is a level outside; then servers follow.
  void finish(State& s, int next_set) const {
    const int i = s.level + 1;
    s.kept = kept(i, s.set, i), s.held = (in.levels[i].shares ? s.held : 0) + parts(i, s.kept, s.tile);
    s.level = i, s.set = next_set;
    s.instances[i] = s.summed[i] = 1;
    for (int v = 0; v < tensors() && !is_top(i); ++v)
      if (contains(s.kept, v)) begin(s, v, slot(kArrived, i, v), servers(s)[v], 1);
    if (!is_top(i)) return;
    for (const Flow& f : s.flows) close(s, f, s.rest, i);
    s.flows.clear();
  }
  // Counts the words of a flow in `iterations` iterations; `from`: the last level whose fan-out is behind it.
  void close(State& s, const Flow& f, u64 rest, int from) const {
    s.count[f.into] += f.words * f.fills * rest;
    if (f.server >= 0) ask(s, f.tensor, f.server, f.words * f.serves * rest, from);
  }
  // All of these; empty where that is legal, otherwise what is expected.
  std::string extend(State& s, const Step& step) const {
    const int i = s.level + 1;
    const Level& level = in.levels[i];
    const Unrolling& u = unrollings[i][step.unrolling];
    if (Tile tile = s.tile; !multiply(tile, u.both)) return "an unrolling that divides what is left";
    unroll(s, u);
    s.unrolled = s.tile;
    Mask waiting = 0;
    for (const Loop& l : step.loops) waiting |= bit(l.dimension);
    s.free = ~waiting;
    for (const auto& [d, n] : step.loops) {
      const auto fixed = std::ranges::find_if(level.order, [&](int e) { return contains(waiting, e); });
      if (!contains(waiting, d)) return "one loop over a dimension";
      if (n < 2 || left(s.tile, d) % n != 0) return "a factor above 1 that divides what is left";
      if (fixed != level.order.end() && *fixed != d) return "loops in the order of the instance";
      loop(s, d, n);
      waiting &= ~bit(d);
      if (waiting == 0) s.free |= bit(d);
    }
    for (int d = 0; d < dimensions(); ++d)
      if (!loops(i, s.set, d).allows(extent(s.tile, d) / extent(s.unrolled, d))) return "factors that are allowed";
    if (!fits(i, s.set, s.tile, s.held)) return "a tile that fits";
    if (is_top(i) && s.rest != 1) return "factors that multiply to the sizes";
    if (place_of(step.set, next[i][s.set]) < 0) return "servers that may follow those of the level inside";
    finish(s, step.set);
    return "";
  }

 private:
  void begin(State& s, int v, int into, int server, u64 fills) const {
    Flow& f = s.flows.emplace_back();
    f.full = f.words = words(v, s.tile);
    f.tile = s.tile, f.fills = fills, f.into = into, f.tensor = v, f.server = server;
  }
  // A server is asked for words; they are on their way while there are fan-outs to come.
  void ask(State& s, int v, int server, u64 words, int from) const {
    (has_way(from, server) ? s.pending[v] : s.count[slot(kAsked, server, v)]) += words;
  }
  // What a loop outside a tile makes of a flow; whether it closes it in front of the loop.
  bool moves(const Tile& tile, Flow& f, int d, u64 factor) const {
    const Tensor& t = in.tensors[f.tensor];
    if (!contains(t.indexing, d)) {
      if (f.is_moving()) f.words *= factor;
      return false;
    }
    if (!contains(t.sliding, d) || (f.is_moving() && t.rank_of[d] != f.rank)) return true;
    const u64 move = t.coefficient[d] * extent(tile, d), length = box(f.tensor, t.rank_of[d], f.tile);
    if (!f.is_moving()) f.first = move, f.rank = t.rank_of[d];
    // Words of the tile that are there already when it moves: all, or but for what the first loop's move brings.
    const u64 fresh = f.first < length ? f.full / length * f.first : f.full;
    const u64 saved = move == f.inner ? f.full : move == f.inner + f.first ? f.full - fresh : 0;
    f.words = factor * f.words - (factor - 1) * saved;
    f.inner += move;
    return false;
  }
};
}  // namespace check_proof
