#include "workloads/word_unit.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "engine/base/integers.h"
#include "workloads/word_bits.h"

namespace heliolite {
namespace {

constexpr u64 kByte = 8;  // bits

Diagnostic unstated_size(const Workload& workload, const Tensor& tensor, const Workload& stated) {
  return {"", 0, "word_bits",
          fmt::format("{} of {} states no size of its words, but {} does ({}); state it in the file or with "
                      "--word-bits {}=BITS, or leave all sizes out with --word-bits none",
                      tensor.name, workload.name, stated.name, word_bits_text(stated), tensor.name)};
}

}  // namespace

std::string_view WordUnit::name() const { return counts_words() ? "words" : bits == kByte ? "bytes" : "bits"; }

std::string_view WordUnit::one() const { return name().substr(0, name().size() - 1); }

WordUnit::Sizes WordUnit::sizes(const Workload& workload) const {
  Sizes sizes;
  sizes.fill(1);
  if (counts_words()) return sizes;
  for (std::size_t v = 0; v < workload.tensors.size(); ++v)
    sizes[v] = static_cast<u32>(workload.tensors[v].word_bits.value_or(unstated.value_or(bits)) / bits);
  return sizes;
}

Result<WordUnit> word_unit(std::span<const Workload* const> workloads, std::optional<u64> unstated) {
  const auto states = [](const Workload* w) { return states_word_bits(*w); };
  const auto stated = std::ranges::find_if(workloads, states);
  if (stated == workloads.end()) return WordUnit{};
  WordUnit unit{kByte, unstated};
  for (const Workload* w : workloads)
    for (const Tensor& t : w->tensors) {
      const std::optional<u64> bits = t.word_bits ? t.word_bits : unstated;
      if (!bits) return unstated_size(*w, t, **stated);
      if (*bits % kByte != 0) unit.bits = 1;
    }
  return unit;
}

Result<WordUnit> word_unit(const Workload& workload, std::optional<u64> unstated) {
  const Workload* one = &workload;
  return word_unit(std::span(&one, 1), unstated);
}

Result<WordUnit> word_unit(const Network& network, std::optional<u64> unstated) {
  std::vector<const Workload*> workloads;
  for (const Layer& layer : network.layers) workloads.push_back(&layer.workload);
  return word_unit(workloads, unstated);
}

}  // namespace heliolite
