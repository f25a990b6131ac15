#include "engine/proof/stacks.h"

#include <fmt/format.h>

#include <bit>
#include <vector>

#include "engine/base/integers.h"
#include "engine/model/keep.h"

namespace heliolite::proof {
namespace {

int levels_for(const InstanceLevel& level) {
  return level.uneven ? std::popcount(static_cast<TensorMask>(level.keep | level.open)) : 1;
}

}  // namespace

Instance with_stacks(const Instance& instance) {
  Instance out = instance;
  out.levels.clear();
  for (InstanceLevel level : instance.levels) {
    const std::string name = level.name;
    for (int k = 1; k <= levels_for(level); ++k) {
      if (level.uneven) level.name = fmt::format("{}.{}", name, k);
      level.shares = k > 1;
      out.levels.push_back(level);
      // The fan-out and what leaks are the innermost one's.
      level.leak = 0;
      level.fanout_x = level.fanout_y = 1;
      level.unroll.assign(level.unroll.size(), FactorLimit{});
      for (InstancePrices& p : level.of) p.ingress = p.hop = 0;
    }
  }
  return out;
}

std::optional<Mapping> on_stacks(const Mapping& mapping, const Instance& instance) {
  Mapping out;
  int begin = 0;  // of the level's stack
  for (int i = 0; i < instance.level_count(); ++i) {
    const InstanceLevel& level = instance.levels[i];
    const int end = begin + levels_for(level);
    std::vector<LevelPart> parts = parts_of(mapping, i);
    if (!level.uneven && parts.size() > 1) return std::nullopt;
    for (int k = first_loop(mapping, i); k < first_loop(mapping, i + 1); ++k)
      if (mapping.loop[k].is_spatial())
        out.add(mapping.loop[k].kind, begin, mapping.loop[k].dimension, mapping.loop[k].end);
    // From the inside: tensors whose tiles end at the same place stand next to each other, with the part's loops
    // inside.
    for (int place = begin; !parts.empty(); parts.pop_back()) {
      const LevelPart& part = parts.back();
      if (place == end || (part.keep == 0 && place > begin && part.first < part.last)) return std::nullopt;
      for (int k = part.first; k < part.last; ++k)
        out.add(LoopKind::Temporal, place, mapping.loop[k].dimension, mapping.loop[k].end);
      if (!level.uneven) out.keep[place++] = part.keep;
      else
        for (const int v : bits(part.keep)) out.keep[place++] = static_cast<TensorMask>(1U << v);
    }
    begin = end;
  }
  out.level_count = static_cast<u8>(begin);
  return out;
}

Mapping off_stacks(const Mapping& mapping, const Instance& instance) {
  StoreStack stack;
  stack.machine.levels.resize(instance.levels.size());
  for (int i = 0; i < instance.level_count(); ++i)
    for (int k = 0; k < levels_for(instance.levels[i]); ++k) stack.level_of.push_back(static_cast<u8>(i));
  return unstacked(mapping, stack);
}

}  // namespace heliolite::proof
