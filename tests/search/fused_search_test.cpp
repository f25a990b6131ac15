// Schedules of networks: the search finds what is recorded and proven of small networks, no tree that is legal is below
// what it proves, and no rule changes what it finds.
#include "engine/search/fused/fused_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "engine/network/schedule_text.h"
#include "engine/search/fused/link_solver.h"
#include "engine/search/fused/tree_search.h"
#include "engine/search/layer_search.h"
#include "tests/support/fusion_toys.h"

namespace heliolite::fused_search_test {
namespace {

using testing::FusionProblem;
using testing::options_for;

TEST(FusedSearch, FindsWhatIsRecordedOrBetterAndProvesIt) {
  int reached = 0;
  for (const testing::FusionRecord& record : testing::fusion_records())
    for (const Objective objective : {Objective::Energy, Objective::Edp}) {
      if (objective == Objective::Edp && record.problem.graph.links.size() > 3) continue;  // several sums take longer
      const auto best = search_fused(record.problem.graph, record.problem.architecture, options_for(objective));
      ASSERT_TRUE(best.ok()) << to_string(best.errors());
      EXPECT_EQ(best->status, Status::Optimal);
      const auto cost = schedule_cost(best->schedule, record.problem.graph, record.problem.architecture);
      ASSERT_TRUE(cost.ok()) << to_string(cost.errors());
      EXPECT_EQ(cost->total, best->cost);
      EXPECT_LE(best->value, objective_number(objective, best->unfused_cost));
      for (const auto& entry : record.schedules) {
        SCOPED_TRACE(entry["schedule"].get<std::string>());
        const auto recorded =
            objective_number(objective, entry["energy_pj"].get<double>(), entry["cycles"].get<double>());
        EXPECT_LE(best->value * kEqualSum, recorded);
        reached += best->value >= recorded * kEqualSum;
      }
    }
  EXPECT_GE(reached, 5);
}

TEST(FusedSearch, NoRuleChangesWhatIsFound) {
  int asked = 0;
  for (const testing::FusionRecord& record : testing::fusion_records()) {
    const SearchOptions options = options_for(Objective::Edp);
    const auto all = search_fused(record.problem.graph, record.problem.architecture, options);
    ASSERT_TRUE(all.ok());
    if (all->trees > 150) continue;  // without bounds there are many times as many
    for (const Rule rule : {Rule::LinkBound, Rule::HomeBound, Rule::PassBound, Rule::RoomReuse, Rule::LoneLoops,
                            Rule::OwnValue, Rule::ChainsMeet}) {
      SearchOptions without = options;
      without.rules.set(rule, false);
      const auto best = search_fused(record.problem.graph, record.problem.architecture, without);
      ASSERT_TRUE(best.ok());
      EXPECT_NEAR(best->value / all->value, 1, 1e-12) << kRuleTable[at(rule)].name;
      EXPECT_EQ(best->status, Status::Optimal) << kRuleTable[at(rule)].name;
      EXPECT_EQ(best->rules.calls[at(rule)], 0U) << kRuleTable[at(rule)].name;
      ++asked;
    }
  }
  EXPECT_GE(asked, 5);
}

const std::string kSmall = R"(
architecture:
  name: small
  levels:
  - {name: DRAM, dram: true, energy: {read: 64, fill: 64, update: 64}, bandwidth: {shared: 2}}
  - {name: Buf, entries: 40, energy: {read: 6, fill: 7, update: 8}, bandwidth: {read: 4}, leak_pj_per_cycle: 2}
  - {name: Reg, entries: 3, energy: {read: 1, fill: 1, update: 1}}
  compute: {name: MAC, energy: 1}
)";
constexpr double kLambda = 8 * Energy::kUnitsPerPicojoule;

// The least value of a group's tree, or none if its links do not fit.
std::optional<double> value_of(const GroupPlan& p, const LinkGroup& group, const FusionProblem& toy, LinkSolver& solver,
                               const SearchBudget& budget) {
  double sum = 0;
  const auto capacity = toy.architecture.levels[group.level].capacity_words();
  for (int l = group.first; l <= group.last; ++l) {
    const LinkPass& pass = p.passes[l - group.first];
    if (capacity && pass.taken > *capacity) return std::nullopt;
    const LinkAnswer answer = solver.solve(l, pass, kLambda, kNoSum, budget);
    if (!answer.found) return std::nullopt;
    const auto cost = link_cost(toy.graph.link(l), toy.architecture, pass, answer.found->mapping);
    EXPECT_TRUE(cost.ok()) << to_string(cost.errors());
    if (!cost) return std::nullopt;
    EXPECT_EQ(cost->cost, answer.found->cost);
    sum += sum_value(cost->cost, kLambda);
  }
  for (const SumTerm& t : p.terms) sum += sum_value(term_cost(t, toy.graph, toy.architecture), kLambda);
  return sum;
}

TEST(FusedSearch, NoLegalTreeIsBelow) {
  int trees = 0, reached = 0, sums = 0;
  for (FusionProblem& toy : testing::fusion_toys()) {
    if (toy.graph.links[0].workload.macs() > 500) continue;
    toy.architecture = parse_architecture(kSmall, "small.yaml").value();
    toy.architecture.drain_reads = trees % 2 == 1;
    toy.architecture.all_leaks = trees % 3 == 1;
    const SearchOptions options = options_for(Objective::Edp);
    const SearchBudget budget(options);
    LinkSolver solver(toy.graph, toy.architecture, options);
    std::map<std::tuple<int, int, int>, double> best;
    testing::RandomTrees random(toy, 3);
    for (int k = 0; k < 60; ++k) {
      const LinkGroup group = random.next();
      const GroupPlan p = plan(group, toy.graph, toy.architecture);
      if (!p.is_legal() || group.is_single()) continue;
      SCOPED_TRACE(group_text(group, toy.graph, toy.architecture));
      const std::optional<double> value = value_of(p, group, toy, solver, budget);
      if (!value) continue;
      const auto [known, is_new] = best.try_emplace({group.first, group.last, group.level});
      if (is_new) {
        const auto interval = make_interval(toy.graph, toy.architecture, group.level, group.first, group.last, {});
        ASSERT_TRUE(interval.has_value());
        LinkBounds bounds;
        TreeSearch search(*interval, solver, kLambda, budget, bounds);
        const TreeAnswer answer = search.run(kNoSum);
        ASSERT_TRUE(answer.found);
        ASSERT_TRUE(answer.is_proven(kNoSum));
        known->second = answer.found->value;
        LinkBounds fresh;
        TreeSearch bound(*interval, solver, kLambda, budget, fresh);
        const double quick = bound.quick_least(), searched = bound.least();
        bound.search_together(std::vector<double>(p.passes.size(), kNoSum), kNoSum);
        for (const double least : {quick, searched, bound.least_together()})
          EXPECT_LE(least * kEqualSum, known->second);
        sums += !p.terms.empty();
      }
      EXPECT_LE(known->second * kEqualSum, *value);
      ++trees;
      reached += *value <= known->second * (1 + 1e-9);
    }
  }
  EXPECT_GT(trees, 40);
  EXPECT_GT(reached, 0);
  EXPECT_GT(sums, 0);
}

// What is proven of trees at some lambdas bounds them at others, and changes nothing of what is found there.
TEST(FusedSearch, TreesOfOtherLambdasChangeNoAnswer) {
  int groups = 0, fewer = 0;
  for (FusionProblem& toy : testing::fusion_toys()) {
    if (toy.graph.links[0].workload.macs() > 500) continue;
    toy.architecture = parse_architecture(kSmall, "small.yaml").value();
    const SearchOptions options = options_for(Objective::Edp);
    const SearchBudget budget(options);
    LinkSolver solver(toy.graph, toy.architecture, options);
    const int last = static_cast<int>(toy.graph.links.size()) - 1;
    for (int first = 0; first < last; ++first) {
      const auto interval = make_interval(toy.graph, toy.architecture, 1, first, last, {});
      if (!interval) continue;
      ++groups;
      std::deque<LinkBounds> bounds;
      std::deque<TreeSearch> searched;
      std::vector<const TreeSearch*> others;
      for (const double part : {1.0, 1.1, 0.5, 1.05, 8.0}) {
        const double lambda = kLambda * part;
        LinkSolver own(toy.graph, toy.architecture, options);
        LinkBounds fresh;
        TreeSearch alone(*interval, own, lambda, budget, fresh);
        const TreeAnswer expected = alone.run(kNoSum);
        TreeSearch& search = searched.emplace_back(*interval, solver, lambda, budget, bounds.emplace_back());
        const TreeAnswer answer = search.run(kNoSum, others);
        others.push_back(&search);
        ASSERT_EQ(answer.found == nullptr, expected.found == nullptr);
        if (!answer.found) continue;
        EXPECT_NEAR(answer.found->value / expected.found->value, 1, 1e-9) << toy.graph.link(first).name << part;
        EXPECT_TRUE(answer.is_proven(kNoSum));
        fewer += search.states() < alone.states();
        TreeSearch again(*interval, solver, lambda, budget, bounds.emplace_back());
        EXPECT_FALSE(again.run(answer.found->value * 0.999, std::span(others).first(others.size() - 1)).found);
      }
    }
  }
  EXPECT_GT(groups, 3);
  EXPECT_GT(fewer, 2 * groups);
}

// A level outside the fusing level, blocks, networks, leakage, and levels that must hold what passes.
std::string random_machine(testing::Rng& rng) {
  const auto number = [&](u64 least, u64 most) { return std::to_string(testing::pick(rng, least, most)); };
  const std::string kept[] = {"", ", open: all", ", keep: weights, open: [inputs, outputs]", ", keep: []"};
  std::string out = "architecture:\n  name: random\n  levels:\n  - {name: DRAM, dram: true, energy: " + number(20, 90) +
                    ", block_words: " + number(1, 4) + ", bandwidth: {shared: " + number(1, 4) + "}" +
                    (testing::chance(rng, 30) ? ", network: {hop_pj: 2, ingress_pj: 1}" : "") + "}\n";
  if (testing::chance(rng, 60))
    out += "  - {name: L2, entries: " + number(40, 300) + ", energy: " + number(8, 14) +
           kept[testing::pick(rng, 0, 3)] + ", leak_pj_per_cycle: " + number(0, 2) + "}\n";
  out += "  - {name: Buf, entries: " + number(10, 60) + ", energy: {read: " + number(3, 7) + ", fill: " + number(3, 7) +
         ", update: " + number(3, 9) + "}, block_words: " + number(1, 3) + ", bandwidth: {read: " + number(1, 4) +
         "}, fanout: " + number(1, 3) + (testing::chance(rng, 30) ? ", open: weights, keep: [inputs, outputs]" : "") +
         "}\n  - {name: Reg, entries: 3, energy: 1}\n  compute: {energy: 1}\n";
  return out;
}

// Rule lone-loops: on random machines the trees without loops around a link alone are as good as all.
TEST(FusedSearch, LoopsAroundALinkAloneDoNoMore) {
  testing::Rng rng(23);
  int groups = 0, fewer = 0;
  for (int k = 0; k < 12; ++k) {
    const std::string machine = random_machine(rng);
    for (FusionProblem& toy : testing::fusion_toys()) {
      if (toy.graph.links[0].workload.macs() > 500) continue;
      const auto parsed = parse_architecture(machine, "random.yaml");
      ASSERT_TRUE(parsed.ok()) << to_string(parsed.errors()) << machine;
      toy.architecture = *parsed;
      toy.architecture.drain_reads = testing::chance(rng, 50);
      SearchOptions options = options_for(Objective::Edp);
      const SearchBudget budget(options);
      LinkSolver solver(toy.graph, toy.architecture, options);
      options.rules.set(Rule::LoneLoops, false);
      LinkSolver every(toy.graph, toy.architecture, options);
      const int last = static_cast<int>(toy.graph.links.size()) - 1;
      for (int level = 0; level + 1 < static_cast<int>(toy.architecture.levels.size()); ++level)
        for (int first = 0; first < last; ++first) {
          if (!why_not_fusing_level(toy.architecture, level).empty()) continue;
          const auto interval = make_interval(toy.graph, toy.architecture, level, first, first + 1, {});
          if (!interval) continue;
          LinkBounds known, fresh;
          TreeSearch search(*interval, solver, kLambda, budget, known);
          TreeSearch all(*interval, every, kLambda, budget, fresh);
          const TreeAnswer answer = search.run(kNoSum), expected = all.run(kNoSum);
          ASSERT_EQ(answer.found == nullptr, expected.found == nullptr) << machine;
          if (!answer.found) continue;
          EXPECT_NEAR(answer.found->value / expected.found->value, 1, 1e-12) << machine << toy.graph.link(first).name;
          ++groups;
          fewer += solver.searches() < every.searches();
        }
    }
  }
  EXPECT_GT(groups, 50);
  EXPECT_GT(fewer, groups / 4);
}

// What a link costs at least in any tree, and all links of a group together, against what they cost in random ones: in
// little room, and for lambdas whose bounds follow from each other.
TEST(FusedSearch, NoLinkOfATreeIsBelowItsBound) {
  int links = 0, reached = 0, raised = 0, raised_together = 0, raised_by_shared = 0;
  for (FusionProblem& toy : testing::fusion_toys())
    for (const char* entries : {"18", "12", "7"}) {
      if (toy.graph.links[0].workload.macs() > 500) continue;
      std::string machine = kSmall;
      machine.replace(machine.find("40"), 2, entries);
      toy.architecture = parse_architecture(machine, "small.yaml").value();
      SearchOptions options = options_for(Objective::Edp);
      const SearchBudget budget(options);
      LinkSolver solver(toy.graph, toy.architecture, options);
      options.rules.set(Rule::HomeBound, false);
      LinkSolver without(toy.graph, toy.architecture, options);
      options.rules.set(Rule::PassBound, false);
      LinkSolver one_by_one(toy.graph, toy.architecture, options);  // each lambda
      testing::RandomTrees random(toy, 5);
      for (int k = 0; k < 150; ++k) {
        const LinkGroup group = random.next();
        const GroupPlan p = plan(group, toy.graph, toy.architecture);
        if (!p.is_legal() || group.is_single()) continue;
        const auto interval = make_interval(toy.graph, toy.architecture, group.level, group.first, group.last, {});
        ASSERT_TRUE(interval.has_value());
        const u64 room = *toy.architecture.levels[group.level].capacity_words();
        if (std::ranges::any_of(p.passes, [&](const LinkPass& pass) { return pass.taken > room; })) continue;
        for (const double lambda : {kLambda, kLambda / 8, kLambda / 2}) {
          LinkBounds bounds, bounds_anywhere;
          LinkBound bound(*interval, solver, lambda, budget, bounds, solver.gate());
          LinkBound anywhere(*interval, without, lambda, budget, bounds_anywhere, without.gate());
          double sum = 0, sum_of_bounds = 0;
          for (int l = group.first; l <= group.last; ++l) {
            const LinkAnswer answer = solver.solve(l, p.passes[l - group.first], lambda, kNoSum, budget);
            sum += answer.found ? sum_value(answer.found->cost, lambda) : kNoSum;
            if (!answer.found) continue;
            const double value = sum_value(answer.found->cost, lambda), least = bound.least(whole(*interval), l, room);
            const LinkAnswer alone = one_by_one.solve(l, p.passes[l - group.first], lambda, kNoSum, budget);
            EXPECT_NEAR(sum_value(alone.found->cost, lambda) / value, 1, 1e-9);
            EXPECT_LE(least * kEqualSum, value) << group_text(group, toy.graph, toy.architecture) << " link " << l;
            ++links;
            reached += value <= least * (1 + 1e-9);
            raised += least > anywhere.least(whole(*interval), l, room) * (1 + 1e-9);
            sum_of_bounds += least;
          }
          const std::vector<double> any(at(group.size()), kNoSum);
          LinkBounds bounds_below;
          LinkBound below(*interval, solver, lambda, budget, bounds_below, solver.gate());
          below.search_together(any, sum_of_bounds * 1.1);
          EXPECT_LE(below.of_group() * kEqualSum, sum) << group_text(group, toy.graph, toy.architecture);
          bound.search_together(any, kNoSum);
          const double together = bound.of_group();
          EXPECT_LE(together * kEqualSum, sum) << group_text(group, toy.graph, toy.architecture);
          EXPECT_GE(together, sum_of_bounds * kEqualSum) << group_text(group, toy.graph, toy.architecture);
          const bool raises = sum < kNoSum && together > sum_of_bounds * (1 + 1e-9);
          raised_together += raises;
          raised_by_shared += raises && std::ranges::none_of(interval->array, &FusedInterval::Array::intermediate);
        }
      }
    }
  EXPECT_GT(links, 500);
  EXPECT_GT(reached, 50);
  EXPECT_GT(raised, 20);
  EXPECT_GT(raised_together, 3);
  EXPECT_GT(raised_by_shared, 0);
}

// What passes must move, and the steps of the units that they can use, against the best mappings of passes of random
// trees: with a slow buffer, through which homes are filled, and with a unit that no factors can use.
TEST(FusedSearch, NoPassCostsLessThanItsWordsAndSteps) {
  int passes = 0, reached = 0, raised = 0;
  for (const auto& [fanout, words] : {std::pair{"8", "2"}, {"5", "16"}}) {
    std::string machine = kSmall;
    machine.replace(machine.find("read: 4"), 7, "shared: " + std::string(words));
    machine.replace(machine.find("shared: 2"), 9, "shared: " + std::string(words));
    machine.replace(machine.find("entries: 40"), 11, "entries: 40, fanout: " + std::string(fanout));
    for (FusionProblem& toy : testing::fusion_toys()) {
      if (toy.graph.links[0].workload.macs() > 500) continue;
      toy.architecture = parse_architecture(machine, "wide.yaml").value();
      SearchOptions options = options_for(Objective::Edp);
      const SearchBudget budget(options);
      LinkSolver solver(toy.graph, toy.architecture, options);
      options.rules.set(Rule::PassBound, false);
      LinkSolver without(toy.graph, toy.architecture, options);
      testing::RandomTrees random(toy, 11);
      for (int k = 0; k < 40; ++k) {
        const LinkGroup group = random.next();
        const GroupPlan p = plan(group, toy.graph, toy.architecture);
        if (!p.is_legal() || group.is_single()) continue;
        for (int l = group.first; l <= group.last; ++l) {
          const LinkPass& pass = p.passes[l - group.first];
          if (pass.taken > 40) continue;
          LinkPass anywhere = pass;
          anywhere.taken = 0;
          for (const double lambda : {kLambda / 8, 32 * kLambda}) {
            const LinkAnswer answer = solver.solve(l, pass, lambda, kNoSum, budget);
            if (!answer.found) continue;
            const double value = sum_value(answer.found->cost, lambda);
            const double least = solver.first_bound(l, anywhere, lambda);
            EXPECT_LE(least * kEqualSum, value) << group_text(group, toy.graph, toy.architecture) << " link " << l;
            ++passes;
            reached += value <= least * 1.01;
            raised += least > without.first_bound(l, anywhere, lambda) * (1 + 1e-9);
          }
        }
      }
    }
  }
  EXPECT_GT(passes, 200);
  EXPECT_GT(reached, 20);
  EXPECT_GT(raised, 20);
}

// The exact search of a pass against all of its mappings, one by one.
TEST(FusedSearch, PassesAreMappedBest) {
  int passes = 0;
  for (FusionProblem& toy : testing::fusion_toys()) {
    if (toy.graph.links[0].workload.macs() > 500) continue;
    toy.architecture = parse_architecture(kSmall, "small.yaml").value();
    toy.architecture.drain_reads = passes % 2 == 1;
    toy.architecture.all_leaks = passes % 3 == 1;
    testing::RandomTrees random(toy, 7);
    for (int k = 0; k < 100; ++k) {
      const LinkGroup group = random.next();
      const GroupPlan p = plan(group, toy.graph, toy.architecture);
      if (!p.is_legal()) continue;
      for (int l = group.first; l <= group.last; ++l) {
        const LinkPass& pass = p.passes[l - group.first];
        if (pass.taken > 40) continue;
        SearchOptions options = options_for(Objective::weighted_sum(kLambda));
        const Workload one = pass_workload(toy.graph.link(l), pass);
        const auto exact = LayerSearch::create(one, toy.architecture, pass, options);
        options.strategy = Strategy::Exhaustive;
        const auto each = LayerSearch::create(one, toy.architecture, pass, options);
        ASSERT_TRUE(exact.ok() && each.ok());
        const LayerAnswer best = exact->search(SearchBudget(options)), all = each->search(SearchBudget(options));
        ASSERT_EQ(best.found, all.found);
        if (!all.found) continue;
        EXPECT_TRUE(best.complete);
        EXPECT_NEAR(sum_value(best.cost, kLambda) / sum_value(all.cost, kLambda), 1, 1e-12)
            << group_text(group, toy.graph, toy.architecture) << " " << one.name;
        ++passes;
      }
    }
  }
  EXPECT_GT(passes, 40);
}

}  // namespace
}  // namespace heliolite::fused_search_test
