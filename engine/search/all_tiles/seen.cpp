#include "engine/search/all_tiles/seen.h"

#include <algorithm>
#include <utility>

#include "engine/base/integers.h"

namespace heliolite {
namespace {

constexpr std::size_t kFirstSlots = 1 << 10;
constexpr u32 kFirstEntries = 2;
constexpr std::size_t kBitsOfAWord = 64;

u64 hash_of(std::span<const u64> key) {
  u64 h = 0x9e37'79b9'7f4a'7c15;
  for (const u64 k : key) {
    h = (h ^ k) * 0xbf58'476d'1ce4'e5b9;
    h ^= h >> 29;
  }
  return h;
}

std::size_t words_of_bits(std::size_t n) { return ceil_div(n, kBitsOfAWord); }

// Of packed numbers.
bool nowhere_larger(const u64* a, const u64* b, std::size_t width) {
  const std::size_t words = words_of_bits(width);
  for (std::size_t w = 0; w < words; ++w)
    if ((a[w] & ~b[w]) != 0) return false;
  const u64 *of_a = a + words, *of_b = b + words;
  for (std::size_t w = 0; w < words; ++w)
    for (const int k : bits(b[w])) {
      const u64 of_b_here = *of_b++;
      if (contains(a[w], k) && *of_a++ > of_b_here) return false;
    }
  return true;
}

}  // namespace

template <class T>
T* SeenProfiles::allocate(std::size_t n) {
  bytes_ += n * sizeof(T);
  return static_cast<T*>(memory_.allocate(n * sizeof(T), alignof(T)));
}

void SeenProfiles::more_slots() {
  slot_.assign(std::max(kFirstSlots, 2 * slot_.size()), kNone);
  for (u32 k = 0; k < buckets_.size(); ++k) {
    std::size_t s = buckets_[k].hash & (slot_.size() - 1);
    while (slot_[s] != kNone) s = (s + 1) & (slot_.size() - 1);
    slot_[s] = k;
  }
}

SeenProfiles::Bucket& SeenProfiles::bucket(std::span<const u64> key, std::size_t width) {
  if (2 * buckets_.size() >= slot_.size()) more_slots();
  const u64 hash = hash_of(key);
  std::size_t s = hash & (slot_.size() - 1);
  for (; slot_[s] != kNone; s = (s + 1) & (slot_.size() - 1)) {
    Bucket& b = buckets_[slot_[s]];
    if (b.hash == hash && b.width == width && std::ranges::equal(std::span(b.key, b.key_size), key)) return b;
  }
  slot_[s] = static_cast<u32>(buckets_.size());
  u64* copy = allocate<u64>(key.size());
  std::ranges::copy(key, copy);
  Bucket b;
  b.hash = hash, b.key = copy, b.key_size = static_cast<u32>(key.size()), b.width = static_cast<u32>(width);
  buckets_.push_back(b);
  return buckets_[slot_[s]];
}

void SeenProfiles::pack(std::span<const u64> open) {
  packed_.assign(words_of_bits(open.size()), 0);
  for (std::size_t k = 0; k < open.size(); ++k) {
    if (open[k] == 0) continue;
    packed_[k / kBitsOfAWord] |= u64{1} << k % kBitsOfAWord;
    packed_.push_back(open[k]);
  }
}

void SeenProfiles::add(Bucket& b, Entry entry) {
  u64* row = allocate<u64>(packed_.size());
  std::ranges::copy(packed_, row);
  entry.row = row;
  if (b.size == b.capacity) {
    const u32 capacity = std::max(kFirstEntries, 2 * b.capacity);
    Entry* more = allocate<Entry>(capacity);
    std::uninitialized_copy_n(b.entry, b.size, more);
    b.entry = more, b.capacity = capacity;
  }
  std::construct_at(b.entry + b.size++, entry);
}

// The last one takes the place of each that goes.
void SeenProfiles::forget_worse(Bucket& b, const Entry& than) {
  for (u32 k = 0; k < b.size;) {
    const Entry& e = b.entry[k];
    if (e.energy < than.energy || e.sum < than.sum || e.cycles < than.cycles ||
        !nowhere_larger(than.row, e.row, b.width))
      ++k;
    else b.entry[k] = b.entry[--b.size];
  }
}

bool SeenProfiles::leave_out(u32 number) { return left_out_.insert(number).second; }

u32 SeenProfiles::dominator(std::span<const u64> key, const Profile& profile, u32 number) {
  Bucket& b = bucket(key, profile.open.size());
  pack(profile.open);
  Entry mine{profile.energy, 0, profile.cycles, packed_.data(), number};
  for (const u64 n : profile.open) mine.sum += n;
  for (u32 k = 0; k < b.size; ++k) {
    const Entry& e = b.entry[k];
    if (e.energy > mine.energy || e.sum > mine.sum || e.cycles > mine.cycles) continue;
    if (!nowhere_larger(e.row, mine.row, b.width)) continue;
    if (!left_out_.empty() && left_out_.contains(e.number)) continue;
    const u32 out = e.number;
    if (k > 0) std::swap(b.entry[k], b.entry[k / 2]);  // what dominates once is likely to do so again
    return out;
  }
  forget_worse(b, mine);
  add(b, mine);
  return kNone;
}

}  // namespace heliolite
