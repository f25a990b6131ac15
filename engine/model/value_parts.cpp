#include "engine/model/value_parts.h"

#include <numeric>

#include "engine/base/integers.h"

namespace heliolite {

static_assert(kMaxTensors == 8, "ValueParts::of begins with one for each");

ValueBits value_bits(const Workload& workload) {
  ValueBits out{};
  for (std::size_t v = 0; v < workload.tensors.size(); ++v)
    out[v] = static_cast<u32>(workload.tensors[v].word_bits.value_or(0));
  return out;
}

ValueParts value_parts(const ValueBits& bits, const StorageLevel& level) {
  const auto word = static_cast<u32>(level.word_bits);
  u32 part = word;                                              // bits
  for (const u32 stated : bits) part = std::gcd(part, stated);  // of 0 it is the other
  ValueParts out;
  out.of_word = word / part;
  for (std::size_t v = 0; v < bits.size(); ++v) {
    out.of[v] = (bits[v] == 0 ? word : bits[v]) / part;
    out.sized |= out.of[v] != out.of_word;
  }
  return out;
}

}  // namespace heliolite
