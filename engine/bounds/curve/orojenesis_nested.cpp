// The curve that no mapping on any machine can beat: the least accesses across a boundary by the words of storage
// inside it, on any number of levels, with or without fan-outs, each level keeping what it likes.
#include "engine/bounds/curve/orojenesis.h"

#include <fmt/format.h>

#include "engine/base/integers.h"
#include "engine/bounds/curve/orojenesis_choices.h"
#include "engine/bounds/curve/orojenesis_tensor.h"

namespace heliolite {
namespace {

constexpr std::size_t kMaxNested = 5;  // tensors

// What a tensor gains and loses by a larger tile along a dimension.
enum class Wish : u8 { None, Large, Small, Both };

Wish wish_of(const TensorShape& shape, DimensionMask dimension) {
  if ((shape.indexing() & dimension) == 0) return Wish::Large;
  const auto here = [&](DimensionMask rank) { return (rank & dimension) != 0; };
  return std::ranges::any_of(shape.sliding(), here) ? Wish::Both : Wish::Small;
}

// The tiles of the nested tensors along one dimension, innermost first.
using Steps = std::array<u32, kMaxNested>;

class NestingSearch {
 public:
  NestingSearch(const Workload& workload, const OrojenesisOptions& options)
      : options_(options), macs_(workload.macs()) {
    size_.fill(1);
    for (std::size_t d = 0; d < workload.dimensions.size(); ++d)
      size_[d] = static_cast<u32>(workload.dimensions[d].size);
    for (std::size_t v = 0; v < workload.tensors.size(); ++v) {
      shapes_.emplace_back(workload, static_cast<int>(v));
      distinct_.push_back(shapes_.back().distinct_words(size_));
      if (workload.tensors[v].access_of) repeated_ |= static_cast<TensorMask>(1u << v);
    }
    output_ = at(workload.output());
    solid_output_ = TensorShape(workload, workload.output(), false).plain();
  }

  bool run() {
    std::vector<u8> tensors;
    for (std::size_t v = 0; v < shapes_.size(); ++v)
      if (!shapes_[v].counts_once()) tensors.push_back(static_cast<u8>(v));
    std::ranges::stable_sort(tensors, std::greater{}, [&](u8 v) { return distinct_[v]; });
    if (tensors.size() > kMaxNested) tensors.resize(kMaxNested);
    for (const u8 v : tensors) may_nest_ |= static_cast<TensorMask>(1u << v);
    // Few sizes first: all the others then have a curve to be measured against.
    for (const TileSizes which : {TileSizes::Divisors, TileSizes::Least}) {
      for (std::size_t d = 0; d < kMaxDimensions; ++d) sizes_[d] = tile_sizes(size_[d], which);
      choose(tensors);
      if (!options_.imperfect) break;
    }
    return !given_up();
  }

  NestedCurve take() { return std::move(curve_); }

 private:
  bool given_up() const { return steps_ > options_.max_nestings || options_.stopped(); }

  // Every sequence of some of the tensors.
  void choose(const std::vector<u8>& left) {
    slide(0);
    for (std::size_t k = 0; k < left.size() && !given_up(); ++k) {
      std::vector<u8> rest = left;
      rest.erase(rest.begin() + k);
      nested_.push_back(left[k]);
      choose(rest);
      nested_.pop_back();
    }
  }

  // Every choice of the ranks along which tiles slide, of the k-th nested tensor on.
  void slide(std::size_t k) {
    if (k == nested_.size()) return nest();
    const auto ranks = shapes_[nested_[k]].sliding();
    slides_in_[k] = 0;
    if (ranks.empty()) return slide(k + 1);
    for (const DimensionMask rank : ranks) {
      slides_in_[k] = rank;
      slide(k + 1);
    }
  }

  // All tiles of one sequence. Those of a dimension not chosen yet are 1 in room_ and whole in reach_, so that what is
  // chosen bounds its completions.
  void nest() {
    for (std::size_t k = 0; k < nested_.size(); ++k) {
      room_[k].fill(1);
      reach_[k] = size_;
      count_[k].fill(1);
    }
    open_.clear();
    open_from_.fill(0);
    for (u8 d = 0; d < kMaxDimensions; ++d) {
      if (size_[d] == 1) continue;
      for (std::size_t k = 0; k <= open_.size(); ++k) open_from_[k] |= dimension_bit(d);
      open_.push_back(d);
      steps_of_[d] = steps_of(d);
    }
    not_nested_ = 0;
    for (std::size_t v = 0; v < shapes_.size(); ++v)
      if (!contains(repeated_, v) && std::ranges::find(nested_, v) == nested_.end())
        not_nested_ += accesses_to(v, contains(may_nest_, v) ? macs_ : distinct_[v]);
    Units none{};
    for (std::size_t i = 0; i < nested_.size(); ++i) measure(i, 0, true, true, none);
    descend(0, none);
  }

  // What each nested tensor asks for.
  struct Units {
    std::array<u64, kMaxNested> buffer, accesses;
  };

