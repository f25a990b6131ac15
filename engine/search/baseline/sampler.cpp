#include "engine/search/baseline/sampler.h"

#include <bit>
#include <map>
#include <utility>

#include "engine/base/integers.h"
#include "engine/model/compiled.h"
#include "engine/search/core/option_kinds.h"
#include "engine/search/core/parallel.h"
#include "engine/space/footprint.h"

namespace heliolite {

class SplitTableBuilder {
 public:
  SplitTableBuilder(const Splits& splits, int d) : splits_(splits), d_(d), levels_(splits.space().level_count()) {
    table_.levels_ = at(levels_);
  }

  std::optional<SplitTable> build() {
    unroll(0, static_cast<u32>(splits_.space().size[d_]));
    if (too_large_ || table_.left_.empty()) return std::nullopt;
    guide();
    return std::move(table_);
  }

 private:
  static constexpr std::size_t kMostRows = 1 << 18;

  // The fan-outs of levels i and further out, with `left` iterations to give.
  void unroll(int i, u32 left) {
    if (too_large_) return;
    if (i == levels_) return add(left);
    splits_.for_each_choice(d_, place_of(i, true), left, [&](const FactorRun& run) {
      factor_[i] = {run.first, run.y};
      unroll(i + 1, run.left);
      return true;
    });
  }

  void add(u32 left) {
    const u32 index = loops_of(left);
    const u64 count = table_.rows_[index].count;
    if (count == 0) return;
    table_.factors_.insert(table_.factors_.end(), factor_.begin(), factor_.begin() + levels_);
    table_.left_.push_back(index);
    total_ += count;
    table_.ends_.push_back(total_);
    too_large_ |= table_.left_.size() > kMostRows;
  }

  u32 loops_of(u32 left) {
    const auto [known, fresh] = known_.try_emplace(left, static_cast<u32>(table_.rows_.size()));
    if (fresh) {
      const u64 first = table_.loops_.size() / table_.levels_;
      loops(0, left);
      table_.rows_.push_back({first, table_.loops_.size() / table_.levels_ - first});
    }
    return known->second;
  }

  void loops(int i, u32 left) {
    if (too_large_) return;
    if (i == levels_) {
      if (left != 1) return;
      table_.loops_.insert(table_.loops_.end(), iterations_.begin(), iterations_.begin() + levels_);
      too_large_ |= table_.loops_.size() / table_.levels_ > kMostRows;
      return;
    }
    splits_.for_each_choice(d_, place_of(i, false), left, [&](const FactorRun& run) {
      iterations_[i] = run.first;
      loops(i + 1, run.left);
      return true;
    });
  }

  // From counts to probabilities, and where to begin to look for a number.
  void guide() {
    for (u64& end : table_.ends_) end = static_cast<u64>((static_cast<u128>(end) << 63) / total_);
    const int bits = std::bit_width(table_.ends_.size() - 1);
    table_.guide_shift_ = 63 - bits;
    std::size_t k = 0;
    for (u64 j = 0; j < u64{1} << bits; ++j) {
      while (table_.ends_[k] <= j << table_.guide_shift_) ++k;
      table_.guide_.push_back(static_cast<u32>(k));
    }
  }

