#pragma once
// Words that the tiles of a level's tensors take, and whether they fit.
#include <array>
#include <vector>

#include "arch/architecture.h"
#include "engine/base/integers.h"
#include "engine/base/types.h"
#include "engine/model/compiled.h"
#include "engine/model/keep.h"
#include "workloads/workload.h"

namespace heliolite {

// The smallest tile: one of each dimension.
constexpr Extents unit_extents() {
  Extents e{};
  for (u32& x : e) x = 1;
  return e;
}

// The projections of a workload, compiled for speed.
class Footprint {
 public:
  explicit Footprint(const Workload& workload);

  // Words of the tensor's box: the product over its ranks of 1 + sum coefficient * (extent - 1).
  u64 words(int tensor, const Extents& tile) const {
    u64 product = 1;
    for (u8 r = first_[tensor]; r < first_[tensor + 1]; ++r) {
      u64 extent = 1;
      for (u8 t = 0; t < rank_[r].count; ++t)
        extent += u64{rank_[r].coefficient[t]} * (tile[rank_[r].dimension[t]] - 1);
      product *= extent;
    }
    return product;
  }

  int tensor_count() const { return tensor_count_; }
  // How the tensors' words fill a level's.
  ValueParts parts(const StorageLevel& level) const { return value_parts(bits_, level); }

 private:
  struct CompiledRank {
    u8 count = 0;
    std::array<u8, kMaxTerms> dimension{};
    std::array<u16, kMaxTerms> coefficient{};
  };
  std::array<CompiledRank, kMaxTensors * kMaxRanks> rank_{};
  std::array<u8, kMaxTensors + 1> first_{};
  int tensor_count_ = 0;
  ValueBits bits_{};
};

// A conjunction of capacity limits on one tile: every buffer that must hold it, or what grows from it. As a
// function object it is the test of for_each_tile().
class CapacityTest {
 public:
  // Without limits; the footprint must outlive it.
  explicit CapacityTest(const Footprint& footprint) : footprint_(&footprint) {}

  // Adds a limit: the tiles of `tensors` together take at most `parts` of words, each word of a tensor as many as
  // `each` says, in a buffer whose tile is larger by `scale` per dimension (what the fan-outs and loops between the two
  // multiply it by).
  void add(TensorMask tensors, u64 parts, const Extents& scale = unit_extents(), const ValueParts& each = {});

  // Adds a level's usable capacity for the tensors that it keeps. An unbounded level adds none.
  void add(const StorageLevel& level, TensorMask kept, const Extents& scale = unit_extents());

  bool operator()(const Extents& tile) const {
    for (const Limit& limit : limits_)
      if (!holds(limit, tile)) return false;
    return true;
  }

 private:
  struct Limit {
    u64 parts = 0;
    TensorMask tensors = 0;
    std::array<u32, kMaxTensors> of_word{};  // [tensor]
    bool scaled = false;
    Extents scale{};
  };

  bool holds(const Limit& limit, const Extents& tile) const {
    if (limit.scaled) return total(limit, scaled(tile, limit.scale)) <= limit.parts;
    return total(limit, tile) <= limit.parts;
  }
  u64 total(const Limit& limit, const Extents& tile) const {
    u64 sum = 0;
    for (int v = 0; v < footprint_->tensor_count(); ++v)
      if (contains(limit.tensors, v)) sum += footprint_->words(v, tile) * limit.of_word[v];
    return sum;
  }
  static Extents scaled(Extents tile, const Extents& scale) {
    for (int d = 0; d < kMaxDimensions; ++d) tile[d] *= scale[d];
    return tile;
  }

  const Footprint* footprint_;
  std::vector<Limit> limits_;
};

inline Footprint::Footprint(const Workload& workload)
    : tensor_count_(static_cast<int>(workload.tensors.size())), bits_(value_bits(workload)) {
  u8 next = 0;
  for (int v = 0; v < tensor_count_; ++v) {
    first_[v] = next;
    for (const Rank& rank : workload.tensors[v].ranks) {
      CompiledRank& out = rank_[next++];
      for (const Term& term : rank.terms) {
        out.dimension[out.count] = static_cast<u8>(term.dimension);
        out.coefficient[out.count++] = static_cast<u16>(term.coefficient);
      }
    }
  }
  first_[tensor_count_] = next;
}

inline void CapacityTest::add(TensorMask tensors, u64 parts, const Extents& scale, const ValueParts& each) {
  if (tensors != 0) limits_.push_back({parts, tensors, each.of, scale != unit_extents(), scale});
}

inline void CapacityTest::add(const StorageLevel& level, TensorMask kept, const Extents& scale) {
  const auto words = level.capacity_words();
  if (!words) return;
  const ValueParts parts = footprint_->parts(level);
  add(kept, *words * parts.of_word, scale, parts);
}

}  // namespace heliolite
