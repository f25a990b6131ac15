#pragma once
// A seeded order of 0 .. size - 1 without a list of them: samples without repetition in constant memory.
#include "engine/base/types.h"

namespace heliolite {

// A Feistel network over the smallest even number of bits that holds `size`, walked until it is back inside (at most
// four times on average): a bijection for every seed, the same on every machine.
class Permutation {
 public:
  Permutation(u64 size, u64 seed);  // size from 1 to 2^62

  u64 operator()(u64 index) const;  // the number at this index, below size

 private:
  u64 shuffle(u64 index) const;

  u64 size_;
  u64 seed_;
  int half_bits_ = 1;
};

}  // namespace heliolite
