// Fused layers of several compute units: each link is counted on the chain of levels of its own unit, groups are fused
// at levels that lead to all of them, and what is proven of them holds for every tree.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <set>
#include <string>

#include "engine/model/running_units.h"
#include "engine/network/schedule_text.h"
#include "engine/search/fused/fused_search.h"
#include "engine/search/fused/link_solver.h"
#include "engine/search/fused/tree_search.h"
#include "engine/search/map.h"
#include "engine/search/scheduling/fused_network.h"
#include "tests/support/fusion_toys.h"

namespace heliolite::fused_units_test {
namespace {

using testing::FusionProblem;
using ::testing::HasSubstr;
using testing::options_for;

constexpr double kLambda = 8 * Energy::kUnitsPerPicojoule;

std::vector<FusionProblem> toys_on_two_units() {
  std::vector<FusionProblem> out;
  for (FusionProblem& toy : testing::fusion_toys())
    if (toy.graph.links[0].workload.macs() <= 500) out.push_back(testing::on_two_units(std::move(toy)));
  return out;
}

// A random group that is legal and whose links have mappings.
struct PricedGroup {
  LinkGroup group;
  std::vector<LinkAnswer> links;
  double value = 0;
};
std::optional<PricedGroup> priced(const LinkGroup& group, const FusionProblem& toy, LinkSolver& solver,
                                  const SearchBudget& budget) {
  const GroupPlan p = plan(group, toy.graph, toy.architecture);
  if (!p.is_legal() || group.is_single()) return std::nullopt;
  PricedGroup out{group, {}, 0};
  for (int l = group.first; l <= group.last; ++l) {
    const LinkPass& pass = p.passes[at(l - group.first)];
    const Architecture& chain = running_chain(toy.graph.link(l), toy.architecture);
    EXPECT_EQ(chain.levels[at(pass.level)].name, toy.architecture.levels[at(group.level)].name);
    if (pass.taken > *chain.levels[at(pass.level)].capacity_words()) return std::nullopt;
    const LinkAnswer answer = solver.solve(l, pass, kLambda, kNoSum, budget);
    if (!answer.found) return std::nullopt;
    const auto cost = link_cost(toy.graph.link(l), chain, pass, answer.found->mapping);
    EXPECT_TRUE(cost.ok() && cost->cost == answer.found->cost) << toy.graph.link(l).name;
    out.value += sum_value(answer.found->cost, kLambda);
    out.links.push_back(answer);
  }
  for (const SumTerm& t : p.terms) out.value += sum_value(term_cost(t, toy.graph, toy.architecture), kLambda);
  return out;
}

// What a link costs at least in any tree, all of a group's together, and the best tree, against random ones.
TEST(FusedUnits, NoLegalTreeIsBelowWhatIsProven) {
  int trees = 0, reached = 0, links = 0, at_bound = 0;
  for (const FusionProblem& toy : toys_on_two_units()) {
    const SearchOptions options = options_for(Objective::Edp);
    const SearchBudget budget(options);
    LinkSolver solver(toy.graph, toy.architecture, options);
    std::map<std::tuple<int, int, int>, double> best;
    testing::RandomTrees random(toy, 3);
    for (int k = 0; k < 150; ++k) {
      const auto one = priced(random.next(), toy, solver, budget);
      if (!one) continue;
      const auto& [group, answers, value] = *one;
      SCOPED_TRACE(group_text(group, toy.graph, toy.architecture));
      const auto interval = make_interval(toy.graph, toy.architecture, group.level, group.first, group.last, {});
      ASSERT_TRUE(interval.has_value());
      LinkBounds bounds;
      const auto [known, is_new] = best.try_emplace({group.first, group.last, group.level});
      if (is_new) {
        const TreeAnswer answer = TreeSearch(*interval, solver, kLambda, budget, bounds).run(kNoSum);
        ASSERT_TRUE(answer.found && answer.is_proven(kNoSum));
        known->second = answer.found->value;
      }
      EXPECT_LE(known->second * kEqualSum, value);
      ++trees;
      reached += value <= known->second * (1 + 1e-9);
      LinkBound bound(*interval, solver, kLambda, budget, bounds, solver.gate());
      for (int l = group.first; l <= group.last; ++l) {
        const double own = sum_value(answers[at(l - group.first)].found->cost, kLambda);
        const double least =
            bound.least(whole(*interval), l, *toy.architecture.levels[at(group.level)].capacity_words());
        EXPECT_LE(least * kEqualSum, own) << toy.graph.link(l).name;
        ++links;
        at_bound += own <= least * (1 + 1e-9);
      }
      bound.search_together(std::vector<double>(at(group.size()), kNoSum), kNoSum);
      EXPECT_LE(bound.of_group() * kEqualSum, value);
    }
  }
  EXPECT_GT(trees, 60);
  EXPECT_GT(reached, 0);
  EXPECT_GT(links, 120);
  EXPECT_GT(at_bound, 5);
}

// With bounds, without any, and on any number of threads; alone the layers cost what the network's search says.
TEST(FusedUnits, EveryWayOfSearchingFindsTheSame) {
  int fused = 0;
  for (const FusionProblem& toy : toys_on_two_units()) {
    const auto one = search_fused(toy.graph, toy.architecture, options_for(Objective::Energy));
    ASSERT_TRUE(one.ok()) << to_string(one.errors());
    EXPECT_EQ(one->status, Status::Optimal);
    EXPECT_LE(one->value, *one->unfused_value);
    fused += one->value < *one->unfused_value;
    const auto cost = schedule_cost(one->schedule, toy.graph, toy.architecture);
    ASSERT_TRUE(cost.ok()) << to_string(cost.errors());
    EXPECT_EQ(cost->total, one->cost);
    Network network;
    network.layers = toy.graph.links;
    const auto alone = map_network(network, toy.architecture, options_for(Objective::Energy));
    ASSERT_TRUE(alone.ok());
    const auto apart = schedule_cost(one->unfused, toy.graph, toy.architecture);
    ASSERT_TRUE(apart.ok());
    for (std::size_t l = 0; l < network.layers.size(); ++l)
      EXPECT_EQ(apart->links[l].cost.energy, alone->layers[l].result.cost.energy);
    for (const int threads : {2, 8}) {
      const auto more = search_fused(toy.graph, toy.architecture, options_for(Objective::Energy, threads));
      ASSERT_TRUE(more.ok());
      EXPECT_EQ(more->schedule.groups, one->schedule.groups);
      EXPECT_EQ(more->schedule.mappings, one->schedule.mappings);
    }
    const bool has_sums = std::ranges::any_of(toy.graph.arrays, [](const SharedArray& array) {
      return std::ranges::any_of(array.touches, &ArrayTouch::is_term);
    });
    if (toy.graph.links.size() > 2 && !has_sums) continue;  // without bounds there are many times as many trees
    SearchOptions enumerate = options_for(Objective::Energy);
    for (const Rule rule : {Rule::LinkBound, Rule::HomeBound, Rule::PassBound, Rule::RoomReuse, Rule::LoneLoops})
      enumerate.rules.set(rule, false);
    const auto all = search_fused(toy.graph, toy.architecture, enumerate);
    ASSERT_TRUE(all.ok());
    EXPECT_NEAR(all->value / one->value, 1, 1e-12);
  }
  EXPECT_GT(fused, 2);
}

// Machines whose units hang below different levels, with other levels, rates and prices.
TEST(FusedUnits, FusedIsNeverDearerOnRandomMachines) {
  int asked = 0, fused = 0, on_both = 0;
  testing::Rng rng(17);
  const auto number = [&](u64 least, u64 most) { return std::to_string(testing::pick(rng, least, most)); };
  for (int k = 0; k < 8; ++k) {
    const bool inner = testing::chance(rng, 50);
    const std::string machine =
        "architecture:\n  name: random\n  levels:\n  - {name: DRAM, dram: true, energy: " + number(20, 90) +
        ", bandwidth: {shared: " + number(1, 4) + "}}\n  - {name: L2, entries: " + number(30, 200) +
        ", energy: " + number(8, 14) + ", leak_pj_per_cycle: " + number(0, 2) +
        "}\n  - {name: L1, entries: " + number(12, 40) + ", energy: " + number(3, 7) + ", fanout: " + number(1, 3) +
        "}\n  - {name: Reg, entries: 3, energy: 1}\n  compute: {energy: 1}\n  units:\n  - {name: VPU, below: " +
        (inner ? "L1" : "L2") + ", fanout: " + number(1, 4) + ", energy: " + number(1, 4) +
        ", cycles_per_op: " + number(1, 2) + ", levels: [{name: VReg, entries: " + number(3, 9) +
        ", energy: 2, leak_pj_per_cycle: 1}]}\n";
    SCOPED_TRACE(machine);
    for (FusionProblem& toy : testing::fusion_toys()) {
      if (toy.graph.links.size() > 2 || toy.graph.links[0].workload.macs() > 500) continue;
      const FusionProblem units = testing::on_two_units(std::move(toy), machine, testing::pick(rng, 1, 3));
      const auto best = search_fused(units.graph, units.architecture, options_for(Objective::Edp));
      ASSERT_TRUE(best.ok()) << to_string(best.errors());
      EXPECT_EQ(best->status, Status::Optimal);
      const auto cost = schedule_cost(best->schedule, units.graph, units.architecture);
      ASSERT_TRUE(cost.ok()) << to_string(cost.errors());
      EXPECT_EQ(cost->total, best->cost);
      ++asked;
      if (!best->unfused_value) continue;
      EXPECT_LE(best->value, *best->unfused_value);
      fused += best->value < *best->unfused_value;
      on_both += inner && best->schedule.groups.size() == 1;
    }
  }
  EXPECT_GT(asked, 12);
  EXPECT_GT(fused, 6);
  EXPECT_GT(on_both, 0);
}

// Where both units can run every link, the answer is the best of all choices, and nothing is said to be proven that a
// choice is below.
TEST(FusedUnits, ChoosesTheBestOfAllUnits) {
  const std::string small = R"(
architecture:
  name: small
  levels:
  - {name: DRAM, dram: true, energy: 64, bandwidth: {shared: 2}}
  - {name: Buf, entries: 40, energy: 12, bandwidth: {read: 4}}
  - {name: Reg, entries: 6, energy: 0.5}
  compute: {name: MAC, energy: 1}
  units: [{name: VPU, below: Buf, fanout: 2, energy: 3}]
)";
  int asked = 0, mixed = 0, open = 0;
  for (u64 seed = 0; seed < 6; ++seed)
    for (FusionProblem& toy : testing::fusion_toys()) {
      if (toy.graph.links[0].workload.macs() > 500 || toy.graph.links.size() > 2) continue;
      FusionProblem units = testing::on_two_units(std::move(toy), small, 4);
      testing::Rng rng(seed);
      Architecture& machine = units.architecture;
      machine.compute.runs = machine.units[0].compute.runs = kAllOperations;
      machine.compute.op_pj = static_cast<double>(testing::pick(rng, 3, 12));
      machine.units[0].compute.op_pj = static_cast<double>(testing::pick(rng, 1, 4));
      machine.units[0].compute.cycles_per_op = testing::pick(rng, 1, 3);
      const Objective objective =
          std::array{Objective::Edp, Objective::Energy, Objective::Edp, Objective::Delay}[seed % 4];
      const std::size_t links = units.graph.links.size();
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t choice = 0; choice < std::size_t{1} << links; ++choice) {
        LinkGraph named = units.graph;
        for (std::size_t l = 0; l < links; ++l)
          named.links[l].workload.unit = machine.chain(choice >> l & 1).compute.name;
        const auto one = search_fused(named, machine, options_for(objective));
        if (one.ok()) least = std::min(least, one->value);
      }
      for (const int threads : {1, 2}) {
        SearchOptions options = options_for(objective, threads);
        options.budget_seconds = 600;  // more than it takes
        const auto best = fuse_links(units.graph, machine, options);
        ASSERT_TRUE(best.ok()) << to_string(best.errors());
        EXPECT_EQ(best->best.value, least);
        EXPECT_EQ(best->best.status, Status::Optimal) << best->best.why_not_proven;
        EXPECT_EQ(best->cost.total, best->best.cost);
        std::set<std::string> names;
        for (const Layer& link : best->graph.links) names.insert(link.workload.unit);
        mixed += names.size() > 1;
      }
      SearchOptions limited = options_for(objective);
      limited.budget_evaluations = 40 * links;
      if (const auto some = fuse_links(units.graph, machine, limited); some.ok()) {
        EXPECT_LE(some->best.lower_bound, least * (1 + 1e-12));
        EXPECT_GE(some->best.value, least * (1 - 1e-12));
        open += some->best.status != Status::Optimal;
      }
      ++asked;
    }
  EXPECT_GT(asked, 2);
  EXPECT_GT(mixed, 0);
  EXPECT_GT(open, 0);
}

