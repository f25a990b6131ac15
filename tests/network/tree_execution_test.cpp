// Random trees executed word by word: what is legal reads nothing that is not there, and the words of every link, level
// and tensor are those that the plan and the cost model count in closed form.
#include "tests/support/tree_execution.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/model/running_units.h"
#include "tests/support/fusion_toys.h"

namespace heliolite::tree_execution_test {
namespace {

using testing::FusionProblem;
using ::testing::IsEmpty;

// Every size as a product of random factors at the levels, loops in random order.
Mapping random_nest(testing::Rng& rng, const Workload& link, const LinkSizes& sizes, int levels) {
  Mapping m;
  m.level_count = static_cast<u8>(levels);
  LinkSizes left = sizes;
  for (int i = 0; i < levels; ++i) {
    std::vector<int> order;
    for (std::size_t d = 0; d < sizes.size(); ++d) order.push_back(static_cast<int>(d));
    testing::detail::shuffle(rng, order);
    for (const int d : order) {
      u64 factor = left[at(d)];
      if (i + 1 < levels) do
          factor = testing::pick(rng, 1, left[at(d)]);
        while (left[at(d)] % factor != 0);
      left[at(d)] /= factor;
      m.add(LoopKind::Temporal, i, d, factor);
    }
    m.keep[at(i)] = static_cast<TensorMask>((1U << link.tensors.size()) - 1);
  }
  return m;
}

// The pass where homes take no room.
LinkPass without_room(LinkPass pass) {
  pass.taken = 0;
  return pass;
}

// Whether windows of the tensor overlap: what a nest finds in place of them is the cost model's (docs/cost_model.md).
bool slides(const Workload& link, int v) {
  for (int r = 0; r < static_cast<int>(link.tensors[v].ranks.size()); ++r)
    if (!is_plain(link, v, r)) return true;
  return false;
}

void compare(const FusionProblem& toy, const LinkGroup& group, const GroupPlan& plan, testing::Rng& rng) {
  std::vector<Mapping> mappings(toy.graph.links.size());
  for (int l = group.first; l <= group.last; ++l)
    mappings[at(l)] = random_nest(rng, toy.graph.link(l), plan.passes[at(l - group.first)].size,
                                  static_cast<int>(running_chain(toy.graph.link(l), toy.architecture).levels.size()));
  const testing::ExecutedGroup run = testing::TreeExecution(toy, group, plan, mappings).run();
  ASSERT_THAT(run.faults, IsEmpty());
  const auto words = [](const std::map<int, u64>& counts, int a) { return counts.contains(a) ? counts.at(a) : 0; };
  for (int a = 0; a < static_cast<int>(toy.graph.arrays.size()); ++a) {
    const Residence& r = plan.residence[at(a)];
    EXPECT_EQ(words(run.fetched, a), r.fetched) << toy.graph.array(a).name;
    EXPECT_EQ(words(run.stored, a), r.stored) << toy.graph.array(a).name;
    EXPECT_EQ(words(run.returned, a), r.returned) << toy.graph.array(a).name;
  }
  for (const SumTerm& t : plan.terms) EXPECT_EQ(words(run.term_reads, t.array), t.words);
  const bool overlaps = std::ranges::any_of(plan.residence, [](const Residence& r) { return r.overlap.has_value(); });
  for (int l = group.first; l <= group.last; ++l) {
    const Workload& link = toy.graph.link(l);
    const std::size_t k = at(l - group.first);
    // Borders, and lines that a tile and its overlap share, are counted as room.
    if (overlaps) EXPECT_LE(words(run.homes, l), plan.passes[k].taken) << link.name;
    else EXPECT_EQ(words(run.homes, l), plan.passes[k].taken) << link.name;
    const Architecture& chain = running_chain(link, toy.architecture);
    const auto cost = link_cost(link, chain, without_room(plan.passes[k]), mappings[at(l)]);
    ASSERT_TRUE(cost.ok()) << to_string(cost.errors());
    for (int v = 0; v < static_cast<int>(link.tensors.size()); ++v) {
      if (slides(link, v)) continue;
      const bool at_home = plan.residence[at(toy.graph.array_of[at(l)][at(v)])].has_home();
      const int top = at_home ? plan.passes[k].level : static_cast<int>(chain.levels.size()) - 1;
      for (int i = 0; i <= top; ++i) {
        Accesses<u64> counted = cost->words[at(v)][at(i)].words;
        if (at_home && i == top) counted.fills = 0;  // compared above, array by array
        const auto found = run.words.find({l, i, v});
        EXPECT_EQ(found == run.words.end() ? Accesses<u64>{} : found->second, counted)
            << link.name << "." << link.tensors[at(v)].name << " at level " << i;
      }
    }
  }
}

// The machine with room for everything.
std::string roomy(std::string machine) {
  for (std::size_t from = 0; (from = machine.find("entries: ", from)) != machine.npos; ++from)
    machine.replace(from, machine.find(',', from) - from, "entries: 4000");
  return machine;
}

// `trees` random ones of each toy, of which this many hold what comes from outside.
void expect_words_counted(const std::vector<FusionProblem>& toys, int trees, int least_held) {
  int legal = 0, deep = 0, held = 0, overlaps = 0;
  for (const FusionProblem& toy : toys) {
    testing::RandomTrees random(toy, 11);
    testing::Rng rng(5);
    const u64 macs = toy.graph.links[0].workload.macs();
    for (int k = 0; k < (macs > 500 ? 40 : trees); ++k) {
      const LinkGroup group = random.next();
      const GroupPlan p = plan(group, toy.graph, toy.architecture);
      if (!p.is_legal()) continue;
      SCOPED_TRACE(group_text(group, toy.graph, toy.architecture));
      compare(toy, group, p, rng);
      if (::testing::Test::HasFailure()) return;
      ++legal;
      for (const Residence& r : p.residence) {
        deep += r.node > 1;
        held += r.fetched != 0;
        overlaps += r.overlap.has_value();
      }
    }
  }
  EXPECT_GT(legal, 3 * least_held);
  EXPECT_GT(deep, least_held / 2);
  EXPECT_GT(held, least_held);
  EXPECT_GT(overlaps, least_held / 10);
}

TEST(TreeExecution, WordsAreThoseThatAreCounted) {
  std::vector<FusionProblem> toys = testing::fusion_toys();
  for (FusionProblem& toy : toys)
    toy.architecture = parse_architecture(roomy(testing::kTwoBuffers), "roomy.yaml").value();
  expect_words_counted(toys, 700, 100);
}

// Each link on the chain of levels of its unit.
TEST(TreeExecution, WordsAreThoseThatAreCountedOnTwoUnits) {
  std::vector<FusionProblem> toys = testing::fusion_toys();
  for (FusionProblem& toy : toys) toy = testing::on_two_units(std::move(toy), roomy(testing::kTwoUnits));
  expect_words_counted(toys, 150, 10);
}

}  // namespace
}  // namespace heliolite::tree_execution_test
