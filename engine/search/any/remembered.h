#pragma once
// Answers to questions that bounds ask again and again.
#include <unordered_map>
#include <utility>

#include "engine/base/split_mix.h"

namespace heliolite {

// `Key`: a range of numbers. Forgets all when there are too many answers.
template <class Key, class Value>
class Remembered {
 public:
  // The answer to a question; asks for it when it is new.
  template <class Ask>
  Value operator()(Key key, Ask&& ask) {
    if (known_.size() >= kMost) known_.clear();
    const auto [it, is_new] = known_.try_emplace(std::move(key));
    if (is_new) it->second = ask();
    return it->second;
  }

 private:
  static constexpr std::size_t kMost = 100'000;
  struct Hash {
    std::size_t operator()(const Key& key) const {
      u64 value = 0;
      for (const u64 n : key) value = (value ^ n) * kSplitMixStep, value ^= value >> 32;
      return value;
    }
  };
  std::unordered_map<Key, Value, Hash> known_;
};

}  // namespace heliolite