// Units that are alike are one.
TEST(FusedUnits, LikeUnitsCostWhatOneDoes) {
  const std::string alike = testing::kTwoBuffers +
                            "  units: [{name: VPU, below: Buf, energy: 1, levels: [{name: VReg, entries: 3, energy: "
                            "{read: 1, fill: 1, update: 1}}]}]\n";
  int asked = 0;
  for (FusionProblem& toy : testing::fusion_toys()) {
    if (toy.graph.links[0].workload.macs() > 500 || toy.graph.links.size() > 3) continue;
    const FusionProblem units = testing::on_two_units(toy, alike, 1);
    const auto one = search_fused(toy.graph, toy.architecture, options_for(Objective::Edp));
    const auto two = search_fused(units.graph, units.architecture, options_for(Objective::Edp));
    ASSERT_TRUE(one.ok() && two.ok());
    EXPECT_EQ(one->cost, two->cost);
    EXPECT_EQ(one->schedule.groups, two->schedule.groups);
    ++asked;
  }
  EXPECT_GT(asked, 2);
}

TEST(FusedUnits, RefusesLevelsOfOneUnitAndLayersOfSeveral) {
  FusionProblem toy = testing::on_two_units(testing::two_products());
  const auto acc = read_schedule("Acc[l1, l2]", toy.graph, toy.architecture);
  ASSERT_TRUE(acc.ok()) << to_string(acc.errors());
  EXPECT_THAT(
      to_string(check_groups(*acc, toy.graph, toy.architecture)),
      HasSubstr("Acc does not lead to VPU, which runs l2: fuse at a level that leads to the units of all links"));
  Network network;
  network.name = "many";
  toy.architecture.units[0].compute.runs = kAllOperations;
  for (int k = 0; k < 4; ++k)
    for (const Layer& link : toy.graph.links) {
      network.layers.push_back(link);
      network.layers.back().workload.operation = Operation::Elementwise;
      network.layers.back().workload.name += std::to_string(k);
    }
  toy.architecture.compute.runs = kAllOperations;
  const auto found = fuse_network(network, toy.architecture, options_for(Objective::Edp));
  ASSERT_FALSE(found.ok());
  EXPECT_THAT(to_string(found.errors()), HasSubstr("more than 64 choices"));
}

}  // namespace
}  // namespace heliolite::fused_units_test
