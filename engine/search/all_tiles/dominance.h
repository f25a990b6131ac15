#pragma once
// Rule any-dominance (docs/rules/any_factors.md): the numbers by which partial mappings with the same tiles compare,
// and those that were met, which tell when another one makes a partial mapping needless.
#include <cstddef>
#include <memory>
#include <memory_resource>
#include <span>
#include <unordered_set>
#include <vector>

#include "engine/base/types.h"

namespace heliolite {

// Millions of elements, which stay where they are: none is copied when there is no room for more, and at most a block
// is held that nothing is in. T has a default constructor.
template <class T>
class Growing {
 public:
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return block_.size() * kBlock; }
  T& operator[](std::size_t i) { return block_[i / kBlock][i % kBlock]; }
  const T& operator[](std::size_t i) const { return block_[i / kBlock][i % kBlock]; }
  void push_back(const T& value) {
    const T copy = value;  // it may be an element
    if (size_ == capacity()) block_.push_back(std::make_unique_for_overwrite<T[]>(kBlock));
    (*this)[size_++] = copy;
  }

 private:
  static constexpr std::size_t kBlock = 4'096;

  std::vector<std::unique_ptr<T[]>> block_;
  std::size_t size_ = 0;
};

// Numbers of a partial mapping that tell it from others with the same tiles (and, while fan-outs are to come, the same
// unrollings): if none of them is larger than another's, no completion of it has a larger bound than the same
// completion of the other.
struct Profile {
  u128 energy = 0;        // of flows whose words are known
  u64 cycles = 0;         // of the compute units, and of levels whose words are known
  std::vector<u64> same;  // that must be equal: they make some things dearer and others cheaper
  std::vector<u64> open;  // what the loops to come will multiply; larger-is-better numbers are turned round

  void clear() {
    energy = cycles = 0;
    same.clear(), open.clear();
  }
};

// Partial mappings that were met, by their tiles.
class DominanceStore {
 public:
  static constexpr u32 kNone = ~0u;

  // The number of one that was met before with the same key and is nowhere worse. If there is none, remembers this one
  // by its number, and forgets those that it makes needless.
  u32 dominator(std::span<const u64> key, const Profile& profile, u32 number);
  // From now on it dominates none. Returns whether it did before.
  bool leave_out(u32 number);
  u64 bytes() const { return bytes_ + buckets_.capacity() * sizeof(Bucket) + slot_.capacity() * sizeof(u32); }

 private:
  static constexpr std::size_t kBytesAtOnce = 1 << 20;

  // Open numbers, most of which are zero: which are not, a bit for each, and those one after the other.
  using Row = const u64*;
  // What most comparisons end at, side by side: smaller than all that it dominates is a profile in each of these.
  struct Entry {
    u128 energy = 0;
    u128 sum = 0;  // of the open numbers
    u64 cycles = 0;
    Row row = nullptr;
    u32 number = 0;
  };
  // Profiles with one key, none of which dominates another.
  struct Bucket {
    u64 hash = 0;
    const u64* key = nullptr;
    Entry* entry = nullptr;
    u32 key_size = 0, width = 0;  // open numbers of each
    u32 size = 0, capacity = 0;   // entries
  };

  Bucket& bucket(std::span<const u64> key, std::size_t width);
  void pack(std::span<const u64> open);
  void add(Bucket& b, Entry entry);
  static void forget_worse(Bucket& b, const Entry& than);
  void more_slots();
  template <class T>
  T* allocate(std::size_t n);

  // What is remembered goes when all of it does.
  std::pmr::monotonic_buffer_resource memory_{kBytesAtOnce};
  u64 bytes_ = 0;  // of it
  Growing<Bucket> buckets_;
  std::vector<u32> slot_;  // by hash, the next free one if it is taken: of buckets_, or kNone
  std::vector<u64> packed_;
  std::unordered_set<u32> left_out_;
};

}  // namespace heliolite
