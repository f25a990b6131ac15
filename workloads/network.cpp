#include "workloads/network.h"

#include <limits>

namespace heliolite {

std::string_view name(Operator op) {
  switch (op) {
    case Operator::None: return "none";
    case Operator::Elementwise: return "elementwise";
    case Operator::Softmax: return "softmax";
  }
  return "";
}

u64 Network::macs() const {
  constexpr u64 kTooMany = std::numeric_limits<u64>::max();
  u128 total = 0;
  for (const Layer& layer : layers) total += u128{layer.count} * layer.workload.macs();
  return total > kTooMany ? kTooMany : static_cast<u64>(total);
}

}  // namespace heliolite
