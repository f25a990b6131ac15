#include "engine/search/any/seen.h"

#include <algorithm>

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

}  // namespace

u64 SeenProfiles::add(std::span<const u64> key, const Profile& profile, u64 next) {
  const u64 place = numbers_.size();
  numbers_.push_back(next);
  numbers_.push_back(key.size());
  numbers_.push_back(profile.open.size());
  numbers_.insert(numbers_.end(), key.begin(), key.end());
  numbers_.push_back(static_cast<u64>(profile.energy >> 64));
  numbers_.push_back(static_cast<u64>(profile.energy));
  numbers_.push_back(profile.cycles);
  numbers_.insert(numbers_.end(), profile.open.begin(), profile.open.end());
  ++entries_;
  return place;
}

bool SeenProfiles::dominated(std::span<const u64> key, const Profile& profile) {
  const u64 hash = hash_of(key);
  const auto found = first_.find(hash);
  const u64 first = found == first_.end() ? kNone : found->second;
  for (u64 p = first; p != kNone; p = numbers_[p]) {
    if (numbers_[p + 1] != key.size() || numbers_[p + 2] != profile.open.size()) continue;
    const u64* n = numbers_.data() + p + 3;
    if (!std::equal(key.begin(), key.end(), n)) continue;
    n += key.size();
    const u128 energy = u128{n[0]} << 64 | n[1];
    if (energy > profile.energy || n[2] > profile.cycles) continue;
    n += 3;
    std::size_t k = 0;
    while (k < profile.open.size() && n[k] <= profile.open[k]) ++k;
    if (k == profile.open.size()) return true;
  }
  first_[hash] = add(key, profile, first);
  return false;
}

}  // namespace heliolite
