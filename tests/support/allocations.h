#pragma once
// Counts the allocations of a test program. Replaces operator new: for one source of a program only.
#include <cstdlib>
#include <new>

namespace heliolite::testing {
inline std::size_t allocations = 0;
}

// Not inlined: the compiler would otherwise see free() of what new returned.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  ++heliolite::testing::allocations;
  if (void* p = std::malloc(bytes)) return p;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
