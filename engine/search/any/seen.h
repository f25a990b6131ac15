#pragma once
// Partial mappings that were met, by their tiles: tells those that another one makes needless.
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/search/any/partial_cost.h"

namespace heliolite {

class SeenProfiles {
 public:
  // Whether one that was met before with the same key is nowhere worse; otherwise remembers this one.
  bool dominated(std::span<const u64> key, const Profile& profile);
  u64 bytes() const { return numbers_.capacity() * sizeof(u64) + entries_ * kBytesOfAnEntry; }

 private:
  static constexpr u64 kBytesOfAnEntry = 64;
  static constexpr u64 kNone = ~u64{0};

  u64 add(std::span<const u64> key, const Profile& profile, u64 next);

  // [hash]: where its first entry begins in numbers_: the next entry's place, the key, energy, cycles, open numbers.
  std::unordered_map<u64, u64> first_;
  std::vector<u64> numbers_;
  u64 entries_ = 0;
};

}  // namespace heliolite
