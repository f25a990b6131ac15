// Neighbours of groups are the changes that are legal, in their order, for any number of threads; what was asked for
// the last time is not listed again.
#include "engine/search/fused/group_neighbours.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/network/group_plan.h"
#include "engine/network/schedule_text.h"
#include "tests/support/fusion_toys.h"

namespace heliolite::group_neighbours_test {
namespace {

using testing::FusionProblem;
using Kind = GroupNeighbours::Kind;

constexpr double kLambda = 4e9;  // units of energy a cycle

// What asking for neighbours takes, on so many threads.
struct Neighbourhood {
  Neighbourhood(const FusionProblem& toy, int threads)
      : options(with_threads(threads)),
        solver(toy.graph, toy.architecture, options),
        looks(toy.graph, toy.architecture, rules, solver),
        neighbours(toy.graph, looks, levels, kLambda, threads, [] { return false; }) {
    for (int level = 0; level + 1 < static_cast<int>(toy.architecture.levels.size()); ++level)
      if (why_not_fusing_level(toy.architecture, level).empty()) levels.push_back(level);
  }
  static SearchOptions with_threads(int threads) {
    SearchOptions out;
    out.threads = threads;
    return out;
  }

  SearchOptions options;
  FusionRules rules;
  LinkSolver solver;
  GroupLooks looks;
  std::vector<int> levels;
  GroupNeighbours neighbours;
};

// A few legal groups of two links or more.
std::vector<LinkGroup> legal_groups(const FusionProblem& toy) {
  std::vector<LinkGroup> out;
  testing::RandomTrees random(toy, 31);
  for (int k = 0; k < 40 && out.size() < 4; ++k) {
    LinkGroup group = random.next();
    if (!group.is_single() && plan(group, toy.graph, toy.architecture).is_legal()) out.push_back(std::move(group));
  }
  return out;
}

TEST(GroupNeighbours, AreTheLegalChanges) {
  int legal = 0, illegal = 0;
  for (const FusionProblem& toy : testing::fusion_toys()) {
    Neighbourhood here(toy, 2);
    GroupMoves moves(toy.graph);
    for (const LinkGroup& group : legal_groups(toy)) {
      SCOPED_TRACE(group_text(group, toy.graph, toy.architecture));
      GroupNeighbours::Lists lists;
      const std::vector<GroupNeighbours::Question> questions{{Kind::Changed, &group}};
      const std::vector<Neighbour>& found = *here.neighbours.of(questions, lists).front();
      std::size_t k = 0;
      for (const LinkGroup& next : moves.changed(group)) {
        const GroupLook look = here.looks.of(next);
        if (!look.legal) {
          ++illegal;
          continue;
        }
        ++legal;
        ASSERT_LT(k, found.size());
        EXPECT_EQ(found[k].groups, std::vector{next});
        ASSERT_EQ(found[k].known.size(), 1U);
        EXPECT_EQ(found[k].known[0]->look.moved, look.moved);
        EXPECT_EQ(found[k].known[0]->bound, sum_value(look.moved, kLambda) * toy.graph.links[next.first].count);
        EXPECT_EQ(found[k].known[0], &here.neighbours.known(next));
        ++k;
      }
      EXPECT_EQ(k, found.size());
    }
  }
  EXPECT_GT(legal, 100);
  EXPECT_GT(illegal, 10);
}

TEST(GroupNeighbours, AreTheSameForAnyNumberOfThreads) {
  for (const FusionProblem& toy : testing::fusion_toys()) {
    const std::vector<LinkGroup> groups = legal_groups(toy);
    std::vector<GroupNeighbours::Question> questions;
    for (const LinkGroup& group : groups)
      for (const Kind kind : {Kind::Changed, Kind::Elsewhere}) questions.push_back({kind, &group});
    const LinkGroup first{0, 0, 0, {}}, second{1, 1, 0, {}};
    questions.push_back({Kind::Merged, &first, &second});
    Neighbourhood one(toy, 1);
    GroupNeighbours::Lists of_one;
    const auto expected = one.neighbours.of(questions, of_one);
    for (const int threads : {2, 8}) {
      Neighbourhood several(toy, threads);
      GroupNeighbours::Lists of_several;
      const auto found = several.neighbours.of(questions, of_several);
      ASSERT_EQ(found.size(), questions.size());
      for (std::size_t q = 0; q < found.size(); ++q) {
        ASSERT_EQ(found[q]->size(), expected[q]->size());
        for (std::size_t k = 0; k < found[q]->size(); ++k) {
          EXPECT_EQ((*found[q])[k].groups, (*expected[q])[k].groups);
          for (std::size_t g = 0; g < (*found[q])[k].known.size(); ++g)
            EXPECT_EQ((*found[q])[k].known[g]->bound, (*expected[q])[k].known[g]->bound);
        }
      }
    }
  }
}

TEST(GroupNeighbours, ListsOfTheLastTimeAreRemembered) {
  const FusionProblem toy = testing::fusion_toys().front();
  const std::vector<LinkGroup> groups = legal_groups(toy);
  ASSERT_GE(groups.size(), 2U);
  Neighbourhood here(toy, 1);
  GroupNeighbours::Lists lists;
  const GroupNeighbours::Question a{Kind::Changed, &groups[0]}, b{Kind::Changed, &groups[1]};
  const auto ask = [&](const std::vector<GroupNeighbours::Question>& questions) {
    return here.neighbours.of(questions, lists);
  };
  const auto both = ask({a, b});
  both[0]->clear();
  EXPECT_EQ(ask({a, a}), (std::vector{both[0], both[0]}));
  EXPECT_EQ(lists.size(), 1U);
  EXPECT_TRUE(ask({a}).front()->empty());
  ask({b});
  EXPECT_FALSE(ask({a}).front()->empty());
}

}  // namespace
}  // namespace heliolite::group_neighbours_test
