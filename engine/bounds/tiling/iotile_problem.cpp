#include "engine/bounds/tiling/iotile_problem.h"

#include <algorithm>
#include <utility>

#include "engine/bounds/segment/iolb_segment.h"
#include "engine/space/footprint.h"

namespace heliolite {

TilingProblem tiling_problem(const Workload& workload, TrafficRule rule, std::span<const double> word_sizes) {
  const AccessNest nest = access_nest(workload);
  TilingProblem problem;
  problem.dimensions = static_cast<int>(workload.dimensions.size());
  problem.rule = rule;
  problem.size = unit_extents();
  for (std::size_t d = 0; d < workload.dimensions.size(); ++d) {
    problem.size[d] = static_cast<u32>(workload.dimensions[d].size);
    problem.names.push_back(workload.dimensions[d].name);
  }
  for (std::size_t v = 0; v < workload.tensors.size(); ++v) {
    TiledTensor tensor;
    tensor.is_output = workload.tensors[v].is_output();
    tensor.word_size = v < word_sizes.size() ? word_sizes[v] : 1;
    for (const Rank& rank : workload.tensors[v].ranks) {
      TiledTensor::TiledRank out;
      DimensionMask here = 0;
      for (const Term& term : rank.terms) {
        if (problem.size[term.dimension] == 1) continue;
        out.dimension[out.count] = static_cast<u8>(term.dimension);
        out.coefficient[out.count++] = static_cast<double>(term.coefficient);
        const DimensionMask bit = dimension_bit(term.dimension);
        tensor.entangled = tensor.entangled || ((tensor.indexing | here) & bit) != 0;
        here |= bit;
      }
      tensor.indexing |= here;
      if (out.count > 1) tensor.sliding |= here;
      if (out.count > 0) tensor.ranks.push_back(out);
    }
    tensor.words = static_cast<double>(touched_words(nest, nest.accesses[v])) * tensor.word_size;
    problem.tensors.push_back(std::move(tensor));
  }
  return problem;
}

namespace {

// A problem whose dimensions are taken apart: dimension d becomes its quotients, in its place, and at the end its
// remainders.
class LiftedProblem {
 public:
  // `factors[d]`: of d = factor * quotient + remainder.
  LiftedProblem(TilingProblem problem, const std::vector<u32>& factors)
      : problem_(std::move(problem)), remainders_(factors.size()) {
    problem_.apart.resize(factors.size());
    for (std::size_t d = 0; d < factors.size(); ++d) {
      u32& size = problem_.size[d];
      remainders_[d].values = size;
      if (factors[d] == 1) continue;
      const u32 count = std::min(factors[d], size);
      remainders_[d].dimension = problem_.dimensions;
      problem_.apart[d] = {factors[d], problem_.dimensions};
      remainders_[d].count = count;
      problem_.size[problem_.dimensions++] = count;
      problem_.names.push_back(problem_.names[d] + "''");
      problem_.names[d] += "'";
      size = ceil_div(size, factors[d]);
    }
    for (TiledTensor& tensor : problem_.tensors) lift(tensor);
  }

  TilingProblem result() && { return std::move(problem_); }

 private:
  void lift(TiledTensor& tensor) const {
    for (TiledTensor::TiledRank& rank : tensor.ranks) {
      DimensionMask quotients = 0;
      for (std::size_t i = 0; i < rank.count; ++i) {
        const int d = rank.dimension[i];
        quotients |= dimension_bit(d);
        rank.lifted = rank.lifted || remainders_[d].dimension >= 0;
      }
      if (!rank.lifted) continue;
      for (std::size_t i = 0; i < rank.count; ++i) {
        const int d = rank.dimension[i];
        rank.coefficient[i] = 1;
        rank.remainders[i] = remainders_[d];
        if (remainders_[d].dimension >= 0) tensor.indexing |= dimension_bit(remainders_[d].dimension);
        // Taps without a second one of their remainder share no pixels.
        if (problem_.size[d] == 1) tensor.sliding &= static_cast<DimensionMask>(~quotients);
      }
    }
  }

