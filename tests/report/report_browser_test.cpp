// The page of a sweep in a real browser: `heliolite report`, then a headless Chromium.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "tests/support/chromium.h"
#include "tests/support/cli_runner.h"
#include "tests/support/png_blocks.h"
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

constexpr u64 kPoints = 400;

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

// How many points the page has that must stay fluent.
u64 many_points() {
  const char* asked = std::getenv("HELIOLITE_REPORT_POINTS");
  return asked != nullptr ? std::stoull(asked) : 2000;
}

class ReportBrowser : public ::testing::Test {
 protected:
  void SetUp() override { report_of(kPoints); }

  void report_of(u64 points) {
    if (chromium().empty()) GTEST_SKIP() << "there is no Chromium here: apt-get install chromium";
    write_report_sweep(folder_.path("sweep.db"), points);
    const CliResult written = run_cli("report --points " + std::to_string(points) + " " + folder_.path("sweep.db") +
                                      " -o " + folder_.path("report.html"));
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

  // The page on the screen as it is on paper: with its styles for print, after what it does before printing.
  std::string page_on_paper() const {
    const std::string page = replaced(html_, "@media print", "@media screen");
    const std::string begin = "<script type=\"module\">dispatchEvent(new Event('beforeprint'))</script></body>";
    return folder_.write("paper.html", replaced(page, "</body>", begin));
  }

  // What tests/browser/probe.js found.
  json probed(const std::string& flags = "") const {
    const std::string script = read_text(HELIOLITE_TEST_DATA "/../engine/report/page/ticks.js") +
                               read_text(HELIOLITE_TEST_DATA "/browser/probe.js");
    const BrowserRun run = open_in_chromium(page_with(script), flags);
    return findings(run);
  }

  static json findings(const BrowserRun& run) {
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
  for (u64 id = 0; id < kPoints; ++id) {
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
  for (u64 id = 0; id < kPoints; ++id)
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
  for (u64 id = 0; id < kPoints; ++id) {
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

// What one sees of the page, in blocks of 40 pixels, against references that were looked at. HELIOLITE_WRITE_PICTURES=1
// writes them anew.
TEST_F(ReportBrowser, LooksAsItDid) {
  struct Look {
    const char* name;
    const char* flags;
    std::string page;
  };
  const std::string page = folder_.path("report.html");
  for (const Look& look : {Look{"light", "--window-size=1280,4000", page},
                           {"dark", "--window-size=1280,4000 --blink-settings=preferredColorScheme=0", page},
                           {"narrow", "--window-size=520,4000", page},
                           {"print", "--window-size=700,4000", page_on_paper()}}) {
    const std::string shot = folder_.path("shot.png");
    const BrowserRun run =
        open_in_chromium(look.page, std::string(look.flags) + " --hide-scrollbars --screenshot=" + shot);
    ASSERT_TRUE(run.loaded);
    EXPECT_THAT(run.console, IsEmpty());
    const std::string blocks = blocks_text(png_picture(read_text(shot)));
    ASSERT_THAT(blocks, Ne(""));
    const std::string file = std::string(HELIOLITE_TEST_DATA) + "/report/pictures/" + look.name + ".txt";
    if (std::getenv("HELIOLITE_WRITE_PICTURES") != nullptr) std::ofstream(file) << blocks;
    // Fonts and browsers place letters and lines otherwise; a chart that is missing is a tenth of the page.
    EXPECT_LT(differing_blocks(blocks, read_text(file), 40), 0.06) << look.name;
  }
}

std::size_t occurrences(const std::string& text, const std::string& what) {
  std::size_t out = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++out;
  return out;
}

// On paper: some pages of its size, with the charts. In a dark window, for paper is white.
TEST_F(ReportBrowser, Prints) {
  const std::string file = folder_.path("report.pdf");
  const BrowserRun run =
      open_in_chromium(folder_.path("report.html"),
                       "--no-pdf-header-footer --blink-settings=preferredColorScheme=0 --print-to-pdf=" + file);
  ASSERT_TRUE(run.loaded);
  EXPECT_THAT(run.console, IsEmpty());
  const std::string pdf = read_text(file);
  const std::size_t pages = occurrences(pdf, "/Type /Page\n");
  EXPECT_GE(pages, 5u);
  EXPECT_LE(pages, 40u) << "of tables some rows only";
  EXPECT_EQ(occurrences(pdf, "/MediaBox [0 0 612 792]"), pages) << "none is wider";
  EXPECT_GE(occurrences(pdf, "/Subtype /Image"), 8u) << "a chart is a picture";
}

// Of a sweep that was run, whose machines can be made again.
class ReportOfMachines : public ReportBrowser {
  void SetUp() override {
    if (chromium().empty()) GTEST_SKIP() << "there is no Chromium here: apt-get install chromium";
    const std::string sweep = folder_.write("sweep.yaml", R"(
sweep:
  name: roofs
  machine: eyeriss
  workloads: ['conv:c=16,k=32,p=14,q=14,r=3,s=3', 'fc:c=256,k=64']
  strategy: sunstone
  parameters: {glb: {set: GLB.capacity, values: [32 KB, 64 KB]}}
)");
    const std::string database = folder_.path("sweep.db");
    ASSERT_EQ(run_cli("sweep " + sweep + " --quiet -t 1 -o " + database).exit_code, 0);
    ASSERT_EQ(run_cli("report " + database + " -o " + folder_.path("report.html")).exit_code, 0);
    html_ = read_text(folder_.path("report.html"));
    if (html_.find("id=\"roofline\"") == std::string::npos) GTEST_SKIP() << "without the chart library";
  }
};

// Each layer is under the roof of the level that is chosen, and left of the most MACs that any mapping makes of a byte.
TEST_F(ReportOfMachines, DrawsARooflineWithTheBounds) {
  const BrowserRun run = open_in_chromium(page_with(R"(
    const note = document.createElement('script');
    const look = () => {
      const [layers, roof, ...bounds] = Chart.getChart('roofline').data.datasets;
      const places = (set) => set.data.map(({x, y}) => [x, y]);
      return {layers: places(layers), roof: places(roof), bounds: bounds.map(places),
        label: document.getElementById('roofline').getAttribute('aria-label'),
        rows: document.getElementById('roofline-table').tBodies[0].rows.length};
    };
    setTimeout(() => {
      const found = {hidden: document.getElementById('roofline-heading').parentElement.hidden};
      const level = document.getElementById('roofline-level');
      found.levels = [...level.options].map(({value}) => value);
      found.looks = found.levels.map((name) => {
        level.value = name;
        level.dispatchEvent(new Event('change', {bubbles: true}));
        return look();
      });
      found.note = document.getElementById('roofline-note').textContent;
      note.type = 'application/json', note.id = 'probe', note.textContent = JSON.stringify(found);
      document.body.append(note);
    }, 500);)"));
  const json found = findings(run);
  ASSERT_EQ(found["hidden"], false);
  EXPECT_THAT(found["levels"].get<std::vector<std::string>>(), ::testing::IsSupersetOf({"DRAM", "GLB"}));
  EXPECT_THAT(found["note"].get<std::string>(), Ne(""));
  std::size_t bounds = 0;
  for (const json& look : found["looks"]) {
    EXPECT_EQ(look["layers"].size(), look["rows"]);
    for (const json& layer : look["layers"]) {
      double roof = 0;  // at the next place that is no further left
      for (const json& place : look["roof"])
        if (roof == 0 && place[0] >= layer[0]) roof = place[1];
      EXPECT_LE(layer[1].get<double>(), roof * (1 + 1e-9)) << look["label"];
    }
    for (const json& bound : look["bounds"]) EXPECT_GE(bound[1][0], bound[0][0]) << look["label"];
    bounds += look["bounds"].size();
  }
  EXPECT_GE(bounds, 2u) << "of each layer at the outermost level";
}

class ReportOfManyPoints : public ReportBrowser {
  void SetUp() override { report_of(many_points()); }
};

// Prints what took how long; HELIOLITE_REPORT_POINTS=100000 gives the figures of docs/report.md.
TEST_F(ReportOfManyPoints, AnswersAtOnceAndRightly) {
  const std::string page = folder_.write(
      "many.html",
      replaced(html_, "</body>",
               "<script type=\"module\">" + read_text(HELIOLITE_TEST_DATA "/browser/fluent.js") + "</script></body>"));
  const json found = findings(open_in_chromium(page, "", BrowserTime::Real));
  ASSERT_FALSE(found.contains("error")) << found["error"];
  std::cout << found["points"] << " points, ms until the next frame and until all panels follow:\n";
  for (const auto& [what, ms] : found["ms"].items()) std::cout << "  " << what << " " << ms << "\n";
  constexpr int kBusyMachine = 20'000;  // ms; 2,200 for 100,000 points on one that is not very busy
  EXPECT_LT(found["ms"]["loaded"][0], kBusyMachine) << "the page is not there soon";
  for (const char* filter : {"value", "range"}) {
    EXPECT_GT(found[filter]["right"], 0) << filter;
    EXPECT_LT(found[filter]["right"], found["points"]) << filter;
    for (const char* where : {"dots", "listed"}) EXPECT_EQ(found[filter][where], found[filter]["right"]) << where;
  }
  EXPECT_EQ(found["sorted"]["first"], found["sorted"]["right"]);
  EXPECT_TRUE(found["sorted"]["ascending"]);
  EXPECT_TRUE(found["sorted"]["name"]);
  EXPECT_TRUE(found["chosen"]);
  for (const auto& [what, nodes] : found["nodes"].items()) EXPECT_LT(nodes, 12'000) << what << " makes nodes by points";
}

}  // namespace
}  // namespace heliolite::report_browser_test
