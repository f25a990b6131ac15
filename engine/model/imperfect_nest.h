#pragma once
// One pass over a nest with imperfect factors (docs/cost_model.md): steps, extents of middle and last tiles, instances
// in use, receivers of fan-outs. A loop (end, residual) runs `residual` times in the last context of its dimension,
// when all outer loops of the dimension are in their last iteration, else `end` times.
#include <array>
#include <span>
#include <vector>

#include "engine/base/integers.h"
#include "engine/model/compiled.h"
#include "engine/model/mapping.h"
#include "engine/model/multicast.h"

namespace heliolite {

// [dimension]: extent of a tile.
using ImperfectExtents = std::array<u64, kMaxDimensions>;

// One loop of the nest.
struct ImperfectLoop {
  u64 end, residual;  // iterations, and iterations in the last context
  u64 step;           // distance of two iterations in the dimension: product of the ends inside
  u8 dimension, level;
  bool spatial;
  bool shrinks;  // an imperfect loop of the dimension lies inside: the last iteration's tile may be smaller

  bool perfect() const { return end == residual; }
  DimensionMask bit() const { return static_cast<DimensionMask>(1u << dimension); }
};

// Extents of a tile, per dimension: in the middle and in the last context of the dimension.
struct ImperfectTile {
  ImperfectExtents middle, last;
};

// Contexts of a fan-out: which of its imperfect dimensions are in their last context. Bit k of a context: dimension[k].
struct FanoutContexts {
  std::array<u8, kMaxDimensions> dimension;
  u8 bits = 0;

  std::size_t count() const { return std::size_t{1} << bits; }
  std::size_t index(DimensionMask last) const {
    std::size_t context = 0;
    for (int k = 0; k < bits; ++k) context |= at(contains(last, dimension[k])) << k;
    return context;
  }
  DimensionMask last(std::size_t context) const {
    DimensionMask mask = 0;
    for (int k = 0; k < bits; ++k) mask |= static_cast<DimensionMask>(contains(context, k) << dimension[k]);
    return mask;
  }
};

// The loops of a mapping with imperfect factors. Without initialisers: it is built for each evaluation, and only what
// is used is written.
struct ImperfectNest {
  int level_count, loop_count;
  std::array<ImperfectLoop, kMaxLoops> loop;  // innermost first
  // Level i owns the loops [first[i], first[i + 1]), its temporal ones start at first_temporal[i].
  std::array<u8, kMaxLevels + 1> first;
  std::array<u8, kMaxLevels> first_temporal;
  std::array<ImperfectTile, kMaxLevels + 1>
      inside;                                       // [i]: tile of all loops inside level i; the last: whole dimensions
  std::array<ImperfectTile, kMaxLevels> master;     // [i]: tile of those and the spatial loops of level i
  std::array<double, kMaxLevels> used;              // [i]: instances of level i in use, on average
  std::array<u64, kMaxLevels> fanout;               // [i]: product of the spatial ends of level i
  std::array<u64, kMaxLevels> columns;              // [i]: product of those along X
  std::array<FanoutContexts, kMaxLevels> contexts;  // [i]: of the fan-out below level i
  DimensionMask residual;                           // dimensions with an imperfect loop
  bool perfect;                                     // there is none

  ImperfectNest(const Compiled& c, const Mapping& m);

  bool has_spatial(int level) const { return first_temporal[level] != first[level]; }
  // The largest tile of the loops before `outer`: a dimension is always in its last context when no loop of it
  // from `outer` outwards has a second iteration.
  ImperfectExtents largest(const ImperfectTile& tile, int outer) const;

 private:
  void add_level(int i, const Mapping& m, ImperfectTile& tile, DimensionMask& imperfect_inside);
  void count_instances();
};

// Words of the box of tensor t for a tile of this extent.
u64 imperfect_box_words(const CompiledTensor& t, const ImperfectExtents& extent);

// Rule 6 of docs/cost_model.md: which iterations of a loop the walks execute, and how often each of them counts.

// Calls visit(index, weight, is_last) for iterations 0 and 1 of the loop, the latter for all middle ones, and for the
// last one or two where a smaller tile comes last. `in_last`: all loops of the dimension outside are in their last
// iteration. With `count_in_middle` iteration 1 also counts for the last ones, which are executed with weight 0, as
// Timeloop has it at the innermost loop of a level without spatial loops.
template <class Visit>
void visit_iterations(const ImperfectLoop& loop, bool in_last, bool count_in_middle, Visit visit) {
  const u64 n = in_last ? loop.residual : loop.end;
  const bool run_last = in_last && loop.shrinks, run_last_two = run_last && !loop.perfect();
  const u64 separate = 1 + (run_last ? 1 : 0) + (run_last_two ? 1 : 0);
  const u64 middle = n > separate ? n - separate : 0;
  const u64 last_but_one = count_in_middle && run_last_two && n >= 4 ? 0 : 1;
  const u64 last_one = count_in_middle && run_last && !run_last_two && n >= 3 ? 0 : 1;
  const auto visit_at = [&](u64 index, u64 weight) { visit(index, weight, in_last && index + 1 >= n); };
  visit_at(0, 1);
  if (middle > 0) visit_at(1, middle + (1 - last_but_one) + (1 - last_one));
  if (run_last_two && n >= 3) visit_at(n - 2, last_but_one);
  if (run_last && n >= 2) visit_at(n - 1, last_one);
}

// The walk of a nest with imperfect factors for one tensor and one tile, exact for every tensor
// (docs/cost_model.md, rules 6 and 7). Equal states are walked once: what a loop moves depends only on which dimensions
// are in their last context, the remembered stride, and where the previous tile was. About 30 states are typical, a few
// thousand the worst seen.

// Walks nests; one object can be used for many.
class ImperfectWalk {
 public:
  // Adds to words[c] the words of tensor t that are new to the tile inside `level` at the steps where the fan-out below
  // the level is in context c (FanoutContexts), over all steps of the first instance. Reuses its storage.
  void run(const CompiledTensor& t, const ImperfectNest& nest, int level, std::span<u64> words);

