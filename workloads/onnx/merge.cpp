#include "workloads/onnx/merge.h"

#include <map>
#include <utility>

#include "engine/base/integers.h"
#include "workloads/workload_writer.h"

namespace heliolite::onnx {

std::vector<int> shape_tokens(const Network& network) {
  std::map<std::string, int> seen;
  std::vector<int> tokens;
  for (const Layer& layer : network.layers) {
    Workload nameless = layer.workload;
    nameless.name.clear();
    tokens.push_back(seen.emplace(write_workload(nameless), static_cast<int>(seen.size())).first->second);
  }
  return tokens;
}

Network merge_shapes(Network network) {
  const std::vector<int> tokens = shape_tokens(network);
  Network out{network.name, {}};
  std::map<int, std::size_t> place;  // [token]: layer of `out`
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const auto [at_token, added] = place.emplace(tokens[i], out.layers.size());
    if (added) {
      out.layers.push_back(std::move(network.layers[i]));
    } else {
      out.layers[at_token->second].count += network.layers[i].count;
    }
  }
  return out;
}

}  // namespace heliolite::onnx
