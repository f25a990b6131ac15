// Strategies that promise the optimum against the oracle, which looks at every mapping on its own.
#include <gtest/gtest.h>

#include "engine/model/mapping_check.h"
#include "engine/model/mapping_yaml.h"
#include "engine/search/map.h"
#include "engine/space/mapspace.h"
#include "tests/support/search_problem.h"

namespace heliolite::exact_test {
namespace {

using testing::OracleBest;
using testing::random_search_problem;
using testing::SearchProblem;
using testing::SearchProblemOptions;

constexpr std::array kObjectives{Objective::Energy, Objective::Delay, Objective::Edp, Objective::Ed2p};

class Exact : public ::testing::TestWithParam<const char*> {
 protected:
  void expect_optimum(const SearchProblem& p, Objective objective) const {
    SCOPED_TRACE(std::string(name(objective)));
    SearchOptions options;
    options.strategy = *parse_strategy(GetParam());
    options.objective = objective;
    const auto r = map_workload(p.workload, p.architecture, options);
    ASSERT_TRUE(r.ok()) << to_string(r.errors());
    if (p.answer.legal == 0) {
      EXPECT_EQ(r->status, Status::Infeasible);
      return;
    }
    const OracleBest& best = p.answer.best[static_cast<std::size_t>(objective)];
    ASSERT_EQ(r->status, Status::Optimal);
    EXPECT_EQ(r->gap, 0);
    EXPECT_EQ(r->value, r->lower_bound);
    // Energies of delay's optima too: of equally fast mappings the thriftiest is best.
    EXPECT_TRUE(Value::of(objective, r->cost) == Value::of(objective, best.cost))
        << r->value << ", the oracle's is " << objective_number(objective, best.cost) << "\n"
        << write_mapping(r->mapping, p.workload, p.architecture) << "the oracle's\n"
        << write_mapping(best.mapping, p.workload, p.architecture);
    EXPECT_EQ(CostModel(p.workload, p.architecture).evaluate(r->mapping).cost, r->cost);
    EXPECT_TRUE(check(r->mapping, p.workload, p.architecture).empty());
    EXPECT_TRUE(violations(*resolve(p.workload, p.architecture), r->mapping).empty());
  }

  void expect_optima(u64 first, u64 last, const SearchProblemOptions& options) const {
    for (u64 seed = first; seed < last && !HasFatalFailure(); ++seed) {
      const SearchProblem p = random_search_problem(seed, options);
      SCOPED_TRACE(seed);
      for (Objective objective : kObjectives) expect_optimum(p, objective);
    }
  }
};

// Everything at once: 2 to 5 levels and split ones, fan-outs, bypass open, constraints, all families and objectives.
TEST_P(Exact, EqualsTheOracle) { expect_optima(0, 300, {.max_mappings = 10'000}); }

TEST_P(Exact, EqualsTheOracleWithoutConstraints) {
  expect_optima(1'000, 1'100, {.max_mappings = 10'000, .open_keep = false, .constraints = false});
}

TEST_P(Exact, EqualsTheOracleOnLargerSpaces) { expect_optima(2'000, 2'012, {.max_mappings = 100'000}); }

INSTANTIATE_TEST_SUITE_P(Strategies, Exact, ::testing::Values("exact", "exhaustive"),
                         [](const auto& strategy) { return std::string(strategy.param); });

}  // namespace
}  // namespace heliolite::exact_test
