#include "engine/model/keep.h"

#include <fmt/format.h>

#include <algorithm>

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

namespace {

StorageLevel part_of(const StorageLevel& level, const std::vector<TensorMask>& parts, std::size_t k,
                     const Workload& workload) {
  StorageLevel out = level;
  out.keep = {{}, {"all"}};
  std::string names;
  for (const int v : bits(parts[k])) {
    out.keep.keep.push_back(workload.tensors[v].name);
    names += (names.empty() ? "" : " ") + workload.tensors[v].name;
  }
  out.name = fmt::format("{} [{}]", level.name, names);
  if (k == 0) return out;
  out.fanout_x = out.fanout_y = 1;
  out.fanout_name.clear();
  out.network = {};
  out.constraints.spatial = {};
  out.leak_pj_per_cycle = 0;
  return out;
}

}  // namespace

StoreStack stack_stores(const Architecture& machine, const StackedParts& parts, const Workload& workload) {
  StoreStack out{machine, machine, {}};
  out.stacked.levels.clear();
  for (std::size_t i = 0; i < machine.levels.size(); ++i)
    for (std::size_t k = 0; k < parts[i].size(); ++k) {
      const bool split = parts[i].size() > 1;
      out.stacked.levels.push_back(split ? part_of(machine.levels[i], parts[i], k, workload) : machine.levels[i]);
      out.level_of.push_back(static_cast<u8>(i));
    }
  return out;
}

Mapping stacked(const Mapping& mapping, const StoreStack& stack) {
  Mapping out;
  out.level_count = static_cast<u8>(stack.level_of.size());
  int store = 0;
  for (int i = 0; i < mapping.level_count; ++i) {
    std::vector<LevelPart> parts = parts_of(mapping, i);
    for (int k = first_loop(mapping, i);
         k < mapping.loop_count && mapping.loop[k].is_spatial() && mapping.loop[k].level == i; ++k)
      out.add(mapping.loop[k].kind, store, mapping.loop[k].dimension, mapping.loop[k].end);
    for (; !parts.empty(); parts.pop_back(), ++store) {
      out.keep[store] = parts.back().keep;
      for (int k = parts.back().first; k < parts.back().last; ++k)
        out.add(LoopKind::Temporal, store, mapping.loop[k].dimension, mapping.loop[k].end);
    }
  }
  return out;
}

Mapping unstacked(const Mapping& mapping, const StoreStack& stack) {
  Mapping out;
  out.level_count = static_cast<u8>(stack.machine.levels.size());
  for (const Loop& loop : mapping.loops()) out.add(loop.kind, stack.level_of[loop.level], loop.dimension, loop.end);
  // From the outside: the loops of the level's parts outside this one.
  u8 outside = 0;
  for (std::size_t s = mapping.level_count; s-- > 0;) {
    const std::size_t i = stack.level_of[s];
    const bool outermost_part = s + 1 == mapping.level_count || stack.level_of[s + 1] != i;
    if (outermost_part) outside = 0;
    out.keep[i] |= mapping.keep[s];
    for (const int v : bits(mapping.keep[s])) out.outside[i][v] = outside;
    for (const Loop& loop : mapping.loops())
      outside = static_cast<u8>(outside + (loop.level == s && !loop.is_spatial()));
  }
  return out;
}

}  // namespace heliolite
