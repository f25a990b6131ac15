#include "engine/bounds/curve/orojenesis.h"

#include <fmt/format.h>
#include <limits>

#include "engine/base/integers.h"
#include "engine/bounds/curve/orojenesis_choices.h"
#include "engine/bounds/curve/orojenesis_tensor.h"
#include "workloads/word_bits.h"

namespace heliolite {

namespace {

constexpr u64 kMaxSteps = 60'000'000;  // orders and partial tiles looked at
constexpr u64 kBitsOfByte = 8;
constexpr u32 kMaxAllSizes = 100'000;  // the largest dimension of which every size matters

// Every tile under one order: dimension by dimension, cut when the best completion is no new point of the curve.
class CurveSearch {
 public:
  CurveSearch(const Workload& workload, const OrojenesisOptions& options)
      : options_(options), macs_(workload.macs()), executed_(options.words == WordCount::Distinct) {
    size_.fill(1);
    for (std::size_t d = 0; d < workload.dimensions.size(); ++d) {
      size_[d] = static_cast<u32>(workload.dimensions[d].size);
      if (size_[d] > 1) looping_ |= dimension_bit(static_cast<int>(d));
    }
    for (std::size_t v = 0; v < workload.tensors.size(); ++v) {
      shapes_.emplace_back(workload, static_cast<int>(v), executed_);
      words_.push_back(tile_words(v, size_));
      distinct_.push_back(shapes_.back().distinct_words(size_));
      // Another access of a tensor may find all of its words there: it costs nothing. The first one stands for both.
      if (executed_ && workload.tensors[v].access_of) {
        repeated_ |= static_cast<TensorMask>(1u << v);
        first_access_.push_back({v, at(*workload.tensors[v].access_of)});
      }
    }
    output_ = at(workload.output());
    first_ = executed_ ? shapes_[output_].most_distinct_words(size_) : words_[output_];
    resident_ = static_cast<TensorMask>(options.resident & ((1u << shapes_.size()) - 1));
  }

  bool run(bool imperfect) {
    imperfect_ = imperfect;
    for (std::size_t d = 0; d < kMaxDimensions; ++d) {
      const TileSizes which = sizes_of(d);
      if (which == TileSizes::All && size_[d] > kMaxAllSizes) return false;
      candidates_[d] = tile_sizes(size_[d], which);
    }
    const auto all = static_cast<TensorMask>((1u << shapes_.size()) - 1);
    // Subsets in ascending order: few loops and few kept tensors first.
    for (u32 loops = 0; loops <= looping_; ++loops) {
      if ((loops & ~u32{looping_}) != 0) continue;
      for (u32 kept = 0; kept <= all; ++kept) {
        if ((kept & (resident_ | repeated_)) != 0) continue;
        if (!search(static_cast<DimensionMask>(loops), static_cast<TensorMask>(kept))) return false;
      }
    }
    return true;
  }

  Curve take() { return std::move(curve_); }

 private:
  bool search(DimensionMask loops, TensorMask kept) {
    const auto orders = buffer_orders(shapes_, kept, loops,
                                      executed_    ? Overlaps::Executed
                                      : imperfect_ ? Overlaps::Neighbours
                                                   : Overlaps::Model);
    if (!orders) return false;
    kept_ = kept;
    steps_ += orders->size() * orders->size();  // they were compared with each other
    for (const BufferOrder& order : *orders) {
      order_ = &order;
      prepare(loops);
      descend(0);
      if (given_up()) return false;
    }
    return true;
  }

  // Tiles start at the smallest extents and counts that are possible, so that a partial tile bounds its completions.
  void prepare(DimensionMask loops) {
    loops_ = loops;
    open_.clear();
    DimensionMask gaining = 0;
    for (std::size_t v = 0; v < shapes_.size(); ++v) {
      if (!contains(kept_, v)) continue;
      rounds_[v] = static_cast<DimensionMask>(loops & ~shapes_[v].indexing() & ~order_->reuse[v].inside);
      gaining |= rounds_[v];
      for (const DimensionMask rank : shapes_[v].sliding()) gaining |= rank;
    }
    for (std::size_t d = 0; d < kMaxDimensions; ++d) {
      const bool looped = contains(loops, d);
      tile_[d] = looped ? 1 : size_[d];
      count_[d] = looped ? size_[d] : 1;
      // A larger tile of a dimension that gains nobody anything takes room only.
      if (!looped || !contains(gaining, d)) continue;
      open_.push_back(static_cast<u8>(d));
      count_[d] = tiles_of(d, candidates_[d][candidates_[d].size() - 2]);
    }
  }

  // How much neighbouring tiles of a strided rank share depends on more than the number of tiles.
  TileSizes sizes_of(std::size_t d) const {
    if (!imperfect_) return TileSizes::Divisors;
    const auto strided = [&](const TensorShape& shape) { return shape.slides_by_steps(static_cast<int>(d)); };
    return std::ranges::any_of(shapes_, strided) ? TileSizes::All : TileSizes::Least;
  }

