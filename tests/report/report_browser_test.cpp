// The page of a sweep in a real browser: `heliolite report`, then a headless Chromium.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "tests/support/report_page.h"
#include "tests/support/report_sweep.h"

namespace heliolite::report_browser_test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Ne;
using ::testing::StartsWith;

using testing::replaced;
using testing::ReportBrowser;

TEST_F(ReportBrowser, SaysNothingAndAsksForNothing) {
  const BrowserRun run = open_in_chromium(folder_.path("report.html"));
  EXPECT_TRUE(run.loaded);
  EXPECT_THAT(run.console, IsEmpty());
  EXPECT_THAT(run.requests, IsEmpty());
  EXPECT_THAT(run.dom, HasSubstr("mapped points are drawn."));
}

TEST_F(ReportBrowser, WouldBeCaughtIfItDid) {
  const BrowserRun refused = open_in_chromium(page_with("fetch('http://127.0.0.1:9/policy').catch(() => 0)"));
  EXPECT_THAT(refused.console, Contains(HasSubstr("Content Security Policy")));
  html_ = replaced(html_, "default-src 'none'", "default-src 'unsafe-inline' *");
  const BrowserRun asked =
      open_in_chromium(page_with("fetch('http://127.0.0.1:9/asked').catch(() => 0); nothing.here"));
  EXPECT_THAT(asked.console, Contains(HasSubstr("nothing is not defined")));
  EXPECT_THAT(asked.requests, Contains(HasSubstr("127.0.0.1:9/asked")));
}

void expect_what_the_database_holds(const json& found) {
  const std::string name = "made up " + kUnpleasantName;
  EXPECT_EQ(found["heading"], name);
  EXPECT_THAT(found["title"].get<std::string>(), HasSubstr("made up </script><script>alert('x')</script>"));
  EXPECT_EQ(found["scripts"], 5) << "data, charts, ours, and two of this test: names made no further ones";
  EXPECT_THAT(found["resources"], IsEmpty());
  EXPECT_LE(found["overflow"], 0);
  EXPECT_EQ(found["paper"], "rgb(255, 255, 255)");
  for (const auto& [canvas, colours] : found["canvases"].items()) {
    if (canvas == "roofline") continue;  // the machines of this sweep cannot be made again
    EXPECT_GT(colours, 10) << canvas << " is blank";
  }
  EXPECT_EQ(found["canvases"].size(), 10u)
      << "scatter, energy, layers, roofline, comparison, parallel axes and four parameters";

  u64 done = 0, cut = 0;
  for (u64 id = 0; id < testing::kReportPoints; ++id) {
    done += report_point(id).state == PointState::Done;
    cut += report_point(id).state == PointState::Cut;
  }
  const json& drawn = found["drawn"];
  EXPECT_EQ(found["cloud"], done);
  EXPECT_EQ(drawn["cut"], 0);
  EXPECT_EQ(found["drawn_cut"], cut);
  EXPECT_THAT(found["note"].get<std::string>(),
              StartsWith("All " + std::to_string(done) + " mapped points are drawn."));
  EXPECT_THAT(found["outcomes"], ElementsAre("done", "infeasible", "cut"));
}

// A fill stands for one tensor, whatever their number; levels have others.
void expect_fills(const json& found) {
  const auto series = found["energy_series"].get<std::vector<std::string>>();
  ASSERT_EQ(series.size(), kReportTensors.size() + kTensorsOfOther + 2);
  EXPECT_EQ(series.front(), kReportTensors.front());
  EXPECT_EQ(series[series.size() - 2], "leakage");
  EXPECT_EQ(series.back(), "of no tensor");
  const auto tensors = found["swatches"]["energy-legend"].get<std::vector<std::string>>();
  EXPECT_EQ(tensors.size(), series.size());
  std::set<std::string> known(tensors.begin(), tensors.end());
  EXPECT_EQ(known.size(), series.size()) << "no fill twice";
  const auto parts = found["swatches"]["layer-legend"].get<std::vector<std::string>>();
  ASSERT_EQ(parts.size(), 4u);
  EXPECT_EQ(parts.back(), tensors.back()) << "the compute units belong to no tensor";
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) EXPECT_TRUE(known.insert(parts[i]).second) << i;
}

// Every layer by its full name, for one workload or for all.
void expect_workloads(const json& found, double energy_pj) {
  ASSERT_EQ(found["layer_labels"].size(), kReportLayers);
  EXPECT_EQ(found["layer_labels"][2], "net: " + kUnpleasantName);
  EXPECT_EQ(found["layer_names"]["written"], found["layer_names"]["whole"]) << "none is cut or left out";
  const json& alone = found["workloads"]["alone"];
  ASSERT_EQ(alone.size(), 3u) << "all of them and each";
  EXPECT_EQ(alone[1]["choice"], "one:net");
  EXPECT_EQ(alone[1]["layers"], json({"conv1", "conv2", kUnpleasantName, kLongLayer}));
  EXPECT_EQ(alone[2]["layers"], json({"conv5", "conv6"}));
  EXPECT_NEAR(alone[1]["energy"].get<double>() / energy_pj, kLayersOfNet / double{kReportLayers}, 1e-6);
  EXPECT_EQ(found["workloads"]["labels"], json({"net", "other net"}));
  for (int i : {0, 1})
    EXPECT_NEAR(found["workloads"]["sums"][i].get<double>() / alone[i + 1]["energy"].get<double>(), 1, 1e-6);
}

