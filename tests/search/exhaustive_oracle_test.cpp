// The oracle against counts and optima that others found, and against the closed form of the mapspace's size.
#include "tests/support/exhaustive_oracle.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/formats/load_architecture.h"
#include "engine/formats/load_network.h"
#include "engine/model/mapping_check.h"
#include "engine/space/mapspace_size.h"
#include "engine/verify/optima_verify.h"
#include "tests/support/search_problem.h"

namespace heliolite::exhaustive_oracle_test {
namespace {

using testing::enumerate_mapspace;
using testing::OracleBest;
using testing::random_search_problem;
using testing::SearchProblem;

// Legal mappings, optima and ties of recorded complete enumerations (tests/golden/optima).
TEST(ExhaustiveOracle, RecordedEnumerations) {
  const std::string folder = HELIOLITE_TEST_DATA "/golden/optima/";
  std::ifstream file(folder + "optima.jsonl");
  std::string line;
  int compared = 0;
  for (int number = 1; std::getline(file, line); ++number) {
    const auto record = parse_optimum_record(line, "optima.jsonl", number);
    ASSERT_TRUE(record.ok()) << to_string(record.errors());
    const auto raw = nlohmann::json::parse(line);
    if (record->set != "fixed_keep" || raw["legal_mappings"] > 100'000) continue;
    const auto network = load_network(folder + "workloads/" + record->workload);
    const auto loaded = load_architecture(folder + "machines/" + record->machine);
    ASSERT_TRUE(network.ok() && loaded.ok());
    const Workload& workload = network->layers[0].workload;
    const auto machine = with_recorded_keep(*record, workload, *loaded);
    ASSERT_TRUE(machine.ok()) << to_string(machine.errors());
    const auto found =
        enumerate_mapspace(workload, machine->architecture, {.limit = 10'000'000, .innermost_orders = true});
    ASSERT_TRUE(found.has_value());
    SCOPED_TRACE(record->id());
    EXPECT_EQ(found->legal, raw["legal_mappings"].get<u64>());
    const OracleBest& best = found->best[at(record->objective)];
    EXPECT_NEAR(objective_number(record->objective, best.cost), record->optimum, 1e-9 * record->optimum);
    // Equally fast mappings are told apart by their energy here, not in the records.
    if (record->objective != Objective::Delay) {
      EXPECT_EQ(best.ties, raw["ties"].get<u64>());
    }
    ++compared;
  }
  EXPECT_EQ(compared, 27);
}

TEST(ExhaustiveOracle, OrdersOfTheInnermostLevelChangeNoCost) {
  for (u64 seed = 0; seed < 150; ++seed) {
    const SearchProblem p = random_search_problem(seed, {.max_mappings = 3'000});
    const auto all = enumerate_mapspace(p.workload, p.architecture, {.limit = 1'000'000, .innermost_orders = true});
    ASSERT_TRUE(all.has_value());
    EXPECT_GE(all->mappings, p.answer.mappings);
    if (p.answer.legal == 0) continue;
    for (std::size_t k = 0; k < all->best.size(); ++k) EXPECT_EQ(all->best[k].cost, p.answer.best[k].cost) << seed;
  }
}

TEST(ExhaustiveOracle, CountsAgreeWithTheClosedForm) {
  for (u64 seed = 0; seed < 200; ++seed) {
    const SearchProblem p = random_search_problem(seed, {.max_mappings = 5'000});
    const auto space = resolve(p.workload, p.architecture);
    ASSERT_TRUE(space.ok()) << to_string(space.errors());
    const MapspaceSize size = mapspace_size(*space);
    if (!size.nests) continue;
    const auto all = enumerate_mapspace(p.workload, p.architecture, {.limit = 10'000'000, .innermost_orders = true});
    ASSERT_TRUE(all.has_value());
    EXPECT_EQ(*size.nests, all->mappings) << seed;
  }
}

TEST(ExhaustiveOracle, OptimaAreLegalAndInsideTheMapspace) {
  int infeasible = 0;
  for (u64 seed = 0; seed < 200; ++seed) {
    const SearchProblem p = random_search_problem(seed, {.max_mappings = 5'000});
    const auto space = resolve(p.workload, p.architecture);
    ASSERT_TRUE(space.ok());
    infeasible += p.answer.legal == 0;
    if (p.answer.legal == 0) continue;
    for (const OracleBest& best : p.answer.best) {
      EXPECT_TRUE(check(best.mapping, p.workload, p.architecture).empty()) << seed;
      EXPECT_TRUE(violations(*space, best.mapping).empty()) << seed << to_string(violations(*space, best.mapping));
      EXPECT_GE(best.ties, 1u);
    }
  }
  EXPECT_GT(infeasible, 0);
}

TEST(ExhaustiveOracle, GivesUpOnLargeSpaces) {
  const SearchProblem p = random_search_problem(1);
  EXPECT_FALSE(enumerate_mapspace(p.workload, p.architecture, {.limit = p.answer.mappings - 1}).has_value());
  EXPECT_TRUE(enumerate_mapspace(p.workload, p.architecture, {.limit = p.answer.mappings}).has_value());
}

}  // namespace
}  // namespace heliolite::exhaustive_oracle_test
