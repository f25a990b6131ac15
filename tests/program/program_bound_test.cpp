// Bounds of affine programs: against executions, against published constants.
#include "engine/program/bound/program_bound.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "engine/program/affine_program.h"
#include "engine/program/bound/part_bound.h"
#include "engine/program/bound/program_answer.h"
#include "tests/support/cli_runner.h"
#include "tests/support/program_cdag.h"

namespace heliolite::program_bound_test {
namespace {

const std::string kKernels = std::string(HELIOLITE_TEST_DATA) + "/../configs/polybench/";

std::shared_ptr<const AffineProgram> parsed(const std::string& body) {
  Result<AffineProgram> program = parse_program("#pragma scop\n" + body + "\n#pragma endscop\n", "test.c");
  EXPECT_TRUE(program.ok()) << to_string(program.errors());
  return std::make_shared<const AffineProgram>(std::move(program).value());
}

std::shared_ptr<const AffineProgram> kernel(const std::string& name) {
  Result<AffineProgram> program = load_program(kKernels + name + ".c");
  EXPECT_TRUE(program.ok()) << to_string(program.errors());
  return std::make_shared<const AffineProgram>(std::move(program).value());
}

ParameterValues all_equal(const AffineProgram& program, i64 value) {
  ParameterValues values;
  for (const std::string& name : program.parameters) values[name] = value;
  return values;
}

ProgramPlan planned(const std::shared_ptr<const AffineProgram>& program, const ParameterValues& values,
                    const ProgramRules& rules = {}) {
  Result<ProgramPlan> plan = plan_bound(program, values, rules);
  EXPECT_TRUE(plan.ok()) << to_string(plan.errors());
  return std::move(plan).value();
}

std::size_t most_operands(const testing::ProgramCdag& cdag) {
  std::size_t most = 1;
  for (const auto& operands : cdag.operands) most = std::max(most, operands.size());
  return most;
}

// T / U(S + T) * S^(exponent - 1) for large S: the published constants.
double constant(const PartBound& part) {
  const BudgetGrowth growth = part.growths.back();
  const double more = growth.exponent - 1;
  return std::exp(-growth.scale + growth.exponent * std::log(more / growth.exponent) - std::log(more));
}

// All executions of programs of at most 14 vertices.
TEST(ProgramBound, NoExecutionOfATinyProgramLoadsLess) {
  const std::vector<std::string> bodies{
      "for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) A[i] += B[j];",
      "for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) A[i] = A[i] * A[j];",
      "for (int i = 0; i < 2; i++) for (int j = 0; j < N; j++) C[i] += A[j] * B[j];",
      "for (int t = 0; t < N; t++) for (int i = 1; i < 4; i++) A[i] = A[i - 1] + A[i + 1];",
      "for (int t = 0; t < 2; t++) { for (int i = 0; i < N; i++) s += A[i]; for (int i = 0; i < N; i++) A[i] += s; }",
      "for (int k = 0; k < N; k++) for (int i = k + 1; i < N; i++) for (int j = k + 1; j < N; j++) A[i][j] -= "
      "A[i][k] * A[k][j];",
      "for (int i = 0; i < N; i++) { s = 0; for (int j = 0; j < N; j++) s += x[j]; y[i] = s; }",
      "for (int t = 0; t < 2; t++) for (int i = 0; i < N; i++) A[(t + 1) % 2][i] = A[t % 2][i] + A[t % 2][i / 2];"};
  for (const std::string& body : bodies) {
    const auto program = parsed(body);
    int tried = 0;
    for (const i64 n : {2, 3}) {
      const ParameterValues values = all_equal(*program, n);
      const testing::ProgramCdag cdag = testing::program_cdag(*program, values);
      if (cdag.size() > 14) continue;
      const ProgramPlan plan = planned(program, values);
      EXPECT_EQ(plan.inputs, cdag.inputs) << body;
      for (int capacity = 1; capacity <= 6; ++capacity) {
        const int least = testing::fewest_loads(cdag, capacity);
        if (least < 0) continue;
        ++tried;
        EXPECT_LE(program_words(plan, capacity), static_cast<u64>(least)) << body << " N=" << n << " S=" << capacity;
      }
    }
    EXPECT_GT(tried, 0) << body;
  }
}

// The order of the program and orders that go deep first, with the best replacement.
TEST(ProgramBound, NoExecutionOfAKernelLoadsLessAndItFallsWithTheMemory) {
  for (const std::string name : {"2mm", "adi", "cholesky", "durbin", "floyd-warshall", "gemver", "gramschmidt",
                                 "jacobi-1d", "lu", "nussinov", "symm", "syr2k", "trisolv"}) {
    const auto program = kernel(name);
    ParameterValues values = all_equal(*program, 7);
    for (auto& [parameter, value] : values) value += static_cast<i64>(parameter.size() + parameter.back()) % 3;
    const testing::ProgramCdag cdag = testing::program_cdag(*program, values);
    const ProgramPlan plan = planned(program, values);
    EXPECT_EQ(plan.inputs, cdag.inputs) << name;
    std::vector<int> order(static_cast<std::size_t>(cdag.size() - cdag.inputs));
    std::iota(order.begin(), order.end(), cdag.inputs);
    u64 last = ~u64{0};
    for (const int capacity : {1, 2, 4, 6, 10, 32}) {
      const u64 bound = program_words(plan, capacity);
      EXPECT_LE(bound, last) << name << " S=" << capacity;
      last = bound;
      if (capacity < static_cast<int>(most_operands(cdag))) continue;
      EXPECT_LE(bound, testing::loads_in_order(cdag, order, capacity)) << name << " S=" << capacity;
      for (const unsigned seed : {1U})
        EXPECT_LE(bound, testing::loads_in_order(cdag, testing::local_order(cdag, seed), capacity))
            << name << " S=" << capacity;
    }
  }
}

// Leading parts at sizes where they count: exponent, constant, share of the instances that are bounded.
TEST(ProgramBound, HasThePublishedConstants) {
  struct Published {
    const char* kernel;
    double exponent, constant, per_cube;  // instances of the part / N^3
  };
  const double stencil = 2 / (3 * std::sqrt(3));
  for (const Published& p : std::vector<Published>{
           {"gemm", 1.5, 2, 1},
           {"cholesky", 1.5, 1, 1.0 / 6},
           {"syrk", 1.5, 1, 0.5},
           {"syr2k", 1.5, 2, 0.5},
           {"nussinov", 1.5, 1, 1.0 / 6},
           {"trmm", 1.5, 2, 0.5},
           {"lu", 1.5, 2, 1.0 / 3},
           {"floyd-warshall", 1.5, 2, 1},
           {"symm", 1.5, std::sqrt(2), 1},
           {"fdtd-2d", 1.5, stencil, 1},
       }) {
    const auto program = kernel(p.kernel);
    const i64 n = 1000;
    const ProgramPlan plan = planned(program, all_equal(*program, n));
    ASSERT_FALSE(plan.parts.empty()) << p.kernel;
    const PartBound& part = plan.parts.front();
    EXPECT_NEAR(part.growths.back().exponent, p.exponent, 1e-4) << p.kernel;
    EXPECT_NEAR(constant(part), p.constant, 1e-3) << p.kernel;
    EXPECT_NEAR(part.instances / std::pow(n, 3), p.per_cube, 0.02) << p.kernel;
  }
}

TEST(ProgramBound, OfSlicesCountsTheWideOnes) {
  const auto durbin = kernel("durbin");
  const ProgramPlan plan = planned(durbin, {{"N", 1000}});
  // 2 N inputs less those that nothing reads, and the sum of k - S over the slices.
  for (const auto& [capacity, published] : std::vector<std::pair<double, u64>>{{100, 399803}, {400, 100703}})
    EXPECT_GE(program_words(plan, capacity), published);
  const auto sums = parsed(
      "for (int t = 0; t < M; t++) { for (int i = 0; i < N; i++) s += A[i]; for (int i = 0; i < N; i++) A[i] += s; }");
  const ProgramPlan crossing = planned(sums, {{"M", 100}, {"N", 5000}});
  EXPECT_GE(program_words(crossing, 1000), 396000U);
}

TEST(ProgramBound, RulesCanBeLeftOut) {
  const auto lu = kernel("lu");
  const auto words = [&](const ProgramRules& rules) { return program_words(planned(lu, {{"N", 400}}, rules), 64); };
  const u64 all = words({});
  ProgramRules apart, none;
  apart.joined = false;
  none.partition = none.wavefront = false;
  EXPECT_LT(words(apart), all);
  EXPECT_EQ(words(none), 400U * 400U);
}

// Statement after statement in tiles loads no less; of products hardly more.
TEST(ProgramBound, IsNotAboveTheBestTiling) {
  std::size_t tiled = 0;
  for (const char* name :
       {"gemm", "2mm", "atax", "mvt", "gesummv", "doitgen", "bicg", "gemver", "syrk", "syr2k", "trmm", "covariance"}) {
    const auto program = kernel(name);
    const ProgramPlan plan = planned(program, all_equal(*program, 60));
    const Result<TiledProgram> tiles = tile_program(plan);
    if (!tiles) continue;
    ++tiled;
    for (const double capacity : {16.0, 100.0, 1000.0, 1e6}) {
      const auto loads = tiled_loads(*tiles, capacity);
      ASSERT_TRUE(loads) << name;
      EXPECT_GE(*loads, static_cast<double>(program_words(plan, capacity))) << name << " " << capacity;
    }
  }
  EXPECT_GE(tiled, 8);
  const auto gemm = kernel("gemm");
  const ProgramPlan large = planned(gemm, all_equal(*gemm, 1000));
  EXPECT_LT(*tiled_loads(*tile_program(large), 1024), 1.1 * static_cast<double>(program_words(large, 1024)));
}

TEST(ProgramBound, SaysWhatCannotBeTiled) {
  const auto complaint = [](const std::string& name) {
    const auto program = kernel(name);
    const Result<TiledProgram> tiles = tile_program(planned(program, all_equal(*program, 20)));
    return tiles ? std::string() : to_string(tiles.errors());
  };
  EXPECT_EQ(complaint("syrk"), "");
  EXPECT_NE(complaint("cholesky").find("which follows it"), std::string::npos) << complaint("cholesky");
  EXPECT_NE(complaint("doitgen").find("several values in one word"), std::string::npos) << complaint("doitgen");
  EXPECT_NE(complaint("jacobi-1d").find("which follows it"), std::string::npos) << complaint("jacobi-1d");
}

TEST(ProgramBound, HasFormulas) {
  const auto answer =
      bound_program({kKernels + "gemm.c", {{"NI", 1000}, {"NJ", 1000}, {"NK", 1000}}, {1024}, true, {}});
  ASSERT_TRUE(answer.ok()) << to_string(answer.errors());
  ASSERT_TRUE(answer->formula) << answer->no_formula;
  EXPECT_EQ(answer->formula->simplified.text, "2*N^3/S^(1/2)");
  EXPECT_GE(answer->words.front(), 62436707U);  // the published complete form
  EXPECT_FALSE(bound_program({kKernels + "gemm.c", {{"NI", 1000}}, {1024}, false, {}}).ok());
}

// Programs that took minutes: what is left after a number of steps is a bound, the same on every machine.
TEST(ProgramBound, EndsWithinSteps) {
  std::string sum = "A[i - 1][j - 2]";
  for (int k = 2; k <= 12; ++k) sum += fmt::format(" + A[i - {}][j + {}]", k, (k * 7) % 13 - 6);
  const auto wide = parsed("for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) A[i][j] = " + sum + ";");
  const auto deep = parsed(
      "for (int a = 0; a < N; a++) for (int b = 0; b < N; b++) for (int c = 0; c < N; c++) for (int d = 0; d < N; d++)"
      "for (int e = 0; e < N; e++) for (int f = 0; f < N; f++) for (int g = 0; g < N; g++) for (int h = 0; h < N; h++) "
      "Z[a][b] += A[a][c][d][e] * B[e][f][g][h] * C[b][f][c];");
  for (const auto& program : {wide, deep}) {
    const ProgramPlan plan = planned(program, all_equal(*program, 1000));
    EXPECT_TRUE(plan.inputs);
    EXPECT_GE(program_words(plan, 64), static_cast<u64>(*plan.inputs));
  }
  // A limit within a limit takes its steps off that: the second work has less than the first.
  const IslContext context;
  const isl::set triangle(context.get(), "[N] -> { [i, j, k] : 0 <= i and i <= j and j <= k and k < N }");
  const isl::set assumed(context.get(), "[N] -> { : N >= 8 }");
  const IslSteps around(context, 30'000);
  int done = 0;
  for (int k = 0; k < 1000; ++k) done += count_polynomial(context, triangle, assumed).ok() ? 1 : 0;
  EXPECT_GT(done, 0);
  EXPECT_LT(done, 1000);
}

TEST(ProgramBound, EndsWhenItIsAskedTo) {
  ProgramStop stop;
  stop.request();
  ProgramQuestion question{kKernels + "gemm.c", {{"NI", 1000}, {"NJ", 1000}, {"NK", 1000}}, {1024}, true, {}};
  question.stop = &stop;
  const Result<ProgramAnswer> answer = bound_program(question);
  ASSERT_FALSE(answer.ok());
  EXPECT_NE(to_string(answer.errors()).find("stopped before it was known"), std::string::npos);
}

TEST(ProgramBound, FormulasNeedNoValuesAndNumbersGoIntoTables) {
  const std::string gemm = "bound -w " + kKernels + "gemm.c ";
  const CliResult symbolic = run_cli(gemm + "--symbolic --json -");
  ASSERT_EQ(symbolic.exit_code, 0) << symbolic.err;
  const nlohmann::json answer = nlohmann::json::parse(symbolic.out);
  EXPECT_EQ(answer["formulas"]["simplified"]["text"], "2*N^3/S^(1/2)");
  EXPECT_TRUE(answer["bounds"].empty());
  const std::string sizes = "--param NI=100,NJ=100,NK=100 ";
  const CliResult csv = run_cli(gemm + sizes + "--buffer 8KiB --word-size 8 --csv -");
  ASSERT_EQ(csv.exit_code, 0) << csv.err;
  EXPECT_EQ(csv.out.find("program,capacity_words,words_at_least,best_tiling,inputs,operations,given_up\n"), 0);
  EXPECT_NE(csv.out.find("gemm.c,1024,"), std::string::npos) << csv.out;
  EXPECT_EQ(run_cli(gemm + sizes + "--word-size A=8").exit_code, 2);
  EXPECT_EQ(run_cli(gemm + "--symbolic --csv -").exit_code, 2);
  const CliResult mapped = run_cli("map -a eyeriss -w " + kKernels + "gemm.c");
  EXPECT_EQ(mapped.exit_code, 2);
  EXPECT_NE(mapped.err.find("is a C program, which bound and simulate take"), std::string::npos) << mapped.err;
}

TEST(ProgramBound, OnTheCommandLine) {
  const CliResult good =
      run_cli("bound -w " + kKernels + "syrk.c --param M=200,N=300 --buffer 64,1024 --symbolic --json -");
  ASSERT_EQ(good.exit_code, 0) << good.err;
  const nlohmann::json answer = nlohmann::json::parse(good.out);
  EXPECT_GT(answer["bounds"][0]["words"], answer["bounds"][1]["words"]);
  EXPECT_EQ(answer["summands"][0]["rule"], "k-partition");
  EXPECT_EQ(answer["formulas"]["asymptotic"]["text"], "1/2*M*N^2/S^(1/2)");
  const std::string bound = "bound -w " + kKernels;
  for (const auto& [arguments, complaint] : std::vector<std::pair<std::string, std::string>>{
           {"syrk.c --param M=200", "needs a value for N"},
           {"syrk.c --param M=200,N=2,K=3", "has no parameter 'K'"},
           {"syrk.c --param M=200,N=0", "N = 0: must be 1 to"},
           {"syrk.c --param M=200,N", "must be NAME=NUMBER"},
           {"syrk.c --param M=2,N=2 --without wavefronts", "did you mean 'wavefront'"},
           {"syrk.c --param M=2,N=2 --kind hbl", "does not go with a C program"},
           {"absent.c", "absent.c"}}) {
    const CliResult bad = run_cli(bound + arguments);
    EXPECT_EQ(bad.exit_code, 2) << arguments;
    EXPECT_NE(bad.err.find(complaint), std::string::npos) << arguments << ": " << bad.err;
  }
  EXPECT_EQ(run_cli("bound -w gemm:8x8x8 --symbolic").exit_code, 2);
}

}  // namespace
}  // namespace heliolite::program_bound_test
