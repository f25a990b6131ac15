// Searches evaluate imperfect mappings by the million: with a warm workspace nothing is allocated.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <vector>

#include "engine/model/imperfect.h"
#include "tests/support/random_problem.h"

namespace {
std::size_t allocations = 0;
}

// Not inlined: the compiler would otherwise see free() of what new returned.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* p = std::malloc(bytes)) return p;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace heliolite {
namespace {

TEST(ImperfectAllocation, RepeatedEvaluationsDoNotAllocate) {
  ImperfectWorkspace workspace;
  std::vector<NestTraffic> out(300);
  for (int pass = 0; pass < 2; ++pass)
    for (u64 seed = 0; seed < out.size(); ++seed) {
      const auto p = testing::random_problem(seed, {.imperfect = true});
      const Compiled compiled(p.workload, p.architecture);
      const std::size_t before = allocations;
      imperfect_traffic(compiled, p.mapping, workspace, out[seed]);
      if (pass == 1) {
        EXPECT_EQ(allocations, before) << seed;
      }
    }
}

}  // namespace
}  // namespace heliolite