// Done points that no other beats in both numbers.
std::set<u64> front_of(double PointRecord::*x, double PointRecord::*y) {
  std::vector<PointRecord> done;
  for (u64 id = 0; id < testing::kReportPoints; ++id)
    if (report_point(id).state == PointState::Done) done.push_back(report_point(id));
  std::set<u64> front;
  for (const PointRecord& point : done) {
    const bool beaten = std::ranges::any_of(done, [&](const PointRecord& other) {
      return other.*x <= point.*x && other.*y <= point.*y && (other.*x < point.*x || other.*y < point.*y);
    });
    if (!beaten) front.insert(point.id);
  }
  return front;
}

// Values at axes are those that a reader expects there, as dense as there is room.
void expect_round(const json& ticks) {
  EXPECT_EQ(ticks["decades"], json({1e7, 1e8, 1e9, 1e10, 1e11}));
  EXPECT_EQ(ticks["one_decade"], json({2e9, 3e9, 5e9, 1e10, 2e10}));
  EXPECT_EQ(ticks["narrow"], json({3e9, 4e9, 5e9, 6e9, 8e9}));
  EXPECT_EQ(ticks["within"], json({4.2e9, 4.4e9, 4.6e9, 4.8e9}));
  EXPECT_EQ(ticks["binary"], json({131072, 262144, 524288, 1048576}));
  EXPECT_EQ(ticks["linear"], json({6, 7, 8, 9, 10, 11, 12, 13}));
  EXPECT_EQ(ticks["linear_binary"], json({131072, 163840, 196608, 229376, 262144}));
}

// Which front is drawn, and what is not proven.
void expect_fronts(const json& found) {
  const json& axes = found["front"]["axes"];
  const auto staircase = axes["staircase"].get<std::set<u64>>();
  EXPECT_EQ(staircase, front_of(&PointRecord::energy_pj, &PointRecord::cycles));
  for (const json& id : axes["ids"]) EXPECT_TRUE(staircase.contains(id.get<u64>())) << "a ring off the line: " << id;
  const json& all = found["front"]["all"];
  EXPECT_GT(all["ids"].size(), axes["ids"].size());
  EXPECT_THAT(all["staircase"], IsEmpty()) << "no line joins what other numbers are needed for";
  EXPECT_THAT(found["front"]["none"]["ids"], IsEmpty());
  for (const json& front : {axes, all}) {
    EXPECT_TRUE(front["marked"]);
    EXPECT_THAT(front["note"].get<std::string>(), HasSubstr("not proven: the sum of EDP found is up to 7.1 % above"));
    EXPECT_THAT(front["legend"].get<std::string>(), AllOf(HasSubstr("front, proven"), HasSubstr("front, not proven")));
  }
  EXPECT_THAT(axes["note"].get<std::string>(), StartsWith("Front of Energy and Delay: "));
  EXPECT_THAT(all["note"].get<std::string>(), StartsWith("Front of energy, delay and area: "));

  std::set<std::string> kinds;
  for (const char* lines : {"both", "best"}) {
    ASSERT_EQ(found["sensitivity"][lines].size(), 4u);
    for (const json& chart : found["sensitivity"][lines]) {
      EXPECT_EQ(chart["type"], chart["span"].get<double>() >= 3 ? "logarithmic" : "linear");
      kinds.insert(chart["type"].get<std::string>());
      EXPECT_GE(chart["ticks"].size(), 2u);
      EXPECT_THAT(chart["ticks"], Each(Ne("")));
    }
  }
  EXPECT_EQ(kinds.size(), 2u) << "this sweep has parameters of either kind";
  expect_round(found["ticks"]);
}

