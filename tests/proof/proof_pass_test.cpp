// Proofs of small layers: the values are those of complete enumeration, the checker accepts them, the bytes are those
// of any number of threads, and limits end a pass with a reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <atomic>
#include <map>
#include <optional>
#include <sstream>

#include "engine/formats/load_architecture.h"
#include "engine/formats/load_network.h"
#include "engine/model/cost_model.h"
#include "engine/proof/proof_file.h"
#include "engine/proof/prove.h"
#include "engine/search/map.h"
#include "tests/support/proof_cases.h"
#include "tests/support/proven.h"
#include "tests/support/search_problem.h"

namespace heliolite::proof_pass_test {
namespace {

using proof::ProofOptions;
using proof::ProofReport;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using testing::prove_answer;
using testing::Proven;
using testing::random_search_problem;
using testing::SearchProblem;

Workload layer(const std::string& text) { return load_network(text)->layers.front().workload; }

// Random machines: of those that proofs are of, each answer has one, its cost is the least of all mappings, and the
// checker says so.
TEST(ProofPass, ProvesTheOptimaOfCompleteEnumerations) {
  int proven = 0;
  for (u64 seed = 0; seed < 120; ++seed) {
    const SearchProblem p = random_search_problem(seed, {.max_mappings = 3'000});
    if (p.answer.legal == 0) continue;
    for (const Objective objective : {Objective::Edp, Objective::Energy, Objective::Delay, Objective::Ed2p}) {
      SCOPED_TRACE(::testing::Message() << "seed " << seed << ", " << name(objective));
      SearchOptions search;
      search.objective = objective;
      search.threads = 1;
      const auto [report, text] = prove_answer(p.workload, p.architecture, search);
      if (!report.refused.empty()) {
        EXPECT_THAT(report.refused, HasSubstr("no proof for "));
        continue;
      }
      EXPECT_EQ(report.ended, "");
      // Energies of networks are cut off in doubles; cycles are exact.
      const double value = objective_number(objective, p.answer.best[at(objective)].cost);
      EXPECT_NEAR(objective_number(objective, report.cost), value, value * 1e-6);
      if (!report.complete()) continue;
      const testing::Checked checked = testing::check(text);
      EXPECT_EQ(checked.verdict, testing::Verdict::Accepted) << checked.what;
      ++proven;
    }
  }
  EXPECT_GT(proven, 100);
}

// The least mapping unrolls along C; the states of another unrolling, which is tried before, have counted more.
TEST(ProofPass, BoundsOfAnUnrollingAreOfItsOwnState) {
  const std::string machine = R"(architecture:
  name: two_fanouts
  levels:
  - {name: DRAM, dram: true, energy: 100, leak_pj_per_cycle: 0.25}
  - {name: L0, entries: 1024, energy: 6.25, fanout: 2x2}
  - {name: L1, entries: 100, energy: 0.5, multiple_buffering: 2}
  - {name: L2, entries: 16, energy: 1, fanout: 2}
  compute: {name: MAC, energy: 0.5}
)";
  const Result<Architecture> read = parse_architecture(machine, "two_fanouts");
  ASSERT_TRUE(read.ok());
  const Proven p = prove_answer(layer("conv:c=4,k=8,p=3,q=3,r=1,s=1"), *read, {});
  EXPECT_TRUE(p.report.complete()) << p.report.refused << p.report.ended;
  const testing::Checked checked = testing::check(p.text);
  EXPECT_EQ(checked.verdict, testing::Verdict::Accepted) << checked.what;
}

// A state that others are left out for is left out itself only for one that stands for them, too.
TEST(ProofPass, WhatReplacesAStateStandsForAllThatItStoodFor) {
  const std::string machine = R"(architecture:
  name: open
  levels:
  - {name: DRAM, dram: true, energy: 200, bandwidth: {read: 3, write: 2}}
  - {name: L0, entries: 32, energy: 6.25}
  - {name: L1, entries: 4, energy: 6.25}
  - {name: L2, entries: 32, energy: 0.5, fanout: 4}
  compute: {name: MAC, energy: 0.5}
)";
  const Result<Architecture> read = parse_architecture(machine, "open");
  ASSERT_TRUE(read.ok());
  SearchOptions search;
  search.open = true;
  const Proven p = prove_answer(layer("conv:c=8,k=10,p=4,q=4,r=3,s=3"), *read, search);
  EXPECT_TRUE(p.report.complete()) << p.report.refused << p.report.ended;
  const testing::Checked checked = testing::check(p.text);
  EXPECT_EQ(checked.verdict, testing::Verdict::Accepted) << checked.what;
}

// Points that take several cycles: what is proven is what the search finds, what its mappings cost, and accepted.
TEST(ProofPass, ProvesOptimaOfOperationsOfSeveralCycles) {
  int proven = 0;
  for (u64 seed = 0; seed < 100; ++seed) {
    SearchProblem p = random_search_problem(seed, {.max_mappings = 1'000});
    if (p.answer.legal == 0) continue;
    p.workload.operations = 1 + seed % 4;
    p.architecture.compute.cycles_per_op = 1 + seed % 3;
    SearchOptions search;
    search.threads = 1;
    const auto [report, text] = prove_answer(p.workload, p.architecture, search);
    if (!report.complete()) continue;
    const testing::Checked checked = testing::check(text);
    EXPECT_EQ(checked.verdict, testing::Verdict::Accepted) << "seed " << seed << ": " << checked.what;
    const double value = map_workload(p.workload, p.architecture, search)->value;
    EXPECT_NEAR(objective_number(search.objective, report.cost), value, value * 1e-6) << "seed " << seed;
    proven += p.workload.operations * p.architecture.compute.cycles_per_op > 1;
  }
  EXPECT_GT(proven, 20);
}

// The least value, and a mapping of the next; none where all cost the same.
struct SecondBest {
  double least = 0;
  std::optional<Mapping> mapping;
};

SecondBest second_best(const Workload& workload, const Architecture& machine, Objective objective) {
  const CostModel model(workload, machine);
  std::map<double, Mapping> by_value;
  const auto ask = [&](const Mapping& mapping) {
    const Evaluation e = model.evaluate(mapping);
    if (e.verdict == Verdict::Fits) by_value.emplace(objective_number(objective, e.cost), mapping);
    return e;
  };
  EXPECT_TRUE(testing::enumerate_mapspace(workload, machine, {.price = ask}));
  SecondBest out{by_value.begin()->first, {}};
  for (const auto& [value, mapping] : by_value)
    if (!out.mapping && value > out.least * (1 + 1e-6)) out.mapping = mapping;
  return out;
}

// Only the least value may be proven: of another mapping the pass says that it is not the best, or takes its loops
// over batches outside, which may make the best one of it.
bool proves_no_other(const Workload& workload, const Architecture& machine, Objective objective) {
  const SecondBest second = second_best(workload, machine, objective);
  if (!second.mapping) return false;
  SearchOptions search;
  search.objective = objective;
  search.threads = 1;
  std::ostringstream file;
  const ProofReport report = proof::prove(workload, machine, search, {*second.mapping}, {}, file);
  if (report.complete()) {
    EXPECT_NEAR(objective_number(objective, report.cost), second.least, second.least * 1e-6);
  }
  return report.refused.empty();
}

TEST(ProofPass, ProvesNoSecondBestOfRandomMachines) {
  int asked = 0;
  for (u64 seed = 0; seed < 250; ++seed) {
    const SearchProblem p = random_search_problem(seed + 700, {.max_mappings = 3'000});
    if (p.answer.legal < 2) continue;
    for (const Objective objective : {Objective::Edp, Objective::Energy, Objective::Delay}) {
      SCOPED_TRACE(::testing::Message() << "seed " << seed << ", " << name(objective));
      asked += proves_no_other(p.workload, p.architecture, objective);
    }
  }
  EXPECT_GT(asked, 100);
}

// Where a level keeps tensors that do not slide, and one inside it a tensor that does.
TEST(ProofPass, ProvesNoSecondBestWhereATensorSlidesFurtherInside) {
  for (const char* held : {"outputs", "weights"})
    for (const int entries : {4, 12, 40})
      for (const int buffer : {5, 8, 12, 16})
        for (const char* text : {"Z[q] += A[q+s]*B[s]; q=12,s=3", "Z[q] += A[2*q+s]*B[s]; q=27,s=3",
                                 "Z[m,q] += A[m,q+s]*B[s]; m=2,q=18,s=3", "Z[m,q] += A[q+s]*B[m,s]; m=2,q=16,s=3"}) {
          const Result<Architecture> machine = parse_architecture(
              fmt::format("architecture:\n  name: middle\n  levels:\n  - {{name: DRAM, dram: true, energy: 100}}\n"
                          "  - {{name: Middle, entries: {}, energy: 6, keep: [{}]}}\n"
                          "  - {{name: Buffer, entries: {}, energy: 1}}\n  compute: {{name: MAC, energy: 1}}\n",
                          entries, held, buffer),
              "middle");
          ASSERT_TRUE(machine.ok());
          SCOPED_TRACE(fmt::format("{}, {}, {} words, {} in the buffer", text, held, entries, buffer));
          EXPECT_TRUE(proves_no_other(layer(text), *machine, Objective::Energy));
        }
}

TEST(ProofPass, AnyNumberOfThreadsWritesTheSameBytes) {
  for (const char* machine : {"eyeriss", "simba"}) {
    const Architecture a = *load_architecture(machine);
    const Workload conv = layer("conv:k=16,c=8,p=8,q=8,r=3,s=3");
    SearchOptions search;
    search.threads = 1;
    const std::string one = prove_answer(conv, a, search, {.packed = true}).text;
    for (const int threads : {2, 8}) {
      search.threads = threads;
      EXPECT_EQ(prove_answer(conv, a, search, {.packed = true}).text, one);
    }
  }
}

TEST(ProofPass, APackedProofIsThePlainOne) {
  const Architecture a = *load_architecture("eyeriss");
  const Workload gemm = layer("gemm:16x12x8");
  const Proven plain = prove_answer(gemm, a, {}), packed = prove_answer(gemm, a, {}, {.packed = true});
  EXPECT_TRUE(plain.report.complete());
  EXPECT_THAT(plain.text, HasSubstr("\nclaim optimal edp " + plain.report.claim.substr(4) + "\nmapping "));
  EXPECT_THAT(plain.text, EndsWith("\nend " + std::to_string(plain.report.states) + "\n"));
  EXPECT_EQ(packed.report.bytes, packed.text.size());
  const Result<std::string> unpacked = proof::unpacked(packed.text, 1 << 20);
  ASSERT_TRUE(unpacked.ok());
  EXPECT_EQ(*unpacked, plain.text);
  EXPECT_FALSE(proof::unpacked(packed.text.substr(0, packed.text.size() / 2), 1 << 20).ok());
}

TEST(ProofPass, BatchLoopsGoToTheOutermostLevel) {
  const Architecture a = *load_architecture("edge_unified");
  const Proven p = prove_answer(layer("Z[g,m,n] += A[g,m,k]*B[g,k,n]; g=6,m=8,n=8,k=8"), a, {});
  EXPECT_TRUE(p.report.complete()) << p.report.refused << p.report.ended;
  EXPECT_THAT(p.text, HasSubstr("\nreduce batch g\nmapping "));
}

// The workload with a dimension of size 2 beside one that is alone in its ranks, in the same tensors; none: there is no
// such one that is small.
std::optional<Workload> with_copied_dimension(Workload w) {
  for (std::size_t d = 0; d < w.dimensions.size(); ++d) {
    const auto is_apart = [&](const Rank& rank) {
      return std::ranges::none_of(rank.terms, [&](const auto& term) { return term.dimension == static_cast<int>(d); });
    };
    const auto is_alone = [&](const Rank& rank) {
      return is_apart(rank) || (rank.terms.size() == 1 && rank.terms[0].coefficient == 1);
    };
    const u64 size = w.dimensions[d].size;
    if (size < 2 || size > 4 ||
        !std::ranges::all_of(w.tensors, [&](const Tensor& t) { return std::ranges::all_of(t.ranks, is_alone); }))
      continue;
    const int copy = static_cast<int>(w.dimensions.size());
    w.dimensions.push_back({"X", 2});
    for (Tensor& t : w.tensors)
      if (!std::ranges::all_of(t.ranks, is_apart)) t.ranks.push_back(Rank{{{copy, 1}}});
    return w;
  }
  return std::nullopt;
}

// Against complete enumeration: with two dimensions as one the least value stays, and no other is proven.
TEST(ProofPass, DimensionsThatAreAlikeAreOne) {
  int merged = 0;
  for (u64 seed = 0; seed < 150; ++seed) {
    const SearchProblem p = random_search_problem(seed + 3000, {.max_mappings = 300, .reductions = seed % 3 == 0});
    const std::optional<Workload> w = with_copied_dimension(p.workload);
    if (p.answer.legal < 2 || !w) continue;
    for (const Objective objective : {Objective::Edp, Objective::Energy, Objective::Delay}) {
      SCOPED_TRACE(::testing::Message() << "seed " << seed << ", " << name(objective));
      SearchOptions search;
      search.objective = objective;
      search.threads = 1;
      const auto [report, text] = prove_answer(*w, p.architecture, search);
      if (!report.complete() || text.find("\nreduce merge ") == std::string::npos) continue;
      const double least = second_best(*w, p.architecture, objective).least;
      EXPECT_NEAR(objective_number(objective, report.cost), least, least * 1e-6);
      const testing::Checked checked = testing::check(text);
      EXPECT_EQ(checked.verdict, testing::Verdict::Accepted) << checked.what;
      proves_no_other(*w, p.architecture, objective);
      ++merged;
    }
  }
  EXPECT_GT(merged, 30);
}

// Products whose dimensions are three to the cost model: a proof of these.
TEST(ProofPass, ManyDimensionsOfAProductAreThree) {
  const Architecture a = *load_architecture("eyeriss");
  const Proven p = prove_answer(layer("Z[a,b,c,d] += A[d,b,e,a]*B[e,c]; a=6,b=4,c=12,d=9,e=8"), a, {});
  EXPECT_TRUE(p.report.complete()) << p.report.refused << p.report.ended;
  EXPECT_THAT(p.text, HasSubstr("\nreduce merge a b\nreduce merge a d\nmapping "));
  EXPECT_EQ(testing::check(p.text).verdict, testing::Verdict::Accepted);
}

// Five tensors that four levels may hold, and a network that words pay to enter: many flows are in place at a time.
TEST(ProofPass, ManyTensorsHaveManyFlows) {
  const Architecture a = *load_architecture("gpu_sm");
  const Workload five = layer("Z[l,m,n] += A[i,j,k]*B[i,l]*C[j,m]*D[k,n]; i=4,j=2,k=2,l=4,m=2,n=2");
  SearchOptions search;
  search.budget_seconds = 0.3;
  const ProofReport report = prove_answer(five, a, search, {.packed = false, .budget_seconds = 0.3}).report;
  EXPECT_THAT(report.refused + report.ended, ::testing::AnyOf("", HasSubstr("flows of words"), HasSubstr("time is up"),
                                                              HasSubstr("below the answer")));
}

TEST(ProofPass, LimitsEndItWithAReason) {
  const Architecture a = *load_architecture("eyeriss");
  const Workload conv = layer("conv:k=64,c=64,p=56,q=56,r=3,s=3");
  SearchOptions search;
  EXPECT_EQ(prove_answer(conv, a, search, {.packed = false, .file_bytes = 3000}).report.ended,
            "the limit of the file's size is reached");
  EXPECT_EQ(prove_answer(conv, a, search, {.packed = false, .budget_seconds = 0.0}).report.ended,
            "the time is up, or it was stopped");
}

TEST(ProofPass, QuestionsWithoutProofsAreRefusedByName) {
  SearchOptions search;
  search.factors = Factors::Any;
  EXPECT_EQ(proof::refusal(search), "no proof for factors that do not divide yet");
  search.factors = Factors::Perfect;
  search.objective = Objective::Edap;
  EXPECT_EQ(proof::refusal(search), "no proof for edap yet");
  search.objective = Objective::Ed2p;
  EXPECT_EQ(proof::refusal(search), "");
}

}  // namespace
}  // namespace heliolite::proof_pass_test
