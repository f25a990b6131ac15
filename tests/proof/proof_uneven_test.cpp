// Proofs of uneven tiles: the values are those of complete enumerations of every order of the tiles, the checker
// accepts them, nothing else has a proof, and no order can be left out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "engine/formats/load_architecture.h"
#include "engine/proof/stacks.h"
#include "engine/search/map.h"
#include "tests/support/proof_cases.h"
#include "tests/support/proven.h"
#include "tests/support/uneven_mappings.h"

namespace heliolite::proof_uneven_test {
namespace {

using proof::ProofReport;
using testing::check;
using testing::Checked;
using ::testing::HasSubstr;
using testing::OracleAnswer;
using testing::prove;
using testing::prove_answer;
using testing::SearchProblem;
using testing::Verdict;

constexpr std::array kObjectives = {Objective::Edp, Objective::Energy, Objective::Delay, Objective::Ed2p};

SearchOptions uneven(Objective objective) {
  SearchOptions out;
  out.objective = objective;
  out.tiles = Tiles::Uneven;
  out.threads = 1;
  return out;
}

// What proofs of random problems came to.
struct Counts {
  int proven = 0, gains = 0;
};

// The search's answer has a proof, which is of the least of all uneven mappings.
void expect_proven(const SearchProblem& p, const OracleAnswer& all, Objective objective, Counts& counts) {
  const SearchOptions search = uneven(objective);
  const Result<MappingResult> answer = map_workload(p.workload, p.architecture, search);
  ASSERT_TRUE(answer.ok()) << to_string(answer.errors());
  const auto [report, text] = prove(p.workload, p.architecture, search, {answer->mapping, answer->unit});
  if (!report.refused.empty()) {
    EXPECT_THAT(report.refused, HasSubstr("no proof "));
    EXPECT_THAT(report.refused, ::testing::Not(HasSubstr("uneven")));
    return;
  }
  const double least = objective_number(objective, all.best[at(objective)].cost);
  ASSERT_TRUE(report.complete()) << report.ended;
  EXPECT_NEAR(objective_number(objective, report.cost), least, least * 1e-6);
  const Checked checked = check(text);
  EXPECT_EQ(checked.verdict, Verdict::Accepted) << checked.line << ": " << checked.what << "\n" << text;
  ++counts.proven;
  // Of the best with even tiles the pass says what is better.
  const testing::OracleBest& even = p.answer.best[at(objective)];
  if (p.answer.legal == 0 || objective_number(objective, even.cost) <= least * (1 + 1e-6)) return;
  ++counts.gains;
  const ProofReport worse = prove(p.workload, p.architecture, search, {even.mapping}).report;
  EXPECT_FALSE(worse.complete());
  ASSERT_TRUE(worse.better) << worse.refused << worse.ended;
  const Evaluation better = CostModel(p.workload, p.architecture).evaluate(worse.better->mapping);
  EXPECT_EQ(better.verdict, heliolite::Verdict::Fits);
  EXPECT_LT(objective_number(objective, better.cost), objective_number(objective, even.cost));
}

TEST(ProofUneven, ProvesTheLeastOfAllUnevenMappings) {
  Counts counts;
  for (u64 seed = 0; seed < 600; ++seed) {
    const SearchProblem p =
        seed % 3 != 0 ? testing::small_buffers(seed, seed % 2 == 0)
                      : testing::random_search_problem(seed, {.max_mappings = 300, .reductions = seed % 2 == 0});
    const auto all = testing::all_uneven(p, 8'000);
    if (!all || all->legal == 0) continue;
    SCOPED_TRACE(seed);
    for (const Objective objective : kObjectives) expect_proven(p, *all, objective, counts);
    if (::testing::Test::HasFailure()) break;
  }
  EXPECT_GT(counts.proven, 500);
  EXPECT_GT(counts.gains, 30);
}

// A buffer of this many words under DRAM, whose reads cost nothing.
Architecture buffer(u64 words) {
  return *parse_architecture(
      fmt::format(
          "architecture:\n  name: buffer\n  word_bits: 16\n  levels:\n"
          "  - {{name: DRAM, dram: true, energy: {{read: 1, write: 1}}}}\n"
          "  - {{name: Buffer, entries: {}, energy: {{read: 0, write: 0}}}}\n  compute: {{name: MAC, energy: 0}}\n",
          words),
      "buffer");
}

Workload layer(const std::string& text) { return load_network(text)->layers.front().workload; }

std::string with_digest(std::string text) {
  const std::string head = "heliolite-proof 1\ninstance ";
  const std::size_t begin = text.find(head);
  return text.replace(begin + head.size(), 64, check_proof::sha256(text.substr(0, begin)));
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t begin = text.find(from);
  EXPECT_NE(begin, text.npos) << from;
  return text.replace(begin, from.size(), to);
}

// The example of docs/rules/uneven.md: every word moves once.
TEST(ProofUneven, WordsMoveOnceAndNoOrderCanBeLeftOut) {
  const auto [report, text] = prove_answer(layer("gemm:8x64x8"), buffer(37), uneven(Objective::Energy));
  ASSERT_TRUE(report.complete()) << report.refused << report.ended;
  EXPECT_EQ(report.claim, "energy 1600");
  EXPECT_THAT(text, HasSubstr("\nuneven\nlevel DRAM "));
  EXPECT_EQ(check(text).verdict, Verdict::Accepted) << check(text).what;
  // Each order begins with a root of its own, or is closed by a bound.
  const std::vector<std::string> lines = testing::lines_of(text);
  int roots = 0;
  for (std::size_t k = 0; k < lines.size(); ++k) {
    if (!lines[k].starts_with("r ")) continue;
    ++roots;
    std::vector<std::string> mutant = lines;
    mutant.erase(mutant.begin() + static_cast<std::ptrdiff_t>(k));
    EXPECT_EQ(check(testing::joined(mutant)).verdict, Verdict::Rejected);
    // Of another order, or of one that is none: two tensors at one place.
    mutant = lines;
    mutant[k] = fmt::format("r {} Buffer.1,Buffer.1,Buffer.2", roots);
    EXPECT_EQ(check(testing::joined(mutant)).verdict, Verdict::Rejected);
    if (roots == 1) continue;
    mutant[k] = fmt::format("r {} {}", roots, lines[k - 1].substr(lines[k - 1].rfind(' ') + 1));
    EXPECT_EQ(check(testing::joined(mutant)).verdict, Verdict::Rejected);
  }
  EXPECT_GT(roots, 1);
  // The claim is true of neither a larger room nor even tiles, and a mapping is none of a smaller room.
  const auto rejects = [&text = text](const std::string& from, const std::string& to) {
    EXPECT_EQ(check(with_digest(replaced(text, from, to))).verdict, Verdict::Rejected) << from;
  };
  rejects("room 37", "room 200");
  rejects("room 37", "room 20");
  rejects("\nuneven\n", "\n");
  rejects("claim optimal energy 1600", "claim bound energy 1601");
  EXPECT_EQ(check(with_digest(replaced(text, "claim optimal energy 1600", "claim bound energy 1600"))).verdict,
            Verdict::Accepted);
}

// Stores share the level's rates: here they bind.
TEST(ProofUneven, TilesOfALevelShareItsBandwidth) {
  Architecture machine = buffer(40);
  machine.levels[0].bandwidth.read = machine.levels[0].bandwidth.write = 2;
  const auto [report, text] = prove_answer(layer("gemm:8x16x8"), machine, uneven(Objective::Delay));
  ASSERT_TRUE(report.complete()) << report.refused << report.ended;
  EXPECT_GT(report.cost.cycles, 8U * 16 * 8);
  EXPECT_EQ(check(text).verdict, Verdict::Accepted) << check(text).what;
}

TEST(ProofUneven, PresetsHaveProofs) {
  for (const char* machine : {"eyeriss", "simba", "gemmini", "gpu_sm"}) {
    const Architecture a = *load_architecture(machine);
    const auto [report, text] = prove_answer(layer("conv:k=8,c=8,p=4,q=4,r=3,s=3"), a, uneven(Objective::Edp));
    ASSERT_TRUE(report.complete()) << machine << report.refused << report.ended;
    EXPECT_THAT(text, HasSubstr("\nuneven\n"));
    const Checked checked = check(text);
    EXPECT_EQ(checked.verdict, Verdict::Accepted) << machine << checked.line << ": " << checked.what;
  }
}

TEST(ProofUneven, AnyNumberOfThreadsWritesTheSameBytes) {
  const Architecture a = *load_architecture("eyeriss");
  SearchOptions search = uneven(Objective::Edp);
  const std::string one = prove_answer(layer("gemm:16x24x16"), a, search).text;
  search.threads = 8;
  EXPECT_EQ(prove_answer(layer("gemm:16x24x16"), a, search).text, one);
}

// There and back: the parts of a level are the levels of its stack.
TEST(ProofUneven, MappingsKeepTheirPlaces) {
  const Workload w = load_network("gemm:8x64x8")->layers[0].workload;
  const Architecture machine = buffer(37);
  const Result<MappingResult> answer = map_workload(w, machine, uneven(Objective::Energy));
  ASSERT_TRUE(answer.ok());
  ASSERT_FALSE(answer->mapping.is_even());
  const Result<proof::Instance> even = proof::instance_of(w, machine);
  const Result<proof::Instance> instance = proof::instance_of(w, machine, {.tiles = Tiles::Uneven});
  ASSERT_TRUE(instance.ok() && even.ok());
  EXPECT_FALSE(proof::on_stacks(answer->mapping, *even));
  const std::optional<Mapping> stacked = proof::on_stacks(answer->mapping, *instance);
  ASSERT_TRUE(stacked);
  EXPECT_EQ(stacked->level_count, 4);
  EXPECT_EQ(proof::off_stacks(*stacked, *instance), answer->mapping);
  EXPECT_EQ(proof::with_stacks(*instance).levels[2].name, "Buffer.3");
}

TEST(ProofUneven, MoreLevelsThanCheckersReadAreRefused) {
  Architecture machine = buffer(64);
  while (machine.levels.size() < 5) machine.levels.insert(machine.levels.begin(), machine.levels[0]);
  for (std::size_t i = 0; i < 4; ++i)
    machine.levels[i].name += std::to_string(i), machine.levels[i].keep = {{"all"}, {}};
  const auto report = prove_answer(layer("gemm:4x4x4"), machine, uneven(Objective::Edp)).report;
  EXPECT_EQ(report.refused, "no proof of more than 10 levels, of uneven tiles one for each tensor, yet");
}

}  // namespace
}  // namespace heliolite::proof_uneven_test
