// The roofline of the page of a sweep.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/report_page.h"

namespace heliolite::report_roofline_test {
namespace {

using nlohmann::json;
using ::testing::Ne;
using testing::ReportBrowser;

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

}  // namespace
}  // namespace heliolite::report_roofline_test
