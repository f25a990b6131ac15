#pragma once
// Prime factors, divisors and the number of ordered factorisations of loop bounds.
#include <span>
#include <vector>

#include "engine/base/types.h"

namespace heliolite {

// prime^exponent.
struct PrimePower {
  u64 prime = 2;
  int exponent = 1;

  auto operator<=>(const PrimePower&) const = default;
};

// The prime powers of n by ascending primes; empty for 1. At most sqrt(n) / 3 divisions: 15 000 for a loop bound.
std::vector<PrimePower> factorize(u64 n);

// The least prime that divides n; 1 for 1.
u64 least_prime(u64 n);

// The divisors of n, ascending, 1 and n included.
std::vector<u64> divisors(u64 n);

// All divisors of all divisors of one loop bound, in one block: enumeration inside a search asks for the
// divisors of what is left of a dimension without computing or allocating anything.
class DivisorTable {
 public:
  explicit DivisorTable(u64 n = 1);  // n < 2^31

  u64 bound() const { return all_.back(); }
  std::span<const u32> all() const { return all_; }  // divisors of the bound, ascending
  // The divisors of `divisor`, which must divide the bound, ascending.
  std::span<const u32> of(u64 divisor) const {
    const std::size_t i = index(divisor);
    return {flat_.data() + begin_[i], flat_.data() + begin_[i + 1]};
  }
  // The index of a divisor of the bound in all().
  std::size_t index(u64 divisor) const;

 private:
  std::vector<u32> all_, flat_, begin_;
};

}  // namespace heliolite
