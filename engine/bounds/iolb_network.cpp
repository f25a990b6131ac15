#include "engine/bounds/iolb_network.h"

#include <algorithm>

#include "engine/base/integers.h"
#include "engine/bounds/iolb_segment.h"
#include "engine/bounds/iolb_touched.h"

namespace heliolite {
namespace {

// How the words of a layer's tensor are charged.
enum class Charge : u8 {
  Full,          // as if the layer were alone
  Intermediate,  // each element may appear or vanish once without being moved
  Elsewhere,     // its loads count for another layer
};

using Charges = std::vector<std::vector<Charge>>;  // by layer and tensor

Charges charges(const Network& network, const std::vector<std::vector<TensorPlace>>& shared) {
  Charges charge;
  for (const Layer& layer : network.layers) charge.emplace_back(layer.workload.tensors.size(), Charge::Full);
  const auto of = [&](int layer, int tensor) -> Charge& { return charge[at(layer)][at(tensor)]; };
  for (const Edge& edge : network.edges) {
    // Loads of the intermediate go to the first of its consumers.
    Charge& producer = of(edge.from, network.layers[at(edge.from)].workload.output());
    of(edge.to, edge.tensor) = producer == Charge::Full ? Charge::Intermediate : Charge::Elsewhere;
    producer = Charge::Intermediate;
  }
  for (const std::vector<TensorPlace>& array : shared)
    for (const TensorPlace& place : array)
      if (!(place == array.front())) of(place.layer, place.tensor) = Charge::Elsewhere;
  return charge;
}

// One execution of the layer.
u64 layer_words(const Workload& workload, const std::vector<Charge>& charge, double capacity) {
  AccessNest nest = access_nest(workload);
  u64 compulsory = 0, unmoved = 0;
  for (std::size_t v = 0; v < charge.size(); ++v) {
    const u64 words = touched_words(nest, nest.accesses[v]);
    if (charge[v] == Charge::Full) compulsory += words;
    if (charge[v] == Charge::Intermediate) unmoved += words;
  }
  std::size_t next = 0;
  std::erase_if(nest.accesses, [&](const Access&) { return charge[next++] == Charge::Elsewhere; });
  const AccessNest apart = lifted(nest);
  const u64 words = segment_bound(apart, rank_rows(apart), capacity).words;
  return std::max(compulsory, words > unmoved ? words - unmoved : 0);
}

}  // namespace

NetworkBound network_bound(const Network& network, double capacity,
                           const std::vector<std::vector<TensorPlace>>& shared) {
  const Charges charge = charges(network, shared);
  NetworkBound bound;
  for (std::size_t l = 0; l < network.layers.size(); ++l) {
    const Layer& layer = network.layers[l];
    bound.layer.push_back(layer.count * layer_words(layer.workload, charge[l], capacity));
    bound.words += bound.layer.back();
  }
  return bound;
}

}  // namespace heliolite