  // The first k of the dimensions that loop have their tiles; `units`: of these tiles.
  void descend(std::size_t k, const Units& units) {
    ++steps_;
    if (given_up()) return;
    u64 buffer = 0, accesses = not_nested_;
    for (std::size_t i = 0; i < nested_.size(); ++i) {
      buffer += units.buffer[i];
      accesses += units.accesses[i];
    }
    if (!curve_.admits(buffer, accesses)) return;
    if (k == open_.size()) {
      Nesting how;
      for (const u8 v : nested_) {
        how.tile[how.count] = reach_[how.count];
        how.tensor[how.count++] = v;
      }
      return curve_.add(buffer, accesses, how);
    }
    const u8 d = open_[k];
    Units next = units;
    Steps last{};  // sizes that `next` is of; 0: none yet
    for (const Steps& steps : steps_of_[d]) {
      for (std::size_t i = 0; i < nested_.size(); ++i) {
        if (steps[i] == last[i]) continue;
        last[i] = room_[i][d] = reach_[i][d] = steps[i];
        count_[i][d] = (size_[d] - 1) / steps[i] + 1;
        const TensorShape& shape = shapes_[nested_[i]];
        const bool moves = contains(shape.indexing(), d);
        measure(i, k + 1, moves, !moves || !shape.separable(), next);
      }
      descend(k + 1, next);
    }
    for (std::size_t i = 0; i < nested_.size(); ++i) {
      room_[i][d] = 1;
      reach_[i][d] = size_[d];
      count_[i][d] = 1;
    }
  }

  // Writes what the i-th nested tensor asks for when the first `chosen` of the dimensions that loop have their tiles. A
  // dimension that does not index a tensor changes nothing of its buffer, one that does nothing of the accesses to a
  // tensor that does not slide.
  void measure(std::size_t i, std::size_t chosen, bool buffer, bool accesses, Units& out) const {
    const u8 v = nested_[i];
    const TensorShape& shape = shapes_[v];
    if (buffer) out.buffer[i] = shape.distinct_words(room_[i]) * options_.word_size[v];
    if (!accesses) return;
    const Extents* const tile = options_.imperfect ? nullptr : &reach_[i];
    const u64 words = shape.nested_words(count_[i], tile, slides_in_[i], open_from_[chosen]);
    out.accesses[i] = accesses_to(v, std::max(words, distinct_[v]));
  }

  // Tiles must not shrink outwards. A tensor that only gains takes the size of the next tensor that minds; one that
  // only minds takes that of the last one before it. So sizes are free once for each run "gain.., both, mind..".
  std::vector<Steps> steps_of(u8 d) const {
    std::array<std::size_t, kMaxNested> group{};  // 0: size 1
    std::size_t groups = 0;
    Wish before = Wish::Small;
    for (std::size_t i = 0; i < nested_.size(); ++i) {
      const Wish wish = wish_of(shapes_[nested_[i]], dimension_bit(d));
      const bool starts = wish == Wish::Large ? before != Wish::Large : wish == Wish::Both && before != Wish::Large;
      if (starts) ++groups;
      group[i] = groups;
      before = wish;
    }
    // A last run that nobody minds takes the whole dimension.
    const bool last_is_whole = groups > 0 && before == Wish::Large;
    std::vector<Steps> all;
    std::array<u32, kMaxNested + 1> value{1};
    const auto fill = [&](auto& self, std::size_t g, std::size_t least) -> void {
      if (g > groups) {
        Steps& steps = all.emplace_back();
        for (std::size_t i = 0; i < nested_.size(); ++i) steps[i] = value[group[i]];
        return;
      }
      const std::size_t from = g == groups && last_is_whole ? sizes_[d].size() - 1 : least;
      for (std::size_t s = from; s < sizes_[d].size(); ++s) {
        value[g] = static_cast<u32>(sizes_[d][s]);
        self(self, g + 1, s);
      }
    };
    fill(fill, 1, 0);
    return all;
  }

  // What leaves comes back but for the first time; where halos or holes make it unclear what is the first, for nothing.
  u64 accesses_to(std::size_t v, u64 words) const {
    if (v == output_ && options_.partial_sums == PartialSums::ReadBack && solid_output_) words += words - distinct_[v];
    return words * options_.word_size[v];
  }

  const OrojenesisOptions& options_;
  u64 macs_;
  std::vector<TensorShape> shapes_;
  std::vector<u64> distinct_;  // by tensor: words that are used at all
  std::size_t output_ = 0;
  bool solid_output_ = false;  // no halos or holes: the cost model leaves out the first read of each of its words
  TensorMask may_nest_ = 0, repeated_ = 0;  // repeated: other accesses, whose words are counted already
  Extents size_;
  std::array<std::vector<u64>, kMaxDimensions> sizes_;

  std::vector<u8> nested_;  // innermost first
  std::array<DimensionMask, kMaxNested> slides_in_{};
  std::vector<u8> open_;                                       // dimensions that loop
  std::array<DimensionMask, kMaxDimensions + 1> open_from_{};  // [k]: all of these but the first k
  u64 not_nested_ = 0;                                         // accesses to the tensors that are not nested
  std::array<std::vector<Steps>, kMaxDimensions> steps_of_;
  std::array<Extents, kMaxNested> room_, reach_, count_;
  u64 steps_ = 0;
  NestedCurve curve_;
};

}  // namespace

Result<NestedCurve> nested_curve(const Workload& workload, const OrojenesisOptions& options) {
  if (Diagnostics errors = wrong_sizes(workload, options); !errors.empty()) return errors;
  NestingSearch search(workload, options);
  if (search.run()) return search.take();
  if (options.stopped()) return stopped_curve(workload);
  return Diagnostic{workload.name, 0, "",
                    fmt::format("too many nested tiles for an exact curve ({} are the limit)", options.max_nestings)};
}

}  // namespace heliolite
