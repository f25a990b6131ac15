// What a suite's rows say of its mappers: arrivals near the optimum, profiles, pairs, verdicts, published numbers.
#include "engine/search/study/bench_analysis.h"
#include "engine/report/answer_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "engine/formats/load_architecture.h"
#include "engine/formats/load_network.h"

namespace heliolite::bench_analysis_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

BenchRow row(const std::string& strategy, int layer, double value, double seconds, Status status = Status::Bounded) {
  BenchRow out{.strategy = strategy, .machine = "m", .layer = fmt::format("l{}", layer)};
  out.seconds = seconds;
  out.value = value;
  out.ratio_to_best = value / 100;
  out.status = status;
  return out;
}

// Of `layers` layers with an optimum of 100: one mapper finds it, one is 50 % above in half the time, one is worse and
// slower than that.
std::vector<BenchRow> rows_of(int layers) {
  std::vector<BenchRow> out;
  for (int k = 0; k < layers; ++k) {
    BenchRow exact = row("exact", k, 100, 1, Status::Optimal);
    exact.trace = {{10, 0.1, 200}, {20, 0.2, 109}, {40, 0.4, 104.9}, {80, 0.8, 100}};
    out.push_back(exact);
    out.push_back(row("lucky", k, 150, 0.5 + 0.01 * k));
    out.push_back(row("bad", k, 300 + 10 * k, 2));
  }
  return out;
}

TEST(Arrivals, AreTheFirstPointsThatAreNearEnough) {
  const std::vector<BenchRow> rows = rows_of(3);
  const Arrivals at = arrivals(rows[0], *proven_optimum(rows, rows[1]));
  EXPECT_EQ(at[0]->evaluated, 80u);
  EXPECT_EQ(at[1]->evaluated, 40u);
  EXPECT_EQ(at[2]->evaluated, 20u);
  EXPECT_DOUBLE_EQ(at[2]->seconds, 0.2);
  const auto summaries = arrival_summaries(rows);
  ASSERT_EQ(summaries.size(), 3u);
  EXPECT_EQ(summaries[0].layers, 3u);
  EXPECT_EQ(summaries[0].near[1].layers, 3u);
  EXPECT_EQ(summaries[0].near[1].median_evaluated, 40);
  EXPECT_EQ(summaries[1].near[2].layers, 0u);
  std::vector<BenchRow> unproven = rows;
  for (BenchRow& r : unproven) r.status = Status::Bounded;
  EXPECT_EQ(arrival_summaries(unproven)[0].layers, 0u);
}

TEST(Profiles, AreSharesOfAllLayers) {
  std::vector<BenchRow> rows = rows_of(4);
  rows[1].value = rows[1].ratio_to_best = std::nullopt;  // one layer was not mapped
  const auto all = profiles(rows);
  EXPECT_EQ(all[0].share_within(1), 1);
  EXPECT_EQ(all[1].share_within(1.49), 0);
  EXPECT_EQ(all[1].share_within(1.5), 0.75);
  EXPECT_EQ(all[1].share_within(1000), 0.75);
  EXPECT_EQ(all[2].steps.size(), 4u);
}

TEST(Comparisons, HaveMeansAndIntervalsThatDoNotChange) {
  const Comparison c = compare(rows_of(8), "bad", "lucky");
  EXPECT_EQ(c.layers, 8u);
  EXPECT_EQ(c.worse, 8u);
  EXPECT_GT(c.value.mean, 2);
  EXPECT_LT(c.value.low, c.value.mean);
  EXPECT_GT(c.value.high, c.value.mean);
  EXPECT_EQ(c.value.low, compare(rows_of(8), "bad", "lucky").value.low);
  const Comparison other = compare(rows_of(8), "lucky", "bad");
  EXPECT_NEAR(other.value.mean * c.value.mean, 1, 1e-12);
  EXPECT_EQ(comparisons(rows_of(2)).size(), 3u);
  EXPECT_EQ(compare(rows_of(2), "bad", "nobody").layers, 0u);
  // One number has no spread.
  const MeanRatio one = geometric_mean({3});
  EXPECT_DOUBLE_EQ(one.low, one.high);
}

// The interval holds the true mean about 95 times in 100.
TEST(Comparisons, TheIntervalsAreAsWideAsTheySay) {
  std::mt19937_64 random(3);
  int held = 0;
  for (int k = 0; k < 100; ++k) {
    std::vector<double> sample;
    for (int i = 0; i < 40; ++i) sample.push_back(std::exp(static_cast<double>(random() % 2001) / 1000 - 1));
    const MeanRatio e = geometric_mean(sample);
    held += e.low <= 1 && 1 <= e.high ? 1 : 0;
  }
  EXPECT_GE(held, 86);
  EXPECT_LE(held, 100);
}