  u32 tiles_of(std::size_t d, u64 tile) const { return static_cast<u32>((size_[d] - 1) / tile + 1); }

  bool given_up() const { return steps_ > kMaxSteps || options_.stopped(); }

  void descend(std::size_t k) {
    ++steps_;
    if (given_up() || !curve_.admits(buffer_units(), least_accesses())) return;
    if (k == open_.size()) return leaf();
    const u8 d = open_[k];
    const u32 least_count = count_[d];
    const auto& sizes = candidates_[d];
    for (std::size_t i = 0; i + 1 < sizes.size(); ++i) {  // the last is the whole dimension: no loop
      tile_[d] = static_cast<u32>(sizes[i]);
      count_[d] = tiles_of(d, sizes[i]);
      descend(k + 1);
    }
    tile_[d] = 1;
    count_[d] = least_count;
  }

  u64 buffer_units() const {
    u64 units = 0;
    for (std::size_t v = 0; v < shapes_.size(); ++v) {
      if (contains(kept_, v)) units += tile_words(v, tile_) * options_.word_size[v];
      if (contains(resident_, v)) units += words_[v] * options_.word_size[v];
    }
    return units;
  }

  u64 tile_words(std::size_t v, const Extents& tile) const {
    if (!executed_) return shapes_[v].box_words(tile);
    // Any one of the accesses may be the one that is kept.
    u64 words = shapes_[v].distinct_words(tile);
    for (const auto& [other, first] : first_access_)
      if (first == v) words = std::min(words, shapes_[other].distinct_words(tile));
    return words;
  }

  // Every tile crosses as a whole.
  bool crosses_by_rounds(std::size_t v) const { return executed_ ? shapes_[v].separable() : shapes_[v].plain(); }

  // Exact for tensors that cross by rounds once all tiles are chosen. In executions others may keep most of a tile when
  // a loop that does not index them steps.
  u64 least_accesses() const {
    u64 units = 0;
    for (std::size_t v = 0; v < shapes_.size(); ++v) {
      if (contains(resident_ | repeated_, v)) continue;
      units += accesses(v, !contains(kept_, v)                  ? macs_
                           : executed_ && !crosses_by_rounds(v) ? distinct_[v]
                                                                : distinct_[v] * rounds(v));
    }
    return units;
  }

  u64 rounds(std::size_t v) const {
    u64 rounds = 1;
    for (const int d : bits(rounds_[v])) rounds *= count_[d];
    return rounds;
  }

  // `words` cross inwards if it is an input, outwards if it is the output; of the output all but first sums come back.
  u64 accesses(std::size_t v, u64 words) const {
    if (v == output_ && options_.partial_sums == PartialSums::ReadBack) words += words > first_ ? words - first_ : 0;
    return words * options_.word_size[v];
  }

  void leaf() {
    u64 units = 0;
    std::array<TileLoop, kMaxDimensions> loops;
    for (std::size_t k = 0; k < order_->count; ++k) loops[k] = {order_->loop[k], count_[order_->loop[k]]};
    const std::span<const TileLoop> nest(loops.data(), order_->count);
    for (std::size_t v = 0; v < shapes_.size(); ++v) {
      if (contains(resident_ | repeated_, v)) continue;
      u64 words = macs_;
      if (contains(kept_, v)) words = words_in(v, nest);
      units += accesses(v, words);
    }
    const u64 buffer = buffer_units();
    if (curve_.admits(buffer, units)) curve_.add(buffer, units, {tile_, kept_, order_->count, order_->loop});
  }

  // Words of kept tensor v that cross into the buffer.
  u64 words_in(std::size_t v, std::span<const TileLoop> nest) const {
    const TensorShape& shape = shapes_[v];
    if (executed_ && shape.counts_once()) return distinct_[v];
    if (crosses_by_rounds(v)) return words_[v] * rounds(v);
    if (!executed_) return imperfect_ ? shape.blocked_words(tile_, nest) : shape.model_words(tile_, nest);
    const BufferReuse& reuse = order_->reuse[v];
    const std::span<const u8> run(reuse.run.data(), reuse.run_count);
    auto late = static_cast<DimensionMask>(loops_ & ~reuse.inside);
    for (const u8 d : run) late &= static_cast<DimensionMask>(~dimension_bit(d));
    return shape.executed_words(tile_, run, late);
  }

  const OrojenesisOptions& options_;
  u64 macs_;
  bool executed_;
  std::vector<TensorShape> shapes_;
  std::vector<u64> words_, distinct_;  // by tensor: the whole of it
  std::size_t output_ = 0;
  u64 first_ = 0;  // words of the output: sums that are not there yet when they first come
  TensorMask resident_ = 0, repeated_ = 0;
  struct Access {
    std::size_t access, first;
  };
  std::vector<Access> first_access_;
  Extents size_;
  DimensionMask looping_ = 0;
  std::array<std::vector<u64>, kMaxDimensions> candidates_;
  bool imperfect_ = false;

