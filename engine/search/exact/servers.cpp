#include "engine/search/exact/servers.h"

#include <algorithm>

#include "engine/base/integers.h"

namespace heliolite {
namespace {

constexpr u64 kMostSets = 2048;  // every pair of sets of neighbouring stages is looked at once

// Outermost level that may serve the tensor after `stage`.
int last_server(const KeepRange& keep, int stage, int tensor) {
  int level = stage + 1;
  while (!contains(keep.must[at(level)], tensor)) ++level;
  return level;
}

}  // namespace

ServerSets::ServerSets(const KeepRange& keep, int levels, int tensors) : levels_(levels), tensors_(tensors) {
  stage_.resize(at(levels) + 1);
  for (int stage = -1; stage + 1 < levels; ++stage) {
    std::vector<Set> sets(1);
    for (int v = 0; v < tensors; ++v) {
      std::vector<Set> longer;
      for (const Set& set : sets)
        for (int level = stage + 1; level <= last_server(keep, stage, v); ++level) {
          if (!contains(keep.may[at(level)], v)) continue;
          longer.push_back(set);
          longer.back().level[at(v)] = static_cast<u8>(level);
          if (level == stage + 1) longer.back().kept |= static_cast<TensorMask>(1u << v);
        }
      sets = std::move(longer);
    }
    stage_[place(stage)] = std::move(sets);
  }
  Set end;
  end.level.fill(static_cast<u8>(levels - 1));
  stage_[place(levels - 1)] = {end};
  for (int level = 0; level < levels; ++level)
    for (Set& set : stage_[place(level - 1)])
      for (u32 k = 0; k < count(level); ++k) {
        const Set& other = stage_[place(level)][k];
        bool follows = true;
        for (int v = 0; v < tensors; ++v) follows &= contains(set.kept, v) || other.level[at(v)] == set.level[at(v)];
        if (follows) set.next.push_back(k);
      }
}

bool ServerSets::few(const KeepRange& keep, int levels, int tensors) {
  for (int stage = -1; stage + 1 < levels; ++stage) {
    u64 sets = 1;
    for (int v = 0; v < tensors && sets <= kMostSets; ++v) {
      u64 servers = 0;
      for (int level = stage + 1; level <= last_server(keep, stage, v); ++level)
        servers += contains(keep.may[at(level)], v);
      sets *= servers;
    }
    if (sets > kMostSets) return false;
  }
  return true;
}

u32 ServerSets::index(int stage, const std::array<u8, kMaxTensors>& level) const {
  const std::vector<Set>& sets = stage_[place(stage)];
  const auto found = std::ranges::find_if(sets, [&](const Set& set) { return set.level == level; });
  return static_cast<u32>(found - sets.begin());
}

u32 ServerSets::find(int stage, const std::array<TensorMask, kMaxLevels>& keep) const {
  std::array<u8, kMaxTensors> level{};
  if (stage + 1 == levels_) return 0;
  for (int v = 0; v < tensors_; ++v) {
    int server = stage + 1;
    while (!contains(keep[at(server)], v)) ++server;
    level[at(v)] = static_cast<u8>(server);
  }
  return index(stage, level);
}

}  // namespace heliolite
