// Fused chains whose tensors have words of several sizes, against plans executed word by word.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

#include "engine/bounds/fusion/fusion.h"
#include "tests/support/fusion_fronts.h"

namespace heliolite::fusion_sizes_test {
namespace {

using testing::expect_executed;
using testing::expect_front;
using testing::front_of;
using testing::front_of_all;
using testing::kSmallChains;
using testing::links_of;
using testing::random_chain;
using testing::SimulatedChain;

// Words of each tensor of a link have sizes from 1 to 4.
std::vector<u64> random_sizes(u64 links) {
  return *rc::gen::container<std::vector<u64>>(links, rc::gen::inRange<u64>(1, 5));
}

void set_random_sizes(SimulatedChain& chain) {
  chain.read = random_sizes(chain.links());
  chain.weight = random_sizes(chain.links());
  chain.made = random_sizes(chain.links());
}

RC_GTEST_PROP(FusionOfSizes, EveryPointOfARandomChainIsExecutedAsItSays, ()) {
  SimulatedChain chain = random_chain();
  set_random_sizes(chain);
  const auto curve = tiled_fusion(links_of(chain));
  const u64 capacity = *rc::gen::inRange<u64>(0, curve->capacities().back() + 2);
  if (const auto point = curve->at(capacity)) {
    RC_ASSERT(point->buffer <= capacity);
    expect_executed(chain, *point);
  }
}

// Where all weights have words of one size, nothing but the order of the links tells words that stay apart.
RC_GTEST_PROP(FusionOfSizes, IsTheFrontOfAllExecutedPlans, ()) {
  SimulatedChain chain = *rc::gen::elementOf(kSmallChains);
  set_random_sizes(chain);
  chain.weight.assign(chain.links(), chain.weight.front());
  expect_front(chain, {.weights = *rc::gen::element(Staying::Parts, Staying::Wholes, Staying::None)});
}

// Else less than a word of room is left: with so much more, no choice of weights moves less.
RC_GTEST_PROP(FusionOfSizes, OfWeightsIsWithinAWordOfAllExecutedPlans, ()) {
  SimulatedChain chain = *rc::gen::elementOf(kSmallChains);
  set_random_sizes(chain);
  const u64 word = *std::ranges::max_element(chain.weight);
  const auto curve = tiled_fusion(links_of(chain));
  for (const auto& [buffer, accesses] : front_of_all(chain, {})) {
    const auto point = curve->at(buffer + word - 1);
    RC_ASSERT(point.has_value());
    RC_ASSERT(point->accesses <= accesses);
  }
  for (const auto& [buffer, accesses] : front_of(*curve)) expect_executed(chain, *curve->at(buffer));
}

// Words that all have one size: the curve of words, times it.
RC_GTEST_PROP(FusionOfSizes, EqualOnesAreAMultiple, ()) {
  SimulatedChain chain = random_chain();
  const FusionOptions options{.perfect = *rc::gen::arbitrary<bool>(),
                              .execution = *rc::gen::element(Execution::Sequential, Execution::Pipelined),
                              .weights = *rc::gen::element(Staying::Parts, Staying::Wholes, Staying::None)};
  const auto words = tiled_fusion(links_of(chain), options);
  const u64 size = *rc::gen::inRange<u64>(2, 6);
  for (std::vector<u64>* sizes : {&chain.read, &chain.weight, &chain.made}) sizes->assign(chain.links(), size);
  const auto units = tiled_fusion(links_of(chain), options);
  std::vector<u64> capacities = words->capacities();
  for (u64& capacity : capacities) capacity *= size;
  RC_ASSERT(units->capacities() == capacities);
  const u64 capacity = *rc::gen::inRange<u64>(0, capacities.back() + 2);
  const auto all = units->at(capacity), one = words->at(capacity / size);
  RC_ASSERT(all.has_value() == one.has_value());
  if (!one) return;
  RC_ASSERT(all->accesses == one->accesses * size);
  RC_ASSERT(all->buffer == one->buffer * size);
}

}  // namespace
}  // namespace heliolite::fusion_sizes_test
