// Searches where link transfers matter: their answers count links, and what they prove holds with links.
#include <gtest/gtest.h>

#include "engine/base/integers.h"
#include "engine/formats/load_architecture.h"
#include "engine/model/mapping_check.h"
#include "engine/model/mapping_yaml.h"
#include "engine/search/baseline/sampler.h"
#include "engine/search/core/layer_problem.h"
#include "engine/search/exact/exact.h"
#include "engine/search/map.h"
#include "tests/support/exact_problem.h"
#include "tests/support/load.h"
#include "tests/support/part_of_cases.h"
#include "tests/support/search_problem.h"

namespace heliolite::links_search_test {
namespace {

using testing::kObjectives;
using testing::random_search_problem;
using testing::SearchProblem;

// With links a mapping of the larger mapspace that is best without may cost more.
TEST(LinksSearch, NoAnswerIsAboveThatOfASmallerMapspace) {
  int compared = 0, searched = 0;
  const u64 step = testing::one_case_in(5);
  for (u64 seed = 0; seed < 150; seed += step) {
    const SearchProblem p = random_search_problem(seed, {.max_mappings = 2'000, .links = true});
    if (p.answer.legal == 0) continue;
    SCOPED_TRACE(seed);
    SearchOptions options;
    options.objective = kObjectives[seed % kObjectives.size()];
    options.probe_other_tiles = false;
    options.budget_evaluations = 20'000;
    const auto map = [&](const SearchOptions& with) { return map_workload(p.workload, p.architecture, with); };
    const auto perfect = map(options);
    ASSERT_TRUE(perfect.ok()) << to_string(perfect.errors());
    if (!perfect->without_peers || perfect->status == Status::Infeasible) continue;
    const auto is_not_above = [&](const Result<MappingResult>& larger) {
      if (!larger.ok()) return;
      ++compared;
      EXPECT_LE(larger->value, perfect->value * (1 + 1e-12)) << larger->why_not_proven;
      EXPECT_LE(larger->lower_bound, perfect->value * (1 + 1e-12));
    };
    searched += perfect->status == Status::Optimal;
    SearchOptions any = options, uneven = options, open = options;
    any.factors = Factors::Any;
    uneven.tiles = Tiles::Uneven;
    open.open = true;
    // Where links are searched, with budgets that end no search: of less each would spend another part.
    for (SearchOptions* o : {&any, &uneven, &open}) o->budget_evaluations = 50'000;
    is_not_above(map(any));
    is_not_above(map(uneven));
    is_not_above(map(open));
  }
  EXPECT_GT(compared, 100 / step);
  EXPECT_GT(searched, 4 / step);
}

LayerProblem linked_problem(const SearchProblem& p) {
  LayerProblem out = testing::layer_problem(p.workload, p.architecture, {});
  out.architecture.peer_channel = false;
  return out;
}

// The mapping on the machine with registers, and what of the fan-out below the innermost level it unrolls.
Mapping with_registers(const Mapping& mapping, TensorMask held, std::array<Extents, 2>& unrolled) {
  Mapping out = mapping;
  unrolled[0].fill(1), unrolled[1].fill(1);
  for (std::size_t k = 0; k < out.loop_count; ++k) {
    const Loop& loop = mapping.loop[k];
    if (loop.level == 0 && loop.is_spatial()) unrolled[loop.kind == LoopKind::SpatialY][loop.dimension] = loop.end;
    ++out.loop[k].level;
  }
  std::shift_right(out.keep.begin(), out.keep.end(), 1);
  out.keep[0] = held;
  ++out.level_count;
  return out;
}

// No mapping costs more on the machine of its class than with links among the units; as much where nothing of them is a
// bound, and links have no price.
TEST(UnitLinks, TheMachineOfAClassCostsNoMore) {
  int compared = 0, equal = 0, cheaper = 0;
  for (u64 seed = 0; seed < 400; ++seed) {
    const SearchProblem p =
        random_search_problem(seed, {.max_mappings = 500, .links = true, .reductions = seed % 3 == 0});
    const LayerProblem linked = linked_problem(p);
    const Compiled& c = linked.model.compiled();
    if (tensors_with_peers(linked.space, c, 0) == 0 || c.level_count == kMaxLevels) continue;
    SCOPED_TRACE(seed);
    const CostModel unlinked(p.workload, linked.architecture);
    std::vector<LayerProblem> machines;
    const std::vector<UnitLinks> classes = unit_links(linked);
    for (const UnitLinks& links : classes) {
      const LayerProblem problem =
          links.inexact != 0 ? with_free_networks(linked, links) : with_unit_registers(linked, links);
      machines.push_back(problem.whole_model ? problem.by_whole_model() : problem);
    }
    const Sampler sampler(linked.space, linked.model, false, seed);
    if (!sampler.possible()) continue;
    Mapping mapping;
    for (u64 number = 0; number < 60; ++number) {
      const Evaluation truth = sampler.evaluate(number, mapping);
      if (truth.verdict != Verdict::Fits) continue;
      int found = 0;
      for (std::size_t k = 0; k < classes.size(); ++k) {
        std::array<Extents, 2> unrolled;
        const Mapping held = with_registers(mapping, classes[k].held, unrolled);
        if (!classes[k].unrollings.empty() && !std::ranges::binary_search(classes[k].unrollings, unrolled)) continue;
        ++found;
        EXPECT_EQ(without_unit_registers(held), mapping);
        const Evaluation bound = machines[k].price(0, classes[k].inexact != 0 ? mapping : held);
        ASSERT_EQ(bound.verdict, Verdict::Fits);
        EXPECT_LE(bound.cost.energy, truth.cost.energy);
        EXPECT_LE(bound.cost.cycles, truth.cost.cycles);
        // Levels that do not reduce have networks that cost nothing on the machine with registers.
        const bool freed = classes[k].held != 0 && std::any_of(c.level.begin(), c.level.begin() + c.level_count,
                                                               [](const CompiledLevel& level) {
                                                                 return !level.reduces && level.network_costs;
                                                               });
        const bool priced = c.level[0].network_costs;
        if (classes[k].inexact == 0 && !priced && !freed) {
          EXPECT_EQ(bound.cost, truth.cost);
        }
        equal += bound.cost == truth.cost;
        cheaper += truth.cost.energy < unlinked.evaluate(mapping).cost.energy;
      }
      EXPECT_EQ(found, 1);
      ++compared;
    }
  }
  EXPECT_GT(compared, 1'000);
  EXPECT_GT(equal, 500);
  EXPECT_GT(cheaper, 200);
}

// The exact search of all mappings, from no start, ends at the oracle's optimum, whatever rule is off.
TEST(UnitLinks, TheExactSearchEqualsTheOracle) {
  constexpr std::array kOff{Rule::StateDominance, Rule::PushIn,       Rule::FreeLoops,
                            Rule::OwnLoops,       Rule::LatticeBound, Rule::UsefulInstances};
  int compared = 0, sliding = 0, cheaper = 0;
  for (u64 seed = 0; seed < 800; ++seed) {
    const SearchProblem p = random_search_problem(seed, {.max_mappings = 2'000, .links = true, .units = true});
    const Objective objective = kObjectives[seed % kObjectives.size()];
    LayerProblem linked = testing::layer_problem(p, objective);
    const Compiled& c = linked.model.compiled();
    if (p.answer.legal == 0 || tensors_with_peers(linked.space, c, 0) == 0) continue;
    if (!peers_searched(linked.space, c)) continue;
    SCOPED_TRACE(seed);
    if (seed % 2 != 0) linked.options.rules.set(kOff[seed / 2 % kOff.size()], false);
    const LayerAnswer found = testing::exact_alone(linked);
    const testing::OracleBest& best = p.answer.best[at(objective)];
    ASSERT_TRUE(found.found && found.complete);
    EXPECT_TRUE(Value::of(objective, found.cost) == Value::of(objective, best.cost))
        << found.number(objective) << ", the oracle's is " << objective_number(objective, best.cost) << "\n"
        << write_mapping(found.mapping, p.workload, p.architecture) << "the oracle's\n"
        << write_mapping(best.mapping, p.workload, p.architecture);
    ++compared;
    for (int v = 0; v < c.tensor_count; ++v) sliding += c.tensor[v].sharing_any != 0;
    Architecture off = p.architecture;
    off.peer_channel = false;
    cheaper += best.cost.energy < CostModel(p.workload, off).evaluate(best.mapping).cost.energy;
  }
  EXPECT_GT(compared, 400);
  EXPECT_GT(sliding, 100);
  EXPECT_GT(cheaper, 200);
}

constexpr const char* kSharedBuffer = R"(
architecture:
  arithmetic: {name: MAC, instances: 4, meshX: 4, word_bits: 16}
  storage:
  - {name: Buffer, entries: 64, instances: 1, meshX: 1, word_bits: 16, vector_access_energy: 10.0}
  - {name: Memory, technology: DRAM, instances: 1, word_bits: 16, vector_access_energy: 20.0}
)";

// Four units share the buffer; a word that stays is sent once. Timeloop's complete search of the same machine and
// layer ends at 15,872 pJ and 128 cycles.
TEST(UnitLinks, AreSearchedToTheOptimum) {
  const auto machine = parse_architecture(kSharedBuffer, "shared.yaml");
  ASSERT_TRUE(machine.ok()) << to_string(machine.errors());
  const Workload layer = testing::workload("gemm:8x8x8");
  const auto best = map_workload(layer, *machine, {});
  ASSERT_TRUE(best.ok());
  EXPECT_EQ(best->status, Status::Optimal) << best->why_not_proven;
  EXPECT_EQ(best->cost.energy, Energy::from_picojoules(15'872));
  EXPECT_EQ(best->cost.cycles, 128u);
  ASSERT_TRUE(best->without_peers);
  EXPECT_EQ(best->without_peers->value, 18'432.0 * 128);
}

// Switched off it is not asked, and what is proven then is proven by looking at all mappings: the answer is the same.
TEST(UnitLinks, TheRuleLosesNothing) {
  u64 cuts = 0;
  int compared = 0;
  for (u64 seed = 0; seed < 120; ++seed) {
    const SearchProblem p = random_search_problem(seed + 2'000, {.max_mappings = 1'000, .links = true});
    const LayerProblem linked = linked_problem(p);
    if (p.answer.legal == 0 || tensors_with_peers(linked.space, linked.model.compiled(), 0) == 0) continue;
    SCOPED_TRACE(seed);
    SearchOptions options;
    options.objective = kObjectives[seed % kObjectives.size()];
    options.probe_other_tiles = false;
    const auto on = map_workload(p.workload, p.architecture, options);
    options.rules.set(Rule::UnitRegisters, false);
    const auto off = map_workload(p.workload, p.architecture, options);
    ASSERT_TRUE(on.ok() && off.ok());
    constexpr auto kRule = static_cast<std::size_t>(Rule::UnitRegisters);
    EXPECT_EQ(off->statistics.rules.calls[kRule], 0u);
    cuts += on->statistics.rules.cuts[kRule];
    EXPECT_EQ(off->status, Status::Optimal);
    EXPECT_LE(on->lower_bound, off->value * (1 + 1e-12));
    EXPECT_EQ(on->value, off->value) << on->why_not_proven;
    ++compared;
  }
  EXPECT_GT(compared, 10);
  EXPECT_GT(cuts, 10u);
}

// Without a budget, in mapspaces too large to look at all mappings: no other strategy that ends by itself is below.
TEST(LinksSearch, NoStrategyIsBelowExactWithoutABudget) {
  int compared = 0;
  for (u64 seed = 0; seed < 4; ++seed) {
    const SearchProblem p = random_search_problem(seed + 9'300, {.max_mappings = 1'000'000, .links = true});
    if (p.answer.legal == 0) continue;
    SCOPED_TRACE(seed);
    SearchOptions options;
    options.objective = kObjectives[seed % kObjectives.size()];
    options.probe_other_tiles = false;
    const auto exact = map_workload(p.workload, p.architecture, options);
    ASSERT_TRUE(exact.ok());
    if (!exact->without_peers) continue;
    for (const Strategy strategy : {Strategy::Sunstone, Strategy::Annealing, Strategy::Thesis}) {
      options.strategy = strategy;
      const auto other = map_workload(p.workload, p.architecture, options);
      if (!other.ok() || other->status == Status::Infeasible) continue;
      EXPECT_GE(other->value, exact->value * (1 - 1e-12)) << name(strategy) << " " << exact->why_not_proven;
      ++compared;
    }
  }
  EXPECT_GT(compared, 2);
}

// Whatever strategy is asked for looks at what mappings cost with links; none is below exact.
TEST(UnitLinks, NoStrategyIsBelowExact) {
  int better = 0;
  for (u64 seed = 0; seed < 60; ++seed) {
    const SearchProblem p = random_search_problem(seed + 700, {.max_mappings = 2'000, .links = true});
    const LayerProblem linked = linked_problem(p);
    if (p.answer.legal == 0 || tensors_with_peers(linked.space, linked.model.compiled(), 0) == 0) continue;
    SCOPED_TRACE(seed);
    SearchOptions options;
    options.objective = kObjectives[seed % kObjectives.size()];
    options.budget_evaluations = 20'000;
    const auto exact = map_workload(p.workload, p.architecture, options);
    ASSERT_TRUE(exact.ok());
    for (const Strategy strategy : {Strategy::Exhaustive, Strategy::Annealing, Strategy::Sunstone, Strategy::Random}) {
      options.strategy = strategy;
      const auto other = map_workload(p.workload, p.architecture, options);
      if (!other.ok() || other->status == Status::Infeasible) continue;
      EXPECT_GE(other->value, exact->value * (1 - 1e-12)) << name(strategy) << " " << exact->why_not_proven;
      EXPECT_LE(exact->lower_bound, other->value * (1 + 1e-12));
      better += other->value < exact->without_peers->value;
    }
  }
  EXPECT_GT(better, 5);
}

}  // namespace
}  // namespace heliolite::links_search_test