  TensorMask kept_ = 0;
  DimensionMask loops_ = 0;
  const BufferOrder* order_ = nullptr;
  std::array<DimensionMask, kMaxTensors> rounds_{};  // loops that make a plain tensor cross again
  std::vector<u8> open_;                             // dimensions whose tile is to be chosen
  Extents tile_, count_;
  u64 steps_ = 0;
  Curve curve_;
};

}  // namespace

u64 operand_words(const Workload& workload, const OrojenesisOptions& options) {
  u64 units = 0;
  for (std::size_t v = 0; v < workload.tensors.size(); ++v)
    if (!workload.tensors[v].access_of) units += workload.tensor_words(static_cast<int>(v)) * options.word_size[v];
  return units;
}

u64 algorithmic_minimum(const Workload& workload, const OrojenesisOptions& options) {
  Extents size;
  size.fill(1);
  for (std::size_t d = 0; d < workload.dimensions.size(); ++d) size[d] = static_cast<u32>(workload.dimensions[d].size);
  u64 units = 0;
  for (std::size_t v = 0; v < workload.tensors.size(); ++v)
    if (!workload.tensors[v].access_of)
      units += TensorShape(workload, static_cast<int>(v)).distinct_words(size) * options.word_size[v];
  return units;
}

Diagnostics wrong_sizes(const Workload& workload, const OrojenesisOptions& options) {
  const Result<WordUnit> unit = word_unit(workload, kBitsOfByte);
  // Sizes of one unit each look as if none were given.
  const auto several = [&](const Tensor& t) { return t.word_bits && *t.word_bits != unit->bits; };
  if (options.word_size == OrojenesisOptions{}.word_size && std::ranges::any_of(workload.tensors, several))
    return refuse_word_bits(workload, "a curve in words of one size");
  return beyond_64_bits(workload.name, workload.macs(), most_accesses(workload, options.word_size), *unit);
}

u128 most_accesses(const Workload& workload, const WordUnit::Sizes& sizes) {
  u128 of_mac = 0;
  for (std::size_t v = 0; v < workload.tensors.size(); ++v) of_mac += 2 * u64{sizes[v]};
  return of_mac * workload.macs();
}

Diagnostics beyond_64_bits(const std::string& name, u64 macs, u128 accesses, const WordUnit& unit) {
  if (accesses <= std::numeric_limits<u64>::max()) return {};
  return {{name, 0, "word_bits", fmt::format("{} MACs are too many for accesses in {} in 64 bits", macs, unit.name())}};
}

Diagnostic stopped_curve(const Workload& workload) {
  return {workload.name, 0, "", "stopped before its curve was complete"};
}

Result<Curve> one_buffer_curve(const Workload& workload, const OrojenesisOptions& options) {
  if (Diagnostics errors = wrong_sizes(workload, options); !errors.empty()) return errors;
  CurveSearch search(workload, options);
  // The perfect tiles first: the others then have a curve to be measured against.
  if (search.run(false) && (!options.imperfect || search.run(true))) return search.take();
  if (options.stopped()) return stopped_curve(workload);
  return Diagnostic{workload.name, 0, "",
                    fmt::format("too many tiles or loop orders for an exact curve ({} partial tiles, {} orders are the "
                                "limits)",
                                kMaxSteps, kMaxBufferOrders)};
}

std::vector<Provision> provisions(const Chip& chip, u64 macs, std::span<const CurveStep> curve) {
  std::vector<Provision> all;
  for (const CurveStep& step : curve) {
    const double share = static_cast<double>(step.buffer) * chip.word_um2 / chip.area_um2;
    if (share >= 1) break;
    const double units = (1 - share) * chip.area_um2 / chip.mac_um2;
    const double rate = attainable(units * chip.hertz, chip.words_per_second, intensity(macs, step.accesses));
    all.push_back({step.buffer, share, units, rate});
  }
  return all;
}

std::vector<ProvisionPoint> provision_line(const Chip& chip, u64 macs, std::span<const CurveStep> curve) {
  const double peak = chip.area_um2 / chip.mac_um2 * chip.hertz;  // with no buffer
  std::vector<ProvisionPoint> line;
  for (std::size_t i = 0; i < curve.size(); ++i) {
    const double share = static_cast<double>(curve[i].buffer) * chip.word_um2 / chip.area_um2;
    if (share >= 1) break;
    const double fed = chip.words_per_second * intensity(macs, curve[i].accesses),
                 end = i + 1 == curve.size()
                           ? 1.0
                           : std::min(1.0, static_cast<double>(curve[i + 1].buffer) * chip.word_um2 / chip.area_um2);
    line.push_back({share, std::min(fed, (1 - share) * peak)});
    const double starved_until = 1 - fed / peak;  // from there on the units are the limit
    if (starved_until > share && starved_until < end) line.push_back({starved_until, fed});
    line.push_back({end, std::min(fed, (1 - end) * peak)});
  }
  return line;
}

Provision best_provision(std::span<const Provision> all) {
  Provision best;
  for (const Provision& p : all)
    if (p.macs_per_second > best.macs_per_second) best = p;
  return best;
}

}  // namespace heliolite
