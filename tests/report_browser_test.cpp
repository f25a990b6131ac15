// The page of a sweep in a real browser: `heliolite report`, then a headless Chromium.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "chromium.h"
#include "cli_runner.h"
#include "report_sweep.h"

namespace heliolite {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::Ge;
using testing::Gt;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr u64 kPoints = 400;

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

class ReportBrowser : public testing::Test {
 protected:
  void SetUp() override {
    if (chromium().empty()) GTEST_SKIP() << "there is no Chromium here: apt-get install chromium";
    write_report_sweep(folder_.path("sweep.db"), kPoints);
    const CliResult written = run_cli("report " + folder_.path("sweep.db") + " -o " + folder_.path("report.html"));
    if (written.err.find("without the chart library") != std::string::npos) GTEST_SKIP() << written.err;
    ASSERT_EQ(written.exit_code, 0) << written.err;
    html_ = read_text(folder_.path("report.html"));
  }

  // The page with another script at its end, that has a say in the same scope as a reader. A headless browser under
  // virtual time draws frames when it likes; here they come at once.
  std::string page_with(const std::string& script) const {
    const std::string frames = "<script>window.requestAnimationFrame = (draw) => setTimeout(draw, 1);</script>";
    const std::string page = replaced(html_, "<head>", "<head>" + frames);
    return folder_.write("probed.html",
                         replaced(page, "</body>", "<script type=\"module\">" + script + "</script></body>"));
  }

  // What tests/browser/probe.js found.
  json probed(const std::string& flags = "") const {
    const std::string script = read_text(HELIOLITE_TEST_DATA "/browser/probe.js");
    const BrowserRun run = open_in_chromium(page_with(script), flags);
    EXPECT_TRUE(run.loaded);
    EXPECT_THAT(run.console, IsEmpty());
    EXPECT_THAT(run.requests, IsEmpty());
    const std::string mark = "id=\"probe\">";
    const std::size_t begin = run.dom.find(mark);
    if (begin == std::string::npos) return {{"error", "the probe did not end"}};
    const std::size_t from = begin + mark.size();
    return json::parse(run.dom.substr(from, run.dom.find("</script>", from) - from));
  }

  TempFolder folder_;
  std::string html_;
};

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

TEST_F(ReportBrowser, ShowsWhatTheDatabaseHolds) {
  const json found = probed();
  ASSERT_FALSE(found.contains("error")) << found["error"];
  const std::string name = "made up " + kUnpleasantName;
  EXPECT_EQ(found["heading"], name);
  EXPECT_THAT(found["title"].get<std::string>(), HasSubstr("made up </script><script>alert('x')</script>"));
  EXPECT_EQ(found["scripts"], 5) << "data, charts, ours, and two of this test: names made no further ones";
  EXPECT_THAT(found["resources"], IsEmpty());
  EXPECT_LE(found["overflow"], 0);
  EXPECT_EQ(found["paper"], "rgb(255, 255, 255)");
  for (const auto& [canvas, colours] : found["canvases"].items()) EXPECT_GT(colours, 10) << canvas << " is blank";
  EXPECT_EQ(found["canvases"].size(), 7u) << "scatter, energy, layers and four parameters";

  u64 done = 0, cut = 0;
  for (u64 id = 0; id < kPoints; ++id) {
    done += report_point(id).state == PointState::Done;
    cut += report_point(id).state == PointState::Cut;
  }
  const json& drawn = found["drawn"];
  EXPECT_EQ(drawn["best"].get<u64>() + drawn["front"].get<u64>() + drawn["others"].get<u64>(), done);
  EXPECT_EQ(drawn["cut"], 0);
  EXPECT_EQ(found["drawn_cut"], cut);
  EXPECT_THAT(found["note"].get<std::string>(),
              StartsWith("All " + std::to_string(done) + " mapped points are drawn."));
  EXPECT_THAT(found["outcomes"], ElementsAre("done", "infeasible", "cut"));
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
  EXPECT_THAT(found["energy_series"], ElementsAre("Weights", "Inputs", "Outputs", "of no tensor"));
  EXPECT_EQ(found["layer_labels"].size(), kReportLayers);
  EXPECT_EQ(found["layer_labels"][2], kUnpleasantName);
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
}  // namespace heliolite