TEST(AgainstRandom, SlowerAndWorseIsSaid) {
  const auto verdicts = against_random(rows_of(6), "lucky");
  ASSERT_EQ(verdicts.size(), 2u);
  EXPECT_EQ(verdicts[0].verdict, AgainstRandom::Better);
  EXPECT_EQ(name(verdicts[1].verdict), "slower and worse");
  EXPECT_TRUE(against_random(rows_of(6), "none").empty());
  std::vector<BenchRow> fast = rows_of(6);
  for (BenchRow& r : fast)
    if (r.strategy == "bad") r.seconds = 0.1;
  EXPECT_EQ(against_random(fast, "lucky")[1].verdict, AgainstRandom::Worse);
  std::vector<BenchRow> mixed = rows_of(6);
  for (BenchRow& r : mixed)
    if (r.strategy == "bad" && r.layer < "l3") r.value = 50;
  EXPECT_EQ(against_random(mixed, "lucky")[1].verdict, AgainstRandom::NotTold);
}

TEST(Published, RangesAreJudged) {
  BenchSuite suite;
  const auto claim = [](std::optional<double> from, std::optional<double> to) {
    return PublishedClaim{"s", "p", "lucky", "exact", ClaimQuantity::Value, ClaimStatistic::Mean, from, to};
  };
  suite.published = {claim(1.4, 1.6), claim(2, {}), claim({}, 1.2), claim(1, 2)};
  suite.published[3].over = "nobody";
  const auto out = judge_published(suite, rows_of(2));
  EXPECT_NEAR(*out[0].ours, 1.5, 1e-12);
  EXPECT_EQ(name(out[0].verdict), "same");
  EXPECT_EQ(name(out[1].verdict), "ours is lower");
  EXPECT_EQ(name(out[2].verdict), "ours is higher");
  EXPECT_EQ(name(out[3].verdict), "not measured");
  EXPECT_EQ(range_text(suite.published[0]), "1.4 to 1.6");
  EXPECT_EQ(range_text(suite.published[2]), "up to 1.2");
}

// Traces of real searches: values fall, counts and times do not, the last point is the answer; they do not depend on
// the run.
TEST(Traces, OfEveryStrategyFallToItsAnswer) {
  BenchSuite suite;
  const auto machine = load_architecture("edge_unified");
  const auto network = load_network("conv:k=16,c=8,p=14,q=14,r=3,s=3");
  ASSERT_TRUE(machine.ok() && network.ok());
  suite.machines = {{"m", *machine}};
  suite.layers = {{"l", *network}};
  for (const StrategyInfo& s : kStrategyTable) {
    if (s.strategy == Strategy::Cosa) continue;  // a single answer, after a second of CBC
    SearchOptions options;
    options.strategy = s.strategy;
    options.budget_evaluations = s.strategy == Strategy::Bayes ? 15 : 2'000;
    suite.strategies.push_back({std::string(s.name), options});
  }
  const auto first = run_bench(suite), second = run_bench(suite);
  ASSERT_TRUE(first.ok() && second.ok());
  for (std::size_t k = 0; k < first->rows.size(); ++k) {
    const BenchRow& r = first->rows[k];
    if (!r.value) continue;
    ASSERT_FALSE(r.trace.empty()) << r.strategy;
    EXPECT_EQ(r.trace.back().value, *r.value) << r.strategy;
    EXPECT_LE(r.trace.back().evaluated, *r.evaluated) << r.strategy;
    ASSERT_EQ(r.trace.size(), second->rows[k].trace.size()) << r.strategy;
    for (std::size_t i = 0; i < r.trace.size(); ++i) {
      EXPECT_GT(r.trace[i].evaluated, 0u) << r.strategy;
      EXPECT_EQ(r.trace[i].evaluated, second->rows[k].trace[i].evaluated) << r.strategy;
      if (i == 0) continue;
      EXPECT_LT(r.trace[i].value, r.trace[i - 1].value) << r.strategy;
      EXPECT_GE(r.trace[i].evaluated, r.trace[i - 1].evaluated) << r.strategy;
      EXPECT_GE(r.trace[i].seconds, r.trace[i - 1].seconds) << r.strategy;
    }
  }
}

TEST(BenchPage, HasPlotsAndTablesAndEscapesNames) {
  BenchSuite suite;
  suite.name = "a <suite> & \"more\"";
  suite.strategies = {{"exact", {}}, {"lucky", {}}, {"bad", {}}};
  suite.strategies[1].options.strategy = Strategy::Random;
  std::vector<BenchRow> rows = rows_of(5);
  const std::string page = bench_page(suite, rows, analyze(suite, rows), "program <1>");
  for (const char* part : {"<!doctype html>", "a &lt;suite&gt; &amp; &quot;more&quot;", "slower and worse", "<svg",
                           "Performance profile", "program &lt;1&gt;", "</html>"})
    EXPECT_THAT(page, HasSubstr(part));
  for (const char* bad : {"<suite>", "nan", "inf", "<script"}) EXPECT_THAT(page, Not(HasSubstr(bad)));
}

}  // namespace
}  // namespace heliolite::bench_analysis_test
