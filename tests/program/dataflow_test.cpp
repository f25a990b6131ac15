// Exact dataflow: the kernels of configs/polybench, chains, inputs.
#include "tests/support/affine_dataflow.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "engine/program/affine_program.h"

namespace heliolite::dataflow_test {
namespace {

struct Kernel {
  AffineProgram program;
  DataflowGraph graph;
};

Kernel kernel(const std::string& name) {
  Result<AffineProgram> program =
      load_program(std::string(HELIOLITE_TEST_DATA) + "/../configs/polybench/" + name + ".c");
  EXPECT_TRUE(program.ok()) << to_string(program.errors());
  Result<DataflowGraph> graph = dataflow(*program);
  EXPECT_TRUE(graph.ok()) << to_string(graph.errors());
  return {std::move(program).value(), std::move(graph).value()};
}

// The edges of a kind between two nodes, by name, as one relation; none: "".
bool has_edges(const Kernel& k, const std::string& from, const std::string& to, EdgeKind kind,
               const std::string& text) {
  isl::map all = isl::map(k.program.context.get(), text);
  isl::map found = isl::manage(isl_map_empty(isl_map_get_space(all.get())));
  for (const DataflowEdge& e : k.graph.edges)
    if (k.graph.nodes[static_cast<std::size_t>(e.source)].name == from &&
        k.graph.nodes[static_cast<std::size_t>(e.target)].name == to && e.kind == kind)
      found = found.unite(e.relation);
  all = all.intersect_params(k.program.assumed);
  found = found.intersect_params(k.program.assumed);
  return found.is_equal(all);
}

TEST(Dataflow, OfEveryKernel) {
  std::size_t kernels = 0;
  const std::string folder = std::string(HELIOLITE_TEST_DATA) + "/../configs/polybench";
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (file.path().extension() != ".c") continue;
    ++kernels;
    const Kernel k = kernel(file.path().stem().string());
    EXPECT_FALSE(k.graph.edges.empty());
    const auto is_input = [](const DataflowNode& n) { return n.is_input; };
    EXPECT_TRUE(std::any_of(k.graph.nodes.begin(), k.graph.nodes.end(), is_input)) << file.path();
    for (const DataflowEdge& e : k.graph.edges) EXPECT_TRUE(e.relation.is_injective()) << e.relation;
  }
  EXPECT_EQ(kernels, 30);
}

TEST(Dataflow, OfCholesky) {
  const Kernel k = kernel("cholesky");  // S0 updates, S1 divides, S2 and S3 make the diagonal
  EXPECT_TRUE(has_edges(k, "S0", "S0", EdgeKind::chain,
                        "[N] -> { S0[i, j, k] -> S0[i, j, k + 1] : 0 <= k < j - 1 and j < i < N }"));
  EXPECT_TRUE(has_edges(
      k, "S1", "S0", EdgeKind::flow,
      "[N] -> { S1[i, k] -> S0[i, j, k] : 0 <= k < j < i < N; S1[j, k] -> S0[i, j, k] : 0 <= k < j < i < N }"));
  EXPECT_TRUE(has_edges(k, "S3", "S1", EdgeKind::flow, "[N] -> { S3[j] -> S1[i, j] : 0 <= j < i < N }"));
  EXPECT_TRUE(has_edges(k, "A", "S0", EdgeKind::broadcast, "[N] -> { A[i, j] -> S0[i, j, k] : 0 <= k < j < i < N }"));
}

TEST(Dataflow, StencilsPassThroughBothSweeps) {
  const Kernel k = kernel("jacobi-1d");
  EXPECT_TRUE(
      has_edges(k, "S0", "S1", EdgeKind::flow,
                "[T, N] -> { S0[t, x] -> S1[t, i] : 0 <= t < T and i - 1 <= x <= i + 1 and 1 <= x, i <= N - 2 }"));
  EXPECT_TRUE(has_edges(
      k, "S1", "S0", EdgeKind::flow,
      "[T, N] -> { S1[t, x] -> S0[t + 1, i] : 0 <= t < T - 1 and i - 1 <= x <= i + 1 and 1 <= x, i <= N - 2 }"));
  EXPECT_TRUE(k.graph.reductions.empty());
}

TEST(Dataflow, InputsAreTheElementsReadBeforeTheyAreWritten) {
  const Kernel k = kernel("trmm");  // reads A below its diagonal only
  const int a = k.graph.input_node(k.program.statements[0].reads[1].array);
  ASSERT_GE(a, 0);
  const isl::set& elements = k.graph.nodes[static_cast<std::size_t>(a)].domain;
  EXPECT_TRUE(elements.is_equal(isl::set(elements.ctx(), "[M, N] -> { A[k, i] : 0 <= i < k < M and N >= 1 }")));
}

Kernel written(const std::string& body) {
  Result<AffineProgram> program = parse_program("#pragma scop\n" + body + "\n#pragma endscop\n", "p.c");
  EXPECT_TRUE(program.ok()) << to_string(program.errors());
  Result<DataflowGraph> graph = dataflow(*program);
  EXPECT_TRUE(graph.ok());
  return {std::move(program).value(), std::move(graph).value()};
}

TEST(Dataflow, ReductionsOverSeveralLoopsDropThemAll) {
  // The chain steps along w, and back to its begin with each step of c: no translation.
  const Kernel k = written(
      "for (x = 0; x < X; x++) { s = b[x];\n"
      "  for (c = 0; c < C; c++) for (w = 0; w < W; w++) s += I[x + w][c] * F[w][c];\n"
      "  o[x] = s; }");
  ASSERT_EQ(k.graph.reductions.size(), 1);
  const Reduction& r = k.graph.reductions[0];
  EXPECT_EQ(r.statement, 1);
  EXPECT_EQ(r.loops, (std::vector<int>{1, 2}));
  EXPECT_TRUE(r.compound);
  EXPECT_TRUE(has_edges(k, "S0", "S1", EdgeKind::broadcast,
                        "[X, C, W] -> { S0[x] -> S1[x, c, w] : 0 <= x < X and 0 <= c < C and 0 <= w < W }"));
  EXPECT_TRUE(has_edges(k, "S0", "S1", EdgeKind::flow,
                        "[X, C, W] -> { S0[x] -> S1[x, 0, 0] : 0 <= x < X and C > 0 and W > 0 }"));
}

// What somebody else writes in between ends a chain; so does an element that is reached again in another order.
TEST(Dataflow, InterruptedChainsAreNoReductions) {
  EXPECT_TRUE(written("for (i = 0; i < N; i++) { s += A[i]; s = s / B[i]; }").graph.reductions.empty());
  EXPECT_TRUE(written("for (i = 0; i < N; i++) for (j = 0; j < N; j++) { x[j] += A[i][j]; x[i] = x[i] * B[i][j]; }")
                  .graph.reductions.empty());
}

}  // namespace
}  // namespace heliolite::dataflow_test