  // How many different states the last run walked.
  std::size_t states() const { return state_count_; }

 private:
  using RankValues = std::array<i64, kMaxRanks>;

  // The previous tile, relative to the origin of the current one; ranks that never move are left out.
  struct State {
    RankValues low{}, extent{}, stride{};
    bool visited = false, has_stride = false;

    bool operator==(const State&) const = default;
  };
  struct Entry {
    State before, after;
    std::size_t words;  // first of contexts() values in words_
    u64 hash;
    DimensionMask last;
    u8 loop;
  };
  struct Tile {
    RankValues extent;
    u64 rest;  // words over the ranks left out
  };

  void prepare();
  void visit(int l, DimensionMask last, State& state, u64 weight, u64* out);
  void iterate(int l, DimensionMask last, State& state, u64* out);
  void shift(State& state, const ImperfectLoop& loop, i64 iterations) const;
  u64 fresh_words(DimensionMask last, State& state) const;
  Tile tile(DimensionMask last) const;
  u64 hash(int l, DimensionMask last, const State& state) const;
  Entry* find(int l, DimensionMask last, const State& state, u64 hash);
  void remember(Entry entry, const u64* own);
  void grow();

  const CompiledTensor* tensor_ = nullptr;
  const ImperfectNest* nest_ = nullptr;
  int level_ = 0, from_ = 0;  // from_: the level's first temporal loop
  std::size_t contexts_ = 1;
  int rank_count_ = 0;                               // ranks that move
  std::array<u8, kMaxRanks> rank_{};                 // position among those
  DimensionMask cut_ = 0;                            // dimensions that the level's spatial loops keep in the middle
  std::array<DimensionMask, kMaxLoops> relevant_{};  // dimensions whose context matters inside each loop

  std::vector<u64> sums_;  // contexts_ per loop: words of the execution being walked
  std::vector<Entry> entries_;
  std::vector<u64> words_;
  std::vector<u32> slots_;  // open addressing: 1 + index of the entry, 0 = free
  std::size_t state_count_ = 0;
};

// Closed forms of the same words: products over dimensions, as every dimension counts its middle and last contexts by
// itself (imperfect_product.cpp).

// Writes into words[c] the words of tensor t that are new to the tile inside `level` at the steps where the fan-out
// below the level is in context c (FanoutContexts), summed over all steps of the first instance. Returns false, and
// leaves `words` as it is, when no closed form is known. There is one
//  - without overlapping tiles: every move fetches the whole tile;
//  - with sliding ranks, when none of their dimensions has a residual and every loop of a dimension of t moves.
bool product_words(const CompiledTensor& t, const ImperfectNest& nest, int level, std::span<u64> words);

// product_words() for what the compute units ask for: a word of any tensor at each step (docs/cost_model.md, rule 8).
void product_steps(const ImperfectNest& nest, std::span<u64> steps);

// The receivers of a fan-out at one step: how many there are, how many want different words, and what reaching them
// costs (docs/cost_model.md, rules 9-11).

// Receivers in use at steps where the dimensions `last` are in their last context and all others in a middle one.
u64 active_receivers(const ImperfectNest& nest, int level, DimensionMask last);

// How many of those receivers want different words of tensor t; by closed form, else by enumeration.
u64 distinct_receivers(const CompiledTensor& t, const ImperfectNest& nest, int level, const CompiledLevel& machine,
                       DimensionMask last);

// Writes the groups of receivers with the same words into `out` (reused storage), sorted by multicast. Receivers in use
// are numbered without gaps, X fastest, and laid out on the physical grid. Without spatial loops: one receiver, no
// hops.
void imperfect_groups(const CompiledTensor& t, const ImperfectNest& nest, int level, const CompiledLevel& machine,
                      DimensionMask last, std::vector<ReceiverGroups>& out);

}  // namespace heliolite
