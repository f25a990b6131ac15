#pragma once
// One pass over a perfect loop nest: steps, tiles and products that every count is made of. Header-only: all of it is
// on the hot path of CostModel::evaluate.
#include <array>
#include <bit>

#include "engine/base/integers.h"
#include "engine/model/compiled.h"
#include "engine/model/mapping.h"

namespace heliolite {

// A set of loops; bit j: loop j of the nest.
using LoopMask = u64;
static_assert(kMaxLoops == 64);
static_assert(kMaxMacs < u64{1} << 63);  // perfect loops, the MACs of a workload, are fewer

// Without initialisers: a Nest is built per evaluation and writes only what it uses.
struct NestLoop {
  u64 step;  // tile size of the dimension inside the loop
  u32 end;
  u8 dimension;
};

// The loops over a dimension, and the product of their ends.
struct NestDimension {
  LoopMask loops;
  u32 whole;
};

// The loops of a mapping as Nest::read() takes them.
class MappingLoops {
 public:
  explicit MappingLoops(const Mapping& m) : mapping_(m) {}

  template <class Add>  // add(level, kind, dimension, end)
  void each(Add&& add) {
    for (const Loop& l : mapping_.loops()) {
      add(l.level, l.kind, l.dimension, l.end);
      difference_ |= l.end ^ l.residual;
    }
  }
  // Whether all loops that each() has seen are perfect.
  bool perfect() const { return difference_ == 0; }

 private:
  const Mapping& mapping_;
  u32 difference_ = 0;
};

// The box of a tile: its words, and the extent of each rank that is not plain. Without initialisers, as the Nest.
struct Box {
  u64 words;
  std::array<u64, kMaxRanks> extent;
};

// All loops of a perfect mapping, innermost first: of each level the spatial ones, then the temporal ones.
struct Nest {
  std::array<NestLoop, kMaxLoops> loop;
  std::array<u32, kMaxLoops> passes;       // [loop]: its iterations over time, 1 if it is spatial
  std::array<u32, kMaxLoops + 1> covered;  // [loop + 1]: tile size of its dimension with the loop; [0]: without loops
  std::array<NestDimension, kMaxDimensions> dimension;
  int loop_count;
  LoopMask temporal;                                 // the temporal loops
  std::array<LoopMask, kMaxLevels> fanout;           // [level]: its spatial loops
  std::array<LoopMask, kMaxLevels> through;          // [level]: all loops of levels 0 .. level
  std::array<u64, kMaxLoops> beyond;                 // [loop]: product of the temporal ends outside it
  std::array<u64, kMaxLevels> product_x, product_y;  // [level]: product of its spatial ends along X and along Y
  std::array<Extents, kMaxLevels> unrolled;  // [level that has spatial loops][dimension]: product of their ends over it
  std::array<u64, kMaxLevels> instances;     // [level]: instances in use, the product of the spatial ends outside it
  u64 macs_used;                             // compute units in use: the product of all spatial ends
  u64 steps;                                 // MACs of one compute unit: the product of all temporal ends

  Nest() = default;
  Nest(const Compiled& c, const Mapping& m) {
    MappingLoops loops(m);
    read(c.level_count, loops);
  }

  // Takes the loops of the innermost `levels` levels.
  template <class Loops>
  void read(int levels, Loops& loops) {
    // Step 1. The loops from the inside out. No branch depends on them: which of a level's loops comes last, nobody can
    // foresee.
    dimension.fill({0, 1});
    covered[0] = 1;
    std::array<std::array<LoopMask, 3>, kMaxLevels> place;  // [level][kind]
    for (int i = 0; i < levels; ++i) place[i] = {0, 0, 0};
    int n = 0;
    LoopMask bit = 1;
    loops.each([&](u8 level, LoopKind kind, u8 d, u32 end) {
      NestDimension& own = dimension[d];
      loop[n] = {own.whole, end, d};
      passes[n] = kind == LoopKind::Temporal ? end : 1;
      covered[++n] = own.whole *= end;
      own.loops |= bit;
      place[level][at(kind)] |= bit;
      bit <<= 1;
    });
    loop_count = n;
    // Step 2. The levels.
    LoopMask inside = 0, in_time = 0;
    for (int i = 0; i < levels; ++i) {
      const auto& [x, y, time] = place[i];
      const LoopMask spatial = x | y;
      in_time |= time;
      fanout[i] = spatial;
      through[i] = inside |= spatial | time;
      product_x[i] = product_y[i] = 1;
      if (spatial != 0) unroll(i, x, spatial);
    }
    temporal = in_time;
    // Step 3. What lies outside, from the outside in.
    u64 product = 1, used = 1;
    for (int j = n; j-- > 0; product *= passes[j]) beyond[j] = product;
    for (int i = levels; i-- > 0; used *= product_x[i] * product_y[i]) instances[i] = used;
    steps = product;
    macs_used = used;
  }

  // Sets loop j to one over time.
  void put(int j, const NestLoop& l) {
    loop[j] = l;
    passes[j] = l.end;
    covered[j + 1] = static_cast<u32>(l.step * l.end);
    dimension[l.dimension].loops |= LoopMask{1} << j;
  }

  // The loops of a level's tile, when `outside` of its temporal loops stand outside it.
  LoopMask inside(int level, u8 outside) const { return through[level] >> outside; }
  // How much of a dimension the tile of these loops, the innermost ones, covers. The shift loses no loop: there are at
  // most log2(kMaxMacs) of them.
  u32 extent(int d, LoopMask inside) const {
    return covered[63 ^ std::countl_zero((dimension[d].loops & inside) << 1 | 1)];
  }

  bool has_spatial(int level) const { return fanout[level] != 0; }
  // The number of a level's first temporal loop, and of the loop outside its last one.
  int first_temporal(int level) const {
    return std::bit_width(level > 0 ? through[level - 1] | fanout[level] : fanout[level]);
  }
  int end(int level) const { return std::bit_width(through[level]); }

  // The loops that move a tensor.
  LoopMask moving(const CompiledTensor& t) const {
    LoopMask mask = 0;
    for (const int d : bits(t.indexing)) mask |= dimension[d].loops;
    return mask;
  }
  // How often the spatial loops of a level that has some move a tensor.
  u64 moves_in_space(const CompiledTensor& t, int level) const {
    u64 out = 1;
    for (const int d : bits(t.indexing)) out *= unrolled[level][d];
    return out;
  }
  // Writes the box of the tile of these loops, the innermost ones.
  void measure(const CompiledTensor& t, LoopMask inside, Box& box) const {
    const auto covers = [&](u8 d) { return extent(d, inside); };
    box.words = box_words(t, covers, [&](u8 rank, u64 words) { box.extent[rank] = words; });
  }

  // [dimension]: product of the ends of those loops that are over it. Not on the hot path.
  Extents tile(LoopMask loops) const {
    Extents out;
    out.fill(1);
    for (const int l : bits(loops)) out[loop[l].dimension] *= loop[l].end;
    return out;
  }

 private:
  // Reads the spatial loops of level i; `x`: those along X.
  void unroll(int i, LoopMask x, LoopMask spatial) {
    unrolled[i].fill(1);
    std::array<u64, 2> product{1, 1};  // [along X]
    for (const int j : bits(spatial)) {
      product[contains(x, j)] *= loop[j].end;
      unrolled[i][loop[j].dimension] *= loop[j].end;
    }
    product_y[i] = product[0];
    product_x[i] = product[1];
  }
};

}  // namespace heliolite
