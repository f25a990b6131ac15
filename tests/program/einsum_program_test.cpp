// Einsums and networks as affine programs.
#include "tests/support/affine_einsums.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/bounds/lower_bounds.h"
#include "engine/formats/load_network.h"
#include "engine/program/bound/program_bound.h"
#include "engine/program/count.h"
#include "tests/support/affine_dataflow.h"
#include "tests/support/affine_trace.h"

namespace heliolite::einsum_program_test {
namespace {

Workload einsum(const std::string& text) {
  const Result<Network> network = load_network(text);
  EXPECT_TRUE(network.ok()) << (network ? "" : to_string(network.errors()));
  return network->layers[0].workload;
}

TEST(EinsumProgram, AddsProductsToZeros) {
  const Result<SizedProgram> p = einsum_program(einsum("o[i,j] += a[i,k] * b[k,j]; i=3,j=4,k=5"));
  ASSERT_TRUE(p.ok()) << to_string(p.errors());
  EXPECT_EQ(p->sizes, (ParameterValues{{"i", 3}, {"j", 4}, {"k", 5}}));
  const Result<ProgramTrace> t = trace(p->program, p->sizes);
  ASSERT_TRUE(t.ok());
  EXPECT_EQ(t->steps.size(), 3 * 4 + 3 * 4 * 5);
  EXPECT_EQ(t->words.size(), 3 * 4 + 3 * 5 + 5 * 4);
  const Result<DataflowGraph> graph = dataflow(p->program);
  ASSERT_TRUE(graph.ok());
  ASSERT_EQ(graph->reductions.size(), 1);
  EXPECT_EQ(graph->reductions[0].loops, std::vector<int>{2});
  u64 inputs = 0;
  for (const DataflowNode& n : graph->nodes)
    if (n.is_input) inputs += static_cast<u64>(*count_at(p->program.context, n.domain, p->sizes));
  EXPECT_EQ(inputs, 3 * 5 + 5 * 4);
}

// The two doors to one argument: bounds of the tensor's exponents, and of the loops' dataflow.
TEST(EinsumProgram, ItsBoundIsThatOfTheTensors) {
  for (const char* text : {"gemm:400x400x400", "o[a,b,c,d] += x[a,e,b,f] * y[d,f,c,e]; a=24,b=24,c=24,d=24,e=24,f=24",
                           "o[a,b,c] += x[b,d,a] * y[d,c]; a=48,b=48,c=300,d=300",
                           "o[k,x] += w[k,c,r] * i[c,x+r]; k=128,c=128,x=512,r=3"}) {
    const Workload workload = einsum(text);
    const Result<SizedProgram> p = einsum_program(workload);
    ASSERT_TRUE(p.ok()) << to_string(p.errors());
    const Result<ProgramPlan> plan = plan_bound(std::make_shared<const AffineProgram>(p->program), p->sizes);
    ASSERT_TRUE(plan.ok()) << to_string(plan.errors());
    const LowerBounds tensors(workload, {false, false});
    for (const double capacity : {64.0, 256.0}) {
      const double ratio =
          static_cast<double>(program_words(*plan, capacity)) / static_cast<double>(tensors.words(capacity));
      EXPECT_NEAR(ratio, 1, 0.01) << text << " " << capacity;
    }
  }
}

TEST(EinsumProgram, ConvolutionsReduceAllTheirLoops) {
  const Result<SizedProgram> p = einsum_program(einsum("o[k,x] += w[k,c,r] * i[c,2*x+r]; k=2,c=3,x=4,r=3"));
  ASSERT_TRUE(p.ok()) << to_string(p.errors());
  const Result<DataflowGraph> graph = dataflow(p->program);
  ASSERT_TRUE(graph.ok());
  ASSERT_EQ(graph->reductions.size(), 1);
  EXPECT_EQ(graph->reductions[0].loops, (std::vector<int>{2, 3}));
  const isl::set& domain = p->program.statements[1].domain;
  EXPECT_EQ(count_polynomial(p->program.context, domain)->to_string(), "k*x*c*r");
}

TEST(EinsumProgram, AccessesOfOneTensorReadOneArray) {
  const Result<SizedProgram> p = einsum_program(einsum("C[i,j] += A[i,k] * A[j,k]; i=2,j=2,k=3"));
  ASSERT_TRUE(p.ok()) << to_string(p.errors());
  EXPECT_EQ(p->program.arrays.size(), 2);
  EXPECT_EQ(trace(p->program, p->sizes)->words.size(), 4 + 6);
}

TEST(EinsumProgram, LayersReadWhatOthersWrite) {
  Network network{"pair", {}};
  network.layers.push_back({einsum("o[i,j] += a[i,k] * b[k,j]; i=2,j=3,k=4")});
  network.layers.push_back({einsum("o[i,l] += a[i,j] * b[j,l]; i=2,j=3,l=5")});
  network.edges.push_back({0, 1, *network.layers[1].workload.find_tensor("a")});
  const Result<SizedProgram> p = network_program(network);
  ASSERT_TRUE(p.ok()) << to_string(p.errors());
  const Result<ProgramTrace> t = trace(p->program, p->sizes);
  ASSERT_TRUE(t.ok());
  EXPECT_EQ(t->words.size(), 2 * 4 + 4 * 3 + 2 * 3 + 3 * 5 + 2 * 5);
  const Result<DataflowGraph> graph = dataflow(p->program);
  ASSERT_TRUE(graph.ok());
  const auto joins = [](const DataflowEdge& e) { return e.source == 1 && e.target == 3; };
  EXPECT_EQ(std::count_if(graph->edges.begin(), graph->edges.end(), joins), 1);
}

TEST(EinsumProgram, RefusesWhatOneArrayCannotBe) {
  Network network{"pair", {}};
  network.layers.push_back({einsum("o[i,j] += a[i,k] * b[k,j]; i=2,j=3,k=4")});
  network.layers.push_back({einsum("o[i,l] += a[i,j] * b[j,l]; i=2,j=4,l=5")});
  network.edges.push_back({0, 1, *network.layers[1].workload.find_tensor("a")});
  EXPECT_THAT(to_string(network_program(network).errors()), ::testing::HasSubstr("its ends have different sizes"));
  network.edges.clear();
  network.layers[0].count = 2;
  EXPECT_THAT(to_string(network_program(network).errors()), ::testing::HasSubstr("a layer that is repeated"));
}

}  // namespace
}  // namespace heliolite::einsum_program_test