void expect_filters_and_comparison(const json& found) {
  u64 done = 0, of_others = 0;
  for (u64 id = 0; id < testing::kReportPoints; ++id) {
    if (report_point(id).state != PointState::Done) continue;
    ++done;
    of_others += report_point(id).values[0] != report_costs(0).values[0];
  }
  EXPECT_THAT(found["answer"]["question"].get<std::string>(),
              StartsWith("Which of 400 machines has the least sum of EDP for net and other net?"));
  EXPECT_THAT(found["answer"]["text"].get<std::string>(), HasSubstr("pe 32x32"));
  EXPECT_THAT(found["answer"]["lead"].get<std::string>(), HasSubstr("The second best, point "));
  EXPECT_THAT(found["answer"]["badge"].get<std::string>(), Ne(""));
  EXPECT_THAT(found["answer"]["proof"].get<std::string>(), Ne(""));
  EXPECT_EQ(found["all_rows"]["listed"], done);
  EXPECT_LT(found["all_rows"]["made"], 80) << "only rows in sight are in the page";
  for (const char* where : {"listed", "cloud"}) EXPECT_EQ(found["filtered"][where], of_others) << where;
  EXPECT_EQ(found["filtered"]["values"].size(), 4u) << "no point is left of one value";
  EXPECT_EQ(found["unfiltered"], done);

  const json saved = json::parse(found["json"].get<std::string>());
  EXPECT_EQ(saved["points"].size(), of_others);
  const auto csv = found["csv"].get<std::string>();
  EXPECT_EQ(std::ranges::count(csv, '\n'), static_cast<long>(of_others) + 1);
  EXPECT_THAT(csv, StartsWith("point,l1,l2,pe,"));

  EXPECT_EQ(found["scopes"].size(), 1 + 2 + kReportLayers) << "all, workloads, layers";
  EXPECT_THAT(found["scope_text"].get<std::string>(), HasSubstr("costs of workload net"));
  EXPECT_THAT(found["compared"]["said"].get<std::string>(), HasSubstr("has less sum of EDP"));
  EXPECT_THAT(found["compared"]["rows"][0], ElementsAre("l1", HasSubstr(""), HasSubstr(""), ""));
  EXPECT_EQ(found["compared"]["bars"].size(), 8u) << "of A and B each part of the machine";
  EXPECT_THAT(found["compared"]["nest"].get<std::string>(), HasSubstr("across X: P 14"));
  EXPECT_TRUE(found["swapped"]);
  EXPECT_GT(found["parallel"]["colours"], 10);
  EXPECT_LT(found["dragged"], done);
  EXPECT_EQ(found["clicked"], done);
  EXPECT_EQ(found["dark_paper"], "rgb(20, 23, 28)");
  EXPECT_THAT(found["contents"], Each(true));
}

TEST_F(ReportBrowser, ShowsWhatTheDatabaseHoldsFiltersAndCompares) {
  const json found = probed();
  ASSERT_FALSE(found.contains("error")) << found["error"];
  expect_what_the_database_holds(found);
  expect_fronts(found);
  expect_filters_and_comparison(found);
}

// In a narrow dark window.
TEST_F(ReportBrowser, AnswersPointerAndKeyboard) {
  const json found = probed("--window-size=500,900 --blink-settings=preferredColorScheme=0");
  ASSERT_FALSE(found.contains("error")) << found["error"];
  EXPECT_LE(found["overflow"], 0) << "a narrow window need not be scrolled sideways";
  EXPECT_EQ(found["paper"], "rgb(20, 23, 28)");
  EXPECT_TRUE(found["hover"]["visible"]);
  EXPECT_THAT(found["hover"]["title"], Each(StartsWith("Point ")));
  EXPECT_THAT(found["hover"]["lines"].get<std::vector<std::string>>(),
              AllOf(Contains(StartsWith("l1 = ")), Contains(StartsWith("pe = ")), Contains(HasSubstr("cycles")),
                    Contains(StartsWith("Gap "))));
  EXPECT_TRUE(found["chosen_front"]["charts"]);
  EXPECT_NE(found["chosen_front"]["id"], found["chosen_other"]);

  EXPECT_TRUE(found["walk_tooltip"]["visible"]);
  const std::string point = "Point " + found["chosen_by_key"].get<std::string>();
  EXPECT_THAT(found["said"].get<std::string>(), StartsWith(point));
  const PointRecord chosen = report_point(std::stoull(found["chosen_by_key"].get<std::string>()));
  EXPECT_NEAR(found["energy_sum"].get<double>() / chosen.energy_pj, 1, 1e-6) << "the bars hold all energy";
  EXPECT_THAT(found["energy_labels"], ElementsAre("DRAM", "GLB", "RegFile", "compute"));
  expect_fills(found);
  expect_workloads(found, chosen.energy_pj);
  EXPECT_EQ(found["nest"],
            json::array({json::array({"DRAMWeightsInputsOutputs", ""}), json::array({"for K in 4", "0rem"}),
                         json::array({"for C in 3 (last 2)", "0.9rem"}), json::array({"across X: P 14", "1.8rem"}),
                         json::array({"across Y: K 2, R 3", "1.8rem"}), json::array({"GLBkeeps nothing", ""}),
                         json::array({"RegFileOutputs", ""}), json::array({"for S in 3", "2.7rem"})}));
  EXPECT_EQ(found["nest_layers"].size(), kReportLayers - 1) << "one layer has no mapping";
  EXPECT_TRUE(found["layer_distances"][0].is_null());
  EXPECT_EQ(found["layer_distances"][1], 1.05);

  EXPECT_EQ(found["axes"], json({"linear", "Area", "Sum of EDP [pJ·cycles]"}));
  EXPECT_EQ(found["sorted"], "ascending");
  const auto delays = found["delays"].get<std::vector<double>>();
  EXPECT_GT(delays.size(), 10u);
  EXPECT_TRUE(std::ranges::is_sorted(delays));
  EXPECT_GT(found["scatter_after_all"], 10);
}

}  // namespace
}  // namespace heliolite::report_browser_test
