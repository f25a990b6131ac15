#include "engine/bounds/network/network_bound.h"

#include <algorithm>
#include <optional>

#include "engine/base/integers.h"
#include "engine/bounds/segment/iolb_segment.h"
#include "workloads/graph.h"

namespace heliolite {

std::optional<Workload> interior_workload(const Workload& workload, int operand, u64 words) {
  const DimensionMask in_output = workload.indexing(workload.output());
  const std::vector<Rank>& ranks = workload.tensors[operand].ranks;
  Workload inside = workload;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    u128 rest = 1;  // words of one position of the rank, at most
    for (std::size_t k = 0; k < ranks.size(); ++k)
      if (k != r && rest < words) rest *= read_width(workload, ranks[k]).most;
    const auto width = static_cast<u64>((words + rest - 1) / rest);
    const u64 extent = rank_size(workload, ranks[r]);
    if (width >= extent) continue;
    const Term* pixel = nullptr;
    u64 window = extent;
    for (const Term& term : ranks[r].terms) {
      const u64 size = workload.dimensions[term.dimension].size;
      if (!contains(in_output, term.dimension) || size == 1) continue;
      if (pixel != nullptr) return std::nullopt;
      pixel = &term;
      window -= term.coefficient * (size - 1);
    }
    // Every `coefficient`th position is one at which a window may begin.
    if (pixel == nullptr || width < window) return std::nullopt;
    const u64 windows = (width - window + 1) / pixel->coefficient;
    if (windows == 0) return std::nullopt;
    u64& size = inside.dimensions[pixel->dimension].size;
    size = std::min(size, windows);
  }
  return inside;
}

namespace {

using Charges = std::vector<TensorCharge>;  // by tensor

// By the segment argument, over the tensors of `counted`.
u64 segments(const Workload& workload, const Charges& charges, const std::vector<bool>& counted, double capacity) {
  std::vector<double> sizes;
  for (const TensorCharge& c : charges) sizes.push_back(static_cast<double>(c.size));
  AccessNest nest = access_nest(workload, sizes);
  u64 unmoved = 0;
  for (std::size_t v = 0; v < charges.size(); ++v)
    if (counted[v])
      unmoved += std::min(charges[v].unmoved, workload.tensor_words(static_cast<int>(v))) * charges[v].size;
  std::size_t next = 0;
  std::erase_if(nest.accesses, [&](const Access&) { return !counted[next++]; });
  const AccessNest apart = lifted(nest);
  const u64 words = segment_bound(apart, rank_rows(apart), capacity).words;
  return words > unmoved ? words - unmoved : 0;
}

// One execution of the layer; those that read shared arrays `again` do not count them.
u64 layer_words(const Workload& workload, const Charges& charges, double capacity, bool again) {
  u64 compulsory = 0;
  std::vector<bool> counted, without_border;
  Workload inside = workload;
  bool whole = true;
  for (std::size_t v = 0; v < charges.size(); ++v) {
    const TensorCharge& c = charges[v];
    const bool counts = c.counted && !(again && c.arrays != 0);
    // Another access of an array that is counted already moves nothing of its own.
    if (counts && !workload.tensors[v].access_of) compulsory += c.compulsory * c.size;
    const auto interior =
        counts && c.made != kNoBorder ? interior_workload(inside, static_cast<int>(v), c.made) : std::optional(inside);
    const bool bordered = !interior || interior->macs() != inside.macs();
    counted.push_back(counts && interior);
    without_border.push_back(counts && !bordered);
    whole = whole && !(counts && bordered);
    if (interior) inside = *interior;
  }
  // A border can be made up where it is needed: either only the MACs that touch none count, or the operand does not.
  const u64 all = segments(workload, charges, without_border, capacity);
  const u64 part = whole ? 0 : segments(inside, charges, counted, capacity);
  return std::max({compulsory, all, part});
}

}  // namespace

NetworkBound network_bound(const Network& network, double capacity, Unnamed unnamed, const WordUnit& unit) {
  const NetworkCharges charges = network_charges(network, unnamed, unit);
  NetworkBound bound;
  for (std::size_t l = 0; l < network.layers.size(); ++l) {
    const Layer& layer = network.layers[l];
    const Charges& charge = charges.layer[l];
    u64 first = layer.count;  // repetitions no two of which read one array
    for (const TensorCharge& c : charge)
      if (c.counted && c.arrays != 0) first = std::min(first, c.arrays);
    u64 words = first * layer_words(layer.workload, charge, capacity, false);
    if (first < layer.count) words += (layer.count - first) * layer_words(layer.workload, charge, capacity, true);
    bound.layer.push_back(words);
    bound.words += words;
  }
  bound.words += charges.inputs;
  return bound;
}

}  // namespace heliolite
