#include "engine/model/store_stack.h"

#include <fmt/format.h>

#include <utility>

#include "engine/base/integers.h"
#include "engine/model/keep.h"

namespace heliolite {
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

StackedParts stacked_parts(const Mapping& mapping) {
  StackedParts out(mapping.level_count);
  for (int i = 0; i < mapping.level_count; ++i) {
    const std::vector<LevelPart> parts = parts_of(mapping, i);
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) out[i].push_back(part->keep);
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
