#include "engine/bounds/network/network_sizes.h"

#include <algorithm>

#include "engine/base/integers.h"
#include "workloads/graph.h"

namespace heliolite {
namespace {

bool of_one_array(const Edge& a, const Edge& b) { return a.from == b.from && a.from_input == b.from_input; }

class Sizer {
 public:
  Sizer(const Network& network, Unnamed unnamed, const WordUnit& unit) : network_(network) {
    for (const Layer& layer : network.layers) {
      const WordUnit::Sizes sizes = unit.sizes(layer.workload);
      own_.emplace_back(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(layer.workload.tensors.size()));
    }
    const UnnamedOperands operands(network, unnamed);
    for (int l = 0; l < static_cast<int>(network.layers.size()); ++l)
      for (int v = 0; v < static_cast<int>(own_[at(l)].size()); ++v)
        if (operands.may_be_shared(l, v)) unnamed_ = std::min(unnamed_, own_[at(l)][at(v)]);
  }

  NetworkSizes run() const {
    NetworkSizes out{own_, std::vector<u64>(network_.inputs.size(), unnamed_)};
    for (const Edge& e : network_.edges) {
      u64& operand = out.tensor[at(e.to)][at(e.tensor)];
      operand = std::min(operand, of_array(e));
      if (e.from_input) out.input[at(e.from)] = std::min(out.input[at(e.from)], of_array(e));
      // Partial sums may have other terms in them.
      if (e.from_input || (e.combine != Combine::Add && e.combine != Combine::Multiply)) continue;
      u64& made = out.tensor[at(e.from)][at(output_of(e.from))];
      for (const Edge& term : edges_into(network_, e.to, e.tensor)) made = std::min(made, of_array(term));
    }
    return out;
  }

 private:
  int output_of(int layer) const { return network_.layers[at(layer)].workload.output(); }

  // The smallest word in which what the edge brings is stored, read by some layer, or perhaps by an operand that the
  // network does not name.
  u64 of_array(const Edge& edge) const {
    u64 least = edge.from_input ? unnamed_ : std::min(unnamed_, own_[at(edge.from)][at(output_of(edge.from))]);
    for (const Edge& reader : network_.edges)
      if (of_one_array(reader, edge)) least = std::min(least, own_[at(reader.to)][at(reader.tensor)]);
    return least;
  }

  const Network& network_;
  std::vector<std::vector<u64>> own_;  // [layer][tensor]
  u64 unnamed_ = ~u64{0};              // the smallest of operands without an edge that may be another array
};

}  // namespace

NetworkSizes network_sizes(const Network& network, Unnamed unnamed, const WordUnit& unit) {
  return Sizer(network, unnamed, unit).run();
}

}  // namespace heliolite
