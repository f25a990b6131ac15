// The co-search on several threads: the answer does not depend on them.
#include <gtest/gtest.h>

#include "engine/search/co_search/co_search.h"
#include "tests/support/load.h"
#include "tests/support/machine_families.h"

namespace heliolite::co_search_threads_test {
namespace {

using testing::split_buffers;
using testing::workload;

TEST(CoSearchThreads, TheSameForAnyNumberOfThreads) {
  const MachineFamily family = split_buffers();
  const std::vector<WeightedLayer> layers{{workload("conv:k=512,c=512,p=7,r=3"), 3},
                                          {workload("conv:k=128,c=64,p=28,r=1"), 1}};
  for (const char* strategy : {"exact", "sunstone", "thesis"}) {
    SearchOptions options;
    options.strategy = *parse_strategy(strategy);
    options.threads = 1;
    const auto one = co_search(layers, family, options);
    ASSERT_TRUE(one);
    for (int threads : {2, 8}) {
      options.threads = threads;
      const auto many = co_search(layers, family, options);
      ASSERT_TRUE(many);
      EXPECT_EQ(many->best, one->best);
      EXPECT_EQ(many->value, one->value);
      EXPECT_EQ(many->statistics, one->statistics);
      EXPECT_EQ(many->configurations, one->configurations);
      for (std::size_t j = 0; j < layers.size(); ++j) EXPECT_EQ(many->layers[j].mapping, one->layers[j].mapping);
    }
  }
}

}  // namespace
}  // namespace heliolite::co_search_threads_test
