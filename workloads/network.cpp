#include "workloads/network.h"

#include <limits>

namespace heliolite {

std::string_view name(Operator op) {
  switch (op) {
    case Operator::None: return "none";
    case Operator::Elementwise: return "elementwise";
    case Operator::Softmax: return "softmax";
    case Operator::Norm: return "norm";
    case Operator::Pool: return "pool";
    case Operator::Resize: return "resize";
  }
  return "";
}

std::string_view name(Combine combine) {
  switch (combine) {
    case Combine::Alone: return "alone";
    case Combine::Add: return "add";
    case Combine::Multiply: return "multiply";
    case Combine::Concat: return "concat";
  }
  return "";
}

bool reads_whole(const Edge& edge) {
  const Operator op = edge.through.op;
  return op != Operator::Pool && op != Operator::Resize && edge.combine != Combine::Concat && !edge.slice;
}

u64 Network::macs() const {
  constexpr u64 kTooMany = std::numeric_limits<u64>::max();
  u128 total = 0;
  for (const Layer& layer : layers) total += u128{layer.count} * layer.workload.macs();
  return total > kTooMany ? kTooMany : static_cast<u64>(total);
}

}  // namespace heliolite
