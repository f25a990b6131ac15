#include "engine/bounds/tiling/iotile_problem.h"

#include <algorithm>
#include <utility>

#include "engine/base/integers.h"
#include "engine/bounds/segment/iolb_touched.h"
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
        if (problem.size[at(term.dimension)] == 1) continue;
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
      problem_.size[at(problem_.dimensions++)] = count;
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
        rank.lifted = rank.lifted || remainders_[at(d)].dimension >= 0;
      }
      if (!rank.lifted) continue;
      for (std::size_t i = 0; i < rank.count; ++i) {
        const int d = rank.dimension[i];
        rank.coefficient[i] = 1;
        rank.remainders[i] = remainders_[at(d)];
        if (remainders_[at(d)].dimension >= 0) tensor.indexing |= dimension_bit(remainders_[at(d)].dimension);
        // Taps without a second one of their remainder share no pixels.
        if (problem_.size[at(d)] == 1) tensor.sliding &= static_cast<DimensionMask>(~quotients);
      }
    }
  }

  TilingProblem problem_;
  std::vector<TiledTensor::Remainders> remainders_;  // [dimension of the workload]
};

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

namespace {

// What a box of the extents covers of a lifted rank, at most: over all choices of remainders, the sums of quotients.
double lifted_box(const TiledTensor::TiledRank& rank, const Extents& tile) {
  std::array<double, 2> choices{1, 1}, values{1, 1};
  for (std::size_t i = 0; i < rank.count; ++i) {
    const TiledTensor::Remainders& remainders = rank.remainders[i];
    if (remainders.dimension >= 0) choices[i] = tile[at(remainders.dimension)];
    values[i] = std::min(choices[i] * tile[rank.dimension[i]], remainders.values);
  }
  return values[0] * choices[1] + values[1] * choices[0] - choices[0] * choices[1];
}

}  // namespace

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

}  // namespace heliolite
