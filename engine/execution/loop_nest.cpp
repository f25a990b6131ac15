#include "engine/execution/loop_nest.h"

#include <algorithm>
#include <utility>

#include "engine/base/integers.h"
#include "engine/base/mapped.h"

namespace heliolite {
namespace {

MemoryArray array_of(const Workload& workload, const Tensor& tensor) {
  MemoryArray array{tensor.name, {}, 1, 0, tensor.is_output()};
  for (const Rank& rank : tensor.ranks) {
    u64 extent = 1;
    for (const Term& term : rank.terms) extent += term.coefficient * (workload.dimensions[term.dimension].size - 1);
    array.extents.push_back(extent);
    array.words *= extent;
  }
  return array;
}

// [variable]: how far apart in the array two neighbouring values are.
std::vector<u64> strides(const LoopNest& nest, const Tensor& tensor, const MemoryArray& array) {
  std::vector<u64> of_dimension(nest.workload.dimensions.size(), 0);
  u64 distance = 1;
  for (std::size_t r = tensor.ranks.size(); r-- > 0;) {
    for (const Term& term : tensor.ranks[r].terms) of_dimension[term.dimension] += distance * term.coefficient;
    distance *= array.extents[r];
  }
  return mapped(nest.variables, [&](const LoopVariable& v) { return of_dimension[v.dimension] * v.factor; });
}

}  // namespace

LoopNest make_nest(const Workload& workload, std::vector<LoopVariable> variables) {
  LoopNest nest{workload, std::move(variables), {}, {}, {}, false, 0, {}};
  std::vector<int> array_of_tensor(workload.tensors.size(), -1);
  const auto add = [&](std::size_t v) {
    const Tensor& tensor = workload.tensors[v];
    int& array = array_of_tensor[v];
    if (tensor.access_of) array = array_of_tensor[*tensor.access_of];
    MemoryArray own = array_of(workload, tensor);
    if (array < 0) {
      array = static_cast<int>(nest.arrays.size());
      nest.arrays.push_back(own);
    } else {
      // Accesses of one tensor may reach different distances: the array is as large as the largest.
      MemoryArray& shared = nest.arrays[array];
      for (std::size_t r = 0; r < own.extents.size(); ++r)
        shared.extents[r] = std::max(shared.extents[r], own.extents[r]);
      shared.words = 1;
      for (const u64 extent : shared.extents) shared.words *= extent;
    }
  };
  for (std::size_t v = 0; v < workload.tensors.size(); ++v) add(v);
  for (MemoryArray& array : nest.arrays) array.first = std::exchange(nest.words, nest.words + array.words);
  for (const bool outputs : {false, true}) {
    for (std::size_t v = 0; v < workload.tensors.size(); ++v) {
      const Tensor& tensor = workload.tensors[v];
      if (tensor.is_output() != outputs) continue;
      const int array = array_of_tensor[v];
      nest.accesses.push_back(
          {array, static_cast<int>(v), strides(nest, tensor, nest.arrays[array]), tensor.is_output()});
    }
  }
  return nest;
}

LoopNest make_nest(const Workload& workload) {
  std::vector<LoopVariable> variables;
  for (std::size_t d = 0; d < workload.dimensions.size(); ++d)
    variables.push_back({workload.dimensions[d].name, static_cast<int>(d), 1});
  return make_nest(workload, std::move(variables));
}

std::vector<u8> point_order(const LoopNest& nest) {
  std::vector<u8> order;
  std::vector<u8> of_output;
  const Workload& workload = nest.workload;
  const Tensor& output = workload.tensors[workload.output()];
  const auto place = [&](std::vector<u8>& list, int dimension) {
    for (std::size_t v = 0; v < nest.variables.size(); ++v)
      if (nest.variables[v].dimension == dimension) list.push_back(static_cast<u8>(v));
  };
  DimensionMask indexing = 0;
  for (const Rank& rank : output.ranks)
    for (const Term& term : rank.terms) {
      if (contains(indexing, term.dimension)) continue;
      indexing |= dimension_bit(term.dimension);
      place(of_output, term.dimension);
    }
  for (std::size_t d = 0; d < workload.dimensions.size(); ++d)
    if (!contains(indexing, d)) place(order, static_cast<int>(d));
  order.insert(order.end(), of_output.begin(), of_output.end());
  return order;
}

void add_point_loops(LoopNestPart& part, const std::vector<u8>& order, const std::vector<u32>& extent) {
  for (const u8 v : order)
    if (extent[v] > 1) part.loops.push_back({v, 1, 0, false, 0});
}

}  // namespace heliolite
