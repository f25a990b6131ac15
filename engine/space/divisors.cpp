#include "engine/space/divisors.h"

#include <algorithm>
#include <cassert>

namespace heliolite {

std::vector<PrimePower> factorize(u64 n) {
  std::vector<PrimePower> out;
  const auto take = [&](u64 p) {
    int exponent = 0;
    for (; n % p == 0; n /= p) ++exponent;
    if (exponent > 0) out.push_back({p, exponent});
  };
  take(2);
  take(3);
  for (u64 p = 5; p <= n / p; p += 6) {  // primes above 3 are next to a multiple of 6
    take(p);
    take(p + 2);
  }
  if (n > 1) out.push_back({n, 1});
  return out;
}

u64 least_prime(u64 n) {
  for (u64 p = 2; p * p <= n; ++p)
    if (n % p == 0) return p;
  return n;
}

std::vector<u64> divisors(u64 n) {
  std::vector<u64> out{1};
  for (const PrimePower& p : factorize(n)) {
    const std::size_t before = out.size();
    u64 power = 1;
    for (int e = 1; e <= p.exponent; ++e) {
      power *= p.prime;
      for (std::size_t i = 0; i < before; ++i) out.push_back(out[i] * power);
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

DivisorTable::DivisorTable(u64 n) {
  for (u64 d : divisors(n)) all_.push_back(static_cast<u32>(d));
  begin_.push_back(0);
  for (u32 d : all_) {
    for (u32 e : all_) {
      if (e > d) break;
      if (d % e == 0) flat_.push_back(e);
    }
    begin_.push_back(static_cast<u32>(flat_.size()));
  }
}

std::size_t DivisorTable::index(u64 divisor) const {
  const auto at = std::lower_bound(all_.begin(), all_.end(), divisor);
  assert(at != all_.end() && *at == divisor);
  return static_cast<std::size_t>(at - all_.begin());
}

}  // namespace heliolite
