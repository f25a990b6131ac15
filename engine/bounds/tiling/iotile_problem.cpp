#include "engine/bounds/tiling/iotile_problem.h"

#include <algorithm>

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
  for (std::size_t d = 0; d < workload.dimensions.size(); ++d)
    problem.size[d] = static_cast<u32>(workload.dimensions[d].size);
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

double box_words(const TiledTensor& tensor, const Extents& tile) {
  double words = tensor.word_size;
  for (const TiledTensor::TiledRank& rank : tensor.ranks) {
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
