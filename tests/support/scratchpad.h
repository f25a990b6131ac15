#pragma once
// A buffer of words of several sizes, which knows what it holds and how much it held at most.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>

#include "engine/base/types.h"

namespace heliolite::testing {

class Scratchpad {
 public:
  using Place = std::array<u64, 4>;  // of a word

  void hold(const Place& p, u64 value, u64 size) {
    ASSERT_TRUE(words_.emplace(p, Word{value, size}).second) << "held twice";
    held_ += size;
    reserve(0);
  }
  void drop(const Place& p) {
    const auto it = words_.find(p);
    ASSERT_NE(it, words_.end());
    held_ -= it->second.size;
    words_.erase(it);
  }
  // The value of a word that must be held and have this size.
  u64& at(const Place& p, u64 size) {
    const auto it = words_.find(p);
    if (it != words_.end() && it->second.size == size) return it->second.value;
    ADD_FAILURE() << "not held in words of " << size;
    return nothing_;
  }
  // Converts a word in its place.
  void resize(const Place& p, u64 size) {
    const auto it = words_.find(p);
    ASSERT_NE(it, words_.end());
    held_ += size - it->second.size;
    it->second.size = size;
    reserve(0);
  }
  // Room for `units` besides what is held now.
  void reserve(u64 units) { peak_ = std::max(peak_, held_ + units); }

  bool empty() const { return words_.empty(); }
  u64 peak() const { return peak_; }

 private:
  struct Word {
    u64 value = 0, size = 1;
  };
  std::map<Place, Word> words_;
  u64 held_ = 0, peak_ = 0, nothing_ = 0;
};

}  // namespace heliolite::testing