  TilingProblem problem_;
  std::vector<TiledTensor::Remainders> remainders_;  // [dimension of the workload]
};

// What a box of the extents covers of a lifted rank, at most: over all choices of remainders, the sums of quotients.
double lifted_box(const TiledTensor::TiledRank& rank, const Extents& tile) {
  std::array<double, 2> choices{1, 1}, values{1, 1};
  for (std::size_t i = 0; i < rank.count; ++i) {
    const TiledTensor::Remainders& remainders = rank.remainders[i];
    if (remainders.dimension >= 0) choices[i] = tile[remainders.dimension];
    values[i] = std::min(choices[i] * tile[rank.dimension[i]], remainders.values);
  }
  return values[0] * choices[1] + values[1] * choices[0] - choices[0] * choices[1];
}

}  // namespace

std::optional<TilingProblem> lifted_tiling_problem(const Workload& workload, TrafficRule rule,
                                                   std::span<const double> word_sizes) {
  TilingProblem problem = tiling_problem(workload, rule, word_sizes);
  for (const TiledTensor& tensor : problem.tensors)
    if (tensor.entangled) return std::nullopt;
  // The nest has no loops of size 1.
  const std::vector<i64> of_loops = lifting_factors(access_nest(workload));
  std::vector<u32> factors(at(problem.dimensions), 1);
  std::size_t loop = 0, split = 0;
  for (std::size_t d = 0; d < factors.size(); ++d) {
    if (problem.size[d] == 1) continue;
    factors[d] = static_cast<u32>(of_loops[loop++]);
    split += factors[d] > 1 ? 1 : 0;
  }
  if (split == 0 || factors.size() + split > kMaxDimensions) return std::nullopt;
  return LiftedProblem(std::move(problem), factors).result();
}

double box_words(const TiledTensor& tensor, const Extents& tile) {
  double words = tensor.word_size;
  for (const TiledTensor::TiledRank& rank : tensor.ranks) {
    if (rank.lifted) {
      words *= lifted_box(rank, tile);
      continue;
    }
    double interval = 1, pairs = 1;
    for (int i = 0; i < rank.count; ++i) {
      const double extent = tile[rank.dimension[i]];
      interval += rank.coefficient[i] * (extent - 1);
      pairs *= extent;
    }
    words *= std::min(interval, pairs);
  }
  return words;
}

double box_words(const TilingProblem& problem, const Extents& tile) {
  double words = 0;
  for (const TiledTensor& tensor : problem.tensors) words += box_words(tensor, tile);
  return words;
}

namespace {

// Any order gives a valid tiling: this only keeps odd workloads from taking long.
constexpr std::size_t kMostOrders = 40;

class OrderBuilder {
 public:
  OrderBuilder(const TilingProblem& problem) : problem_(problem) {}

  std::vector<TileOrder> build(DimensionMask loops) {
    extend(loops, static_cast<TensorMask>((1U << problem_.tensors.size()) - 1));
    return std::move(found_);
  }

 private:
  // What placing a loop next does for the tensors that are still in place.
  struct Effect {
    TensorMask kept = 0;    // not moved
    TensorMask slides = 0;  // moved, with overlap
    TensorMask held = 0;    // moved, but over a window that can be held whole

    TensorMask all() const { return kept | slides | held; }
  };

  Effect effect(int d, TensorMask alive) const {
    Effect e;
    for (std::size_t v = 0; v < problem_.tensors.size(); ++v) {
      const TiledTensor& tensor = problem_.tensors[v];
      const auto bit = static_cast<TensorMask>(1U << v);
      if ((alive & bit) == 0) continue;
      if (!contains(tensor.indexing, d)) e.kept |= bit;
      if (!contains(tensor.sliding, d) || tensor.entangled) continue;
      e.slides |= bit;
      if (problem_.size[d] <= kMostTaps) e.held |= bit;
    }
    return e;
  }

  // Placing b first costs a nothing: what a would do it still does afterwards.
  static bool loses_nothing(const Effect& a, const Effect& b) { return (a.all() & ~b.kept) == 0; }

  void extend(DimensionMask loops, TensorMask alive) {
    std::vector<std::pair<int, Effect>> useful;
    for (int d = 0; d < problem_.dimensions; ++d) {
      if (!contains(loops, d)) continue;
      const Effect e = effect(d, alive);
      if (e.all() != 0) useful.emplace_back(d, e);
    }
    if (useful.empty()) return keep();
    for (const auto& [d, e] : useful) {
      const auto better = [&, d = d, e = e](const auto& other) {
        return other.first != d && loses_nothing(e, other.second) &&
               (other.first < d || !loses_nothing(other.second, e));
      };
      if (std::any_of(useful.begin(), useful.end(), better) || found_.size() >= kMostOrders) continue;
      const auto rest = static_cast<DimensionMask>(loops & ~dimension_bit(d));
      place(d, rest, {e.kept, e.slides, 0});
      if (e.held != 0) place(d, rest, e);
    }
  }

  void place(int d, DimensionMask rest, const Effect& e) {
    const TileOrder saved = order_;
    order_.inner.push_back(static_cast<u8>(d));
    for (std::size_t v = 0; v < problem_.tensors.size(); ++v) {
      if (contains(e.kept, v)) order_.reuse[v].kept |= dimension_bit(d);
      if (contains(e.held, v)) order_.reuse[v].held |= dimension_bit(d);
      else if (contains(e.slides, v)) order_.reuse[v].slides = d;
    }
    extend(rest, e.kept | e.held);
    order_ = saved;
  }

  // Without holding more.
  bool keeps_as_much(const TileOrder& a, const TileOrder& b) const {
    for (std::size_t v = 0; v < problem_.tensors.size(); ++v) {
      const TileReuse &x = a.reuse[v], &y = b.reuse[v];
      if ((y.kept & ~x.kept) != 0 || (y.slides >= 0 && y.slides != x.slides) || x.held != y.held) return false;
    }
    return true;
  }

  void keep() {
    for (const TileOrder& known : found_)
      if (keeps_as_much(known, order_)) return;
    std::erase_if(found_, [&](const TileOrder& known) { return keeps_as_much(order_, known); });
    found_.push_back(order_);
  }

  const TilingProblem& problem_;
  TileOrder order_;
  std::vector<TileOrder> found_;
};

}  // namespace

std::vector<TileOrder> tile_orders(const TilingProblem& problem, DimensionMask loops) {
  return OrderBuilder(problem).build(loops);
}

}  // namespace heliolite
