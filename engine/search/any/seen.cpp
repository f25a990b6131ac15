#include "engine/search/any/seen.h"

#include <algorithm>
#include <utility>

namespace heliolite {
namespace {

u64 hash_of(std::span<const u64> key) {
  u64 h = 0x9e37'79b9'7f4a'7c15;
  for (const u64 k : key) {
    h = (h ^ k) * 0xbf58'476d'1ce4'e5b9;
    h ^= h >> 29;
  }
  return h;
}

bool nowhere_larger(const u64* a, const u64* b, std::size_t n) {
  std::size_t k = 0;
  while (k < n && a[k] <= b[k]) ++k;
  return k == n;
}

}  // namespace

SeenProfiles::Bucket& SeenProfiles::bucket(std::span<const u64> key, std::size_t width) {
  std::vector<Bucket>& all = of_hash_[hash_of(key)];
  for (Bucket& b : all)
    if (b.width == width && std::ranges::equal(b.key, key)) return b;
  ++buckets_;
  numbers_ += key.size();
  Bucket& b = all.emplace_back();
  b.key.assign(key.begin(), key.end());
  b.width = width;
  return b;
}

// The last one takes the place of each that goes.
void SeenProfiles::forget_worse(Bucket& b, const Entry& than, std::span<const u64> open) {
  for (std::size_t k = 0; k < b.entry.size();) {
    const Entry& e = b.entry[k];
    if (e.energy < than.energy || e.sum < than.sum || e.cycles < than.cycles ||
        !nowhere_larger(open.data(), b.open.data() + e.row * b.width, b.width)) {
      ++k;
      continue;
    }
    const std::size_t last = b.entry.size() - 1;
    for (Entry& other : b.entry) {
      if (other.row != last) continue;
      std::copy_n(b.open.data() + last * b.width, b.width, b.open.data() + e.row * b.width);
      other.row = e.row;
      break;
    }
    b.entry[k] = b.entry[last];
    b.entry.pop_back();
    b.open.resize(last * b.width);
    --entries_;
    numbers_ -= b.width;
  }
}

bool SeenProfiles::leave_out(u32 number) { return left_out_.insert(number).second; }

u32 SeenProfiles::dominator(std::span<const u64> key, const Profile& profile, u32 number) {
  Bucket& b = bucket(key, profile.open.size());
  Entry mine{profile.energy, 0, profile.cycles, b.entry.size(), number};
  for (const u64 n : profile.open) mine.sum += n;
  for (std::size_t k = 0; k < b.entry.size(); ++k) {
    const Entry& e = b.entry[k];
    if (e.energy > mine.energy || e.sum > mine.sum || e.cycles > mine.cycles) continue;
    if (!nowhere_larger(b.open.data() + e.row * b.width, profile.open.data(), b.width)) continue;
    if (!left_out_.empty() && left_out_.contains(e.number)) continue;
    const u32 out = e.number;
    if (k > 0) std::swap(b.entry[k], b.entry[k / 2]);  // what dominates once is likely to do so again
    return out;
  }
  forget_worse(b, mine, profile.open);
  mine.row = b.entry.size();
  b.entry.push_back(mine);
  b.open.insert(b.open.end(), profile.open.begin(), profile.open.end());
  ++entries_;
  numbers_ += b.width;
  return kNone;
}

}  // namespace heliolite