  const Splits& splits_;
  int d_, levels_;
  SplitTable table_;
  std::array<PlaceFactor, kMaxLevels> factor_{};
  std::array<u32, kMaxLevels> iterations_{};
  std::map<u32, u32> known_;  // [iterations left]: index of their rows
  u64 total_ = 0;
  bool too_large_ = false;
};

std::optional<SplitTable> SplitTable::of(const Splits& splits, int d) { return SplitTableBuilder(splits, d).build(); }

Sampler::Sampler(const Mapspace& space, const CostModel& model, bool any_factors, u64 seed, Counts counts)
    : space_(space),
      model_(model),
      any_factors_(any_factors),
      counts_(counts),
      seed_(seed),
      splits_(space, any_factors),
      writer_(space) {
  for (int d = 0; d < space.dimension_count; ++d)
    table_.push_back(any_factors ? std::nullopt : SplitTable::of(splits_, d));
  for (int i = 0; i < space.level_count(); ++i)
    if (space.levels[i].spatial.exists()) fanouts_.push_back(i);
}

bool Sampler::possible() const {
  for (int d = 0; d < space_.dimension_count; ++d)
    if (splits_.ways(d, 0, size(d)) == 0) return false;
  return true;
}

Evaluation Sampler::evaluate(u64 number, Mapping& out) const {
  SplitMix random(seed_, number);
  Tiling tiling;
  if (!draw_until_enough(random, tiling)) return {Verdict::OverFanoutX, 0, {}};
  // The tiles of factors that need not divide are not products.
  if (!any_factors_)
    if (const auto level = overflowing_level(tiling)) return {Verdict::OverCapacity, static_cast<u8>(*level), {}};
  PlaceFactors factors;
  write_factors(tiling, factors);
  draw_rest(random, factors, out);
  return model_.evaluate(out, counts_);
}

Verdict Sampler::draw_factors(SplitMix& random, PlaceFactors& out) const {
  Tiling tiling;
  if (!draw_until_enough(random, tiling)) return Verdict::OverFanoutX;
  if (overflowing_level(tiling)) return Verdict::OverCapacity;
  write_factors(tiling, out);
  return Verdict::Fits;
}

// Where mappings must use many units few draws do: the next ones count as the same.
bool Sampler::draw_until_enough(SplitMix& random, Tiling& tiling) const {
  constexpr int kDraws = 64;
  if (space_.least_units <= 1) return draw_tiling(random, tiling);
  for (int k = 0; k < kDraws; ++k)
    if (draw_tiling(random, tiling) && units(tiling) >= space_.least_units) return true;
  return false;
}

u64 Sampler::units(const Tiling& tiling) const {
  u64 product = 1;
  for (std::size_t d = 0; d < space_.dimension_count; ++d)
    for (const int i : fanouts_) product *= u64{tiling.unrolled[d][i].x} * tiling.unrolled[d][i].y;
  return product;
}

// False: a fan-out has no room for it.
bool Sampler::draw_tiling(SplitMix& random, Tiling& tiling) const {
  std::array<u64, kMaxLevels> x, y;  // each factor is within the fan-out, so that products of two do not overflow
  for (const int i : fanouts_) x[i] = y[i] = 1;
  std::array<std::size_t, kMaxDimensions> unrolling;
  for (std::size_t d = 0; d < space_.dimension_count; ++d) {
    if (const auto& table = table_[d]) {
      unrolling[d] = table->draw_unrolling(random);
      tiling.unrolled[d] = table->factors(unrolling[d]);
    } else {
      walk_split(random, static_cast<int>(d), tiling.own[d]);
      tiling.unrolled[d] = tiling.own[d].unrolled.data();
      tiling.loop[d] = tiling.own[d].loop.data();
    }
    for (const int i : fanouts_) {
      const SpatialSpace& room = space_.levels[i].spatial;
      x[i] *= tiling.unrolled[d][i].x;
      y[i] *= tiling.unrolled[d][i].y;
      if (x[i] > room.fanout_x || y[i] > room.fanout_y) return false;
    }
  }
  for (std::size_t d = 0; d < space_.dimension_count; ++d)
    if (const auto& table = table_[d]) tiling.loop[d] = table->draw_loops(random, unrolling[d]);
  return true;
}

void Sampler::walk_split(SplitMix& random, int d, Split& out) const {
  draw_split(splits_, d, random, [&](int p, PlaceFactor factor) {
    const auto level = at(place_level(p));
    if (is_spatial_place(p)) out.unrolled[level] = factor;
    else out.loop[level] = factor.x;
  });
}

// The innermost level whose tile is too large even if it keeps only what it must.
std::optional<int> Sampler::overflowing_level(const Tiling& tiling) const {
  const Compiled& c = model_.compiled();
  Extents tile = unit_extents();
  for (int i = 0; i < c.level_count; ++i) {
    for (std::size_t d = 0; d < space_.dimension_count; ++d)
      tile[d] *= tiling.unrolled[d][i].x * tiling.unrolled[d][i].y * tiling.loop[d][i];
    const CompiledLevel& level = c.level[i];
    if (level.holds_all()) continue;
    u64 used = 0;
    for (const int v : bits(space_.levels[i].keep)) used += level.taken(v, box_words(c.tensor[v], tile));
    if (used > level.room) return i;
  }
  return std::nullopt;
}

void Sampler::write_factors(const Tiling& tiling, PlaceFactors& out) const {
  for (int i = 0; i < space_.level_count(); ++i) {
    auto& spatial = out[place_of(i, true)];
    auto& temporal = out[place_of(i, false)];
    spatial.fill({});
    temporal.fill({});
    for (std::size_t d = 0; d < space_.dimension_count; ++d) {
      spatial[d] = tiling.unrolled[d][i];
      temporal[d].x = tiling.loop[d][i];
    }
  }
}

void Sampler::draw_rest(SplitMix& random, const PlaceFactors& factors, Mapping& out) const {
  LevelOrders orders;
  for (int i = 0; i < space_.level_count(); ++i) {
    const auto level = at(i);
    auto& loops = orders.loop[level];
    for (std::size_t k = writer_.present(factors, i, orders); k < orders.count[level]; ++k)
      std::swap(loops[k], loops[k + random.below(orders.count[level] - k)]);
    const LevelSpace& space = space_.levels[level];
    out.keep[level] = static_cast<TensorMask>(space.keep | (space.open & random.next()));
  }
  writer_.write(out, factors, orders);
}

SpaceSample sample_space(const Mapspace& space, const CostModel& model, const SampleOptions& options) {
  constexpr u64 kChunk = 512, kChunks = 8;
  SpaceSample sample;
  const Sampler sampler(space, model, false, options.seed);
  if (!sampler.possible()) return sample;
  std::vector<std::optional<Cost>> batch(kChunk * kChunks);  // empty: does not fit
  u64 misses = 0;                                            // in a row
  while (sample.costs.size() < options.mappings) {
    if (options.stop != nullptr && *options.stop) return sample;
    parallel_for(kChunks, options.threads, [&](std::size_t chunk) {
      Mapping mapping;
      for (std::size_t k = chunk * kChunk; k < (chunk + 1) * kChunk; ++k) {
        const Evaluation e = sampler.evaluate(sample.drawn + k, mapping);
        batch[k] = e.verdict == Verdict::Fits ? std::optional(e.cost) : std::nullopt;
      }
    });
    for (const std::optional<Cost>& cost : batch) {
      const u64 number = sample.drawn++;
      misses = cost ? 0 : misses + 1;
      if (misses == kRandomTimeout) return sample;
      if (!cost) continue;
      sample.numbers.push_back(number);
      sample.costs.push_back(*cost);
      if (sample.costs.size() == options.mappings) break;
    }
  }
  sample.complete = true;
  return sample;
}

}  // namespace heliolite
