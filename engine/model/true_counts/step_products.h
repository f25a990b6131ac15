#pragma once
// From the tiles of single dimensions to boxes of a tensor: all combinations of what a step does to each dimension
// (docs/cost_model.md, rules 35 and 37).
#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "engine/model/compiled.h"
#include "engine/model/true_counts/tile_steps.h"

namespace heliolite {

// A tensor's box at a step, along each rank; offsets are from the box's low corner.
struct BoxStep {
  u64 count = 1;                                  // contexts
  u64 units = 1;                                  // of the innermost fan-out, in each
  u8 mover = kNoLoop;                             // the innermost loop inside that had moved the box
  std::array<i64, kMaxRanks> extent, held, move;  // of the box, of the held one, from that one to this
};

// Words of a step's fetch, and what of the box is still there.
struct BoxFetch {
  u64 words;
  bool keeps;                            // some of the box is held
  std::array<i64, kMaxRanks> low, high;  // of that part, if there is one
};

class StepProducts {
 public:
  StepProducts(const CompiledTensor& t, const TrueNest& nest) : t_(t), nest_(nest) {}

  // Calls leaf(BoxStep, span of const TileStep*) for all combinations of one step of each of `steps`, the dimensions
  // `dimension`.
  template <class Leaf>
  void each(std::span<const u8> dimension, std::span<const std::vector<TileStep>* const> steps, Leaf&& leaf) {
    BoxStep box;
    for (std::size_t r = 0; r < t_.rank_count; ++r) box.extent[r] = box.held[r] = 1, box.move[r] = 0;
    descend(0, dimension, steps, box, leaf);
  }

  // What the step fetches (rule 35).
  BoxFetch fetch(const BoxStep& box, bool first) const {
    BoxFetch out;
    u64 full = 1, common = 1;
    const bool keeps = !first && goes_on(box);
    for (std::size_t r = 0; r < t_.rank_count; ++r) {
      full *= static_cast<u64>(box.extent[r]);
      if (!keeps) continue;
      out.low[r] = std::max<i64>(0, -box.move[r]);
      out.high[r] = std::min(box.extent[r], box.held[r] - box.move[r]);
      common *= static_cast<u64>(std::max<i64>(0, out.high[r] - out.low[r]));
    }
    out.keeps = keeps && common != 0;
    out.words = full - (out.keeps ? common : 0);
    return out;
  }

 private:
  // Whether the move leaves words in place: the box had not moved inside, is back, or moves on as the first time.
  bool goes_on(const BoxStep& box) const {
    if (box.mover == kNoLoop) return true;
    std::array<i64, kMaxRanks> stride{};
    const TruePlace& p = nest_.place[box.mover];
    for (int k = t_.first_of[p.dimension]; k < t_.first_of[p.dimension + 1]; ++k)
      stride[t_.by_dimension[at(k)].rank] += i64{t_.by_dimension[at(k)].coefficient} * p.inside;
    bool stays = true, repeats = true;
    for (std::size_t r = 0; r < t_.rank_count; ++r) {
      stays &= box.move[r] == 0;
      repeats &= box.move[r] == stride[r];
    }
    return stays || repeats;
  }

  template <class Leaf>
  void descend(std::size_t k, std::span<const u8> dimension, std::span<const std::vector<TileStep>* const> steps,
               const BoxStep& box, Leaf& leaf) {
    if (k == dimension.size()) return leaf(box, std::span<const TileStep* const>(chosen_.data(), k));
    const u8 d = dimension[k];
    for (const TileStep& s : *steps[k]) {
      chosen_[k] = &s;
      BoxStep next;
      next.count = box.count * s.count;
      next.units = box.units * s.run;
      next.mover = contains(t_.indexing, d) ? std::min(box.mover, s.mover) : box.mover;
      for (std::size_t r = 0; r < t_.rank_count; ++r)
        next.extent[r] = box.extent[r], next.held[r] = box.held[r], next.move[r] = box.move[r];
      for (int j = t_.first_of[d]; j < t_.first_of[d + 1]; ++j) {
        const CompiledTerm& term = t_.by_dimension[at(j)];
        const i64 c = term.coefficient;
        next.extent[term.rank] += c * (i64{s.extent} - 1);
        next.held[term.rank] += c * (i64{s.held} - 1);
        next.move[term.rank] += c * s.move;
      }
      descend(k + 1, dimension, steps, next, leaf);
    }
  }

  const CompiledTensor& t_;
  const TrueNest& nest_;
  std::array<const TileStep*, kMaxDimensions> chosen_;
};

}  // namespace heliolite
