// Networks as fusion sees them: which ranks of an array are which dimensions of every link, by the edges of the file.
#include "engine/network/link_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "tests/support/fusion_records.h"

namespace heliolite::link_graph_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Network sum_with_input(const std::string& ranks) {
  return testing::read_well(parse_network(R"(
inputs: [X]
layers:
- {name: a, einsum: "z[m,n] += w[m,k] * x[k,n]", sizes: {m: 4, n: 4, k: 2}, roles: {w: weight}}
- {name: b, einsum: "z[i,j] += w[i,k] * x[k,j]", sizes: {i: 2, j: 4, k: 4}, roles: {w: weight}}
- {name: c, einsum: "z[p,q] += w[p,r] * x[r,q]", sizes: {p: 2, q: 4, r: 4}, roles: {w: weight}}
edges:
- {from: a, to: b, tensor: x, combine: add, ranks: {m: k, n: j}}
- {from: X, to: b, tensor: x, combine: add}
- {from: X, to: c, tensor: x)" + ranks + "}\n",
                                          "network.yaml"));
}

// The first reader of X takes it as the term of a sum: the link that makes the sum's other term reads it.
TEST(GraphOfNetwork, NamesRanksByTheMakerOfASum) {
  const LinkGraph graph = testing::read_well(graph_of_network(sum_with_input(", ranks: {k: r, j: q}")));
  const SharedArray& x = graph.array(graph.find_array("X").value());
  EXPECT_EQ(x.why_apart, "");
  ASSERT_EQ(x.touches.size(), 2u);
  EXPECT_EQ(x.touches[0].link, 0);
  EXPECT_TRUE(x.touches[0].is_term);
  ASSERT_EQ(x.touches[1].ranks.size(), 2u);
  EXPECT_THAT(x.touches[1].ranks[0].array, ElementsAre(0));  // m of a
  EXPECT_THAT(x.touches[1].ranks[0].own, ElementsAre(2));    // r of c
  EXPECT_THAT(x.touches[1].ranks[1].array, ElementsAre(1));
  EXPECT_THAT(x.touches[1].ranks[1].own, ElementsAre(1));
}

TEST(GraphOfNetwork, SaysWhyALoopGoesAroundNoEdge) {
  const LinkGraph by_size = testing::read_well(graph_of_network(sum_with_input("")));
  EXPECT_EQ(by_size.array(by_size.find_array("X").value()).why_apart,
            "edge from X to x of c: sizes leave several ways: k 4, j 4 to r 4, q 4; the edge's `ranks` say which "
            "correspond");
  const LinkGraph none = testing::read_well(graph_of_network(sum_with_input(", ranks: {}")));
  EXPECT_EQ(none.array(none.find_array("X").value()).why_apart,
            "edge from X to x of c: no ranks correspond, as its 'ranks' say");
  Network backwards = sum_with_input("");
  std::swap(backwards.layers[0], backwards.layers[1]);
  for (Edge& e : backwards.edges)
    if (!e.from_input) std::swap(e.from, e.to);
  std::erase_if(backwards.edges, &Edge::from_input);
  EXPECT_THAT(to_string(graph_of_network(backwards).errors()), HasSubstr("stands behind it"));
}

}  // namespace
}  // namespace heliolite::link_graph_test
