#pragma once
// Partial mappings that were met, by their tiles: tells those that another one makes needless.
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "engine/search/any/partial_cost.h"

namespace heliolite {

class SeenProfiles {
 public:
  static constexpr u32 kNone = ~0u;

  // The number of one that was met before with the same key and is nowhere worse. If there is none, remembers this one
  // by its number, and forgets those that it makes needless.
  u32 dominator(std::span<const u64> key, const Profile& profile, u32 number);
  // From now on it dominates none. Returns whether it did before.
  bool leave_out(u32 number);
  u64 bytes() const { return numbers_ * sizeof(u64) + entries_ * sizeof(Entry) + buckets_ * kBytesOfABucket; }

 private:
  static constexpr u64 kBytesOfABucket = 160;

  // What most comparisons end at, side by side: smaller than all that it dominates is a profile in each of these.
  struct Entry {
    u128 energy;
    u128 sum;  // of the open numbers
    u64 cycles;
    u64 row;  // of Bucket::open
    u32 number;
  };
  // Profiles with one key, none of which dominates another.
  struct Bucket {
    std::vector<u64> key;
    std::size_t width = 0;  // open numbers of each
    std::vector<Entry> entry;
    std::vector<u64> open;  // [row * width ..]
  };

  Bucket& bucket(std::span<const u64> key, std::size_t width);
  void forget_worse(Bucket& b, const Entry& than, std::span<const u64> open);

  std::unordered_map<u64, std::vector<Bucket>> of_hash_;
  std::unordered_set<u32> left_out_;
  u64 numbers_ = 0, entries_ = 0, buckets_ = 0;
};

}  // namespace heliolite
