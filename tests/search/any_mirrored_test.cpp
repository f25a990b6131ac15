// Unrollings of which one stands for another, as rows and columns may change places.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/formats/load_architecture.h"
#include "engine/formats/load_network.h"
#include "engine/search/all_tiles/partial_search.h"
#include "engine/search/all_tiles/unrollings.h"
#include "engine/space/symmetry.h"

namespace heliolite::any_mirrored_test {
namespace {

const std::string kFolder = HELIOLITE_TEST_DATA "/data/true_counts/arch/";

LayerProblem problem(const std::string& machine, const std::string& layer, const SearchOptions& options) {
  const Architecture a = *load_architecture(kFolder + machine + ".yaml");
  const Workload w = load_network(layer)->layers[0].workload;
  return {w, a, options, *resolve(w, a, {.free = true}), CostModel(w, a)};
}

SearchOptions any_factors() {
  SearchOptions options;
  options.factors = Factors::Any;
  options.free = true;
  return options;
}

// Of two images one is left out, and nothing else is.
TEST(AnyMirrored, OneOfTwoStandsForBoth) {
  const LayerProblem p = problem("r2_arr4", "conv:c=1,k=2,p=6,r=3", any_factors());
  const Compiled& c = p.model.compiled();
  const auto symmetry = find_symmetry(p.space, c);
  ASSERT_TRUE(symmetry.has_value());
  const std::vector<DimensionMask> classes = tensor_classes(c);
  DimensionMask pairs = 0;
  for (int d = 0; d < c.dimension_count; ++d)
    if (symmetry->image(d) != d) pairs |= dimension_bit(d);
  DimensionMask apart = 0;
  for (const DimensionMask of_class : classes)
    if ((of_class & pairs) != 0) apart |= of_class;
  int stand = 0;
  for (const ClassUnrolling& whole : unrollings(c, p.space, 100'000, [](u64) { return true; })) {
    const auto parts = splits(c, p.space, whole, apart, 100'000);
    ASSERT_TRUE(parts.has_value());
    const std::vector<Mirrored> all = mirrored(*parts, classes, *symmetry);
    for (std::size_t k = 0; k < all.size(); ++k) {
      auto along = (*parts)[k].along;
      for (std::size_t i = 0; i < along.size(); ++i)
        for (int d = 0; d < kMaxDimensions; ++d) along[i][d] = (*parts)[k].along[i][symmetry->image(d)];
      const auto image = at(std::ranges::find(*parts, along, &ClassUnrolling::along) - parts->begin());
      ASSERT_LT(image, all.size());
      EXPECT_EQ(all[k] == Mirrored::Itself, image == k);
      EXPECT_EQ(all[k] == Mirrored::StandsFor, all[image] == Mirrored::LeftOut);
      stand += all[k] == Mirrored::StandsFor;
    }
  }
  EXPECT_GT(stand, 5);
}

// The optimum of all mappings divided by their unrollings, whatever stands for what.
TEST(AnyMirrored, DividedSearchesFindTheSameOptimum) {
  u64 left_out = 0;
  for (const std::string machine : {"r2_arr4", "r4_mac8", "r5_arr4g", "gemmini"})
    for (const std::string layer :
         {"conv:c=1,k=2,p=3,r=2", "conv:c=2,k=1,p=7,r=1", "conv:c=1,k=2,p=4,r=3,stride=2", "conv:c=1,k=1,p=9,r=2"})
      for (const Objective objective : {Objective::Energy, Objective::Edp}) {
        SCOPED_TRACE(machine + " " + layer);
        SearchOptions options = any_factors();
        options.objective = objective;
        options.budget_evaluations = 100'000;
        std::array<double, 2> value{};
        for (const bool on : {false, true}) {
          options.rules.set(Rule::Symmetry, on);
          const LayerProblem p = problem(machine, layer, options);
          Incumbent incumbent(objective, {});
          SearchStatistics statistics;
          KeepSpaces keeps(p, incumbent, statistics.rules, 10'000, 0, SearchBudget(p.options));
          PartialSearch search(p, keeps, incumbent, statistics);
          if (!search.divide(SearchBudget(p.options)) || search.run(SearchBudget(p.options)) != SearchEnd::Done) break;
          ASSERT_TRUE(incumbent.found());
          value[on] = objective_number(objective, incumbent.answer().cost);
          if (on) left_out += statistics.rules.cuts[at(Rule::Symmetry)];
        }
        if (value[1] != 0) {
          EXPECT_EQ(value[0], value[1]);
        }
      }
  EXPECT_GT(left_out, 100u);
}

}  // namespace
}  // namespace heliolite::any_mirrored_test
