#include "engine/model/keep.h"

#include <algorithm>
#include <numeric>

#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "workloads/word_bits.h"

namespace heliolite {
namespace {

int best(const std::vector<std::string>& selectors, const Tensor& tensor) {
  int most = 0;
  for (const std::string& s : selectors) most = std::max(most, specificity(s, tensor));
  return most;
}

}  // namespace

KeepChoice keep_choice(const KeepRule& rule, const Workload& workload, int tensor) {
  const int keep = best(rule.keep, workload.tensors[tensor]);
  const int bypass = best(rule.bypass, workload.tensors[tensor]);
  if (keep == 0 && bypass == 0) return KeepChoice::Open;
  return keep >= bypass ? KeepChoice::Keep : KeepChoice::Bypass;
}

TensorMask default_keep(const Architecture& architecture, int level, const Workload& workload) {
  TensorMask mask = 0;
  const bool outermost = level + 1 == static_cast<int>(architecture.levels.size());
  for (int v = 0; v < static_cast<int>(workload.tensors.size()); ++v) {
    const KeepChoice choice = keep_choice(architecture.levels[level].keep, workload, v);
    if (outermost || choice != KeepChoice::Bypass) mask = static_cast<TensorMask>(mask | 1u << v);
  }
  return mask;
}

bool holds_nothing(const StorageLevel& level) {
  const auto is_all = [](const std::string& selector) { return lower(selector) == "all"; };
  return level.keep.keep.empty() && std::ranges::any_of(level.keep.bypass, is_all);
}

bool is_outer_part(const StorageLevel& level) {
  return !level.loops_allowed && level.fanout() == 1 && !level.is_interconnect;
}

bool can_be_opened(const Architecture& architecture, int level) {
  if (level + 1 == static_cast<int>(architecture.levels.size())) return false;
  // In a split level only the innermost part has loops, and there is no fan-out between the parts.
  const StorageLevel &here = architecture.levels[level], &outer = architecture.levels[level + 1];
  return here.loops_allowed && !is_outer_part(outer) && !holds_nothing(here);
}

int first_loop(const Mapping& mapping, int level) {
  int k = 0;
  while (k < mapping.loop_count && mapping.loop[k].level < level) ++k;
  return k;
}

std::vector<LevelPart> parts_of(const Mapping& mapping, int level) {
  int first = first_loop(mapping, level);  // the first of the level's temporal loops
  const int last = first_loop(mapping, level + 1);
  while (first < last && mapping.loop[first].is_spatial()) ++first;
  std::vector<LevelPart> out;
  for (int outside = 0; outside <= last - first; ++outside) {
    TensorMask here = 0;
    for (const int v : bits(mapping.keep[level]))
      if (mapping.outside[level][v] == outside) here |= static_cast<TensorMask>(1u << v);
    if (here == 0 && outside > 0) continue;
    if (!out.empty()) out.back().first = last - outside;
    out.push_back({here, first, last - outside});
  }
  return out;
}

static_assert(kMaxTensors == 8, "ValueParts::of begins with one for each");

ValueBits value_bits(const Workload& workload) {
  ValueBits out{};
  for (std::size_t v = 0; v < workload.tensors.size(); ++v)
    out[v] = workload.tensors[v].word_bits.value_or(WordLength());
  return out;
}

ValueParts value_parts(const ValueBits& bits, const StorageLevel& level) {
  const WordLength word = level.word_bits;
  WordLength part = word;
  for (const WordLength stated : bits) part = gcd(part, stated);  // gcd(part, 0) is the part
  const auto parts = [&part](WordLength length) { return static_cast<u32>(length.in_units(part)); };
  ValueParts out;
  out.of_word = parts(word);
  for (std::size_t v = 0; v < bits.size(); ++v) {
    out.of[v] = parts(bits[v] == WordLength(0) ? word : bits[v]);
    out.sized |= out.of[v] != out.of_word;
  }
  return out;
}

}  // namespace heliolite
