// What the page of a sweep is made of: which points it shows, where their energy goes, how texts get into it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "engine/report/report_data.h"
#include "engine/report/report_page.h"
#include "engine/sweep/set_rows.h"
#include "engine/sweep/store.h"
#include "tests/support/cli_runner.h"
#include "tests/support/report_sweep.h"

namespace heliolite::report_data_test {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

std::vector<u64> sampled_ids(u64 points, std::size_t most) {
  PointSample sample(most);
  PointRecord point;
  for (; point.id < points; ++point.id) sample.add(point);
  std::vector<u64> ids;
  for (const PointRecord& kept : sample.points()) ids.push_back(kept.id);
  return ids;
}

TEST(PointSample, KeepsAllThatFit) {
  EXPECT_THAT(sampled_ids(3, 5), ElementsAre(0, 1, 2));
  EXPECT_THAT(sampled_ids(9, 0), IsEmpty());
}

RC_GTEST_PROP(PointSample, IsASubsetInOrderAndTheSameEachTime, ()) {
  const u64 points = *rc::gen::inRange<u64>(0, 500);
  const auto most = *rc::gen::inRange<std::size_t>(0, 60);
  const std::vector<u64> ids = sampled_ids(points, most);
  RC_ASSERT(ids.size() == std::min<std::size_t>(points, most));
  RC_ASSERT(std::ranges::adjacent_find(ids, std::greater_equal()) == ids.end());
  RC_ASSERT((ids.empty() || ids.back() < points));
  RC_ASSERT(ids == sampled_ids(points, most));
}

TEST(PointSample, IsFair) {
  const std::vector<u64> ids = sampled_ids(100'000, 10'000);
  for (u64 tenth = 0; tenth < 10; ++tenth) {
    const auto inside = std::ranges::count_if(ids, [&](u64 id) { return id / 10'000 == tenth; });
    EXPECT_NEAR(static_cast<double>(inside), 1000, 150) << tenth;
  }
}

TEST(EnergyParts, ReadsLevelsAndWhatBelongsToNoTensor) {
  const auto parts = energy_parts(R"({"DRAM": {"W": 1.5, "I": 2}, "compute": 4, "note": "text", "none": {}})");
  EXPECT_THAT(parts, ElementsAre(EnergyPart{"DRAM", {{"W", 1.5}, {"I", 2}}}, EnergyPart{"compute", {{"", 4}}}));
  EXPECT_EQ(parts[0].energy_pj(), 3.5);
  for (const char* broken : {"", "{", "[1]", "3", "null", "{\"a\": [1]}"}) EXPECT_THAT(energy_parts(broken), IsEmpty());
}

TEST(ValueOrder, SortsSizesAndLeavesNames) {
  const auto order = [](std::vector<std::string> values) { return in_order(std::move(values)); };
  EXPECT_THAT(order({"100", "20", "3e1"}), ElementsAre("20", "3e1", "100"));
  EXPECT_THAT(order({"1 MB", "54 KB", "512 B"}), ElementsAre("512 B", "54 KB", "1 MB"));
  EXPECT_THAT(order({"16x16", "14x12", "32x2"}), ElementsAre("32x2", "14x12", "16x16"));
  EXPECT_THAT(order({"small", "big", "10"}), ElementsAre("small", "big", "10"));
  EXPECT_THAT(order({"2", ""}), ElementsAre("2", ""));
}

class Report : public ::testing::Test {
 protected:
  ReportData read(u64 points, const ReportLimits& limits = {}) {
    const std::string path = folder_.path(std::to_string(points) + ".db");
    write_report_sweep(path, points);
    const Result<Store> store = Store::read(path);
    EXPECT_TRUE(store.ok());
    Result<ReportData> data = read_report(*store, limits);
    EXPECT_TRUE(data.ok());
    return *std::move(data);
  }

  TempFolder folder_;
};

TEST_F(Report, ThinsOutButKeepsTheFrontAndTheBest) {
  const ReportData all = read(1000);
  EXPECT_EQ(all.drawn().size(), all.summary.count(PointState::Done));
  EXPECT_EQ(all.cut.size(), all.summary.count(PointState::Cut));

  const ReportLimits limits{.best = 7, .points = 450, .cut = 10, .details = 9};
  const Result<Store> store = Store::read(folder_.path("1000.db"));
  const Result<ReportData> some = read_report(*store, limits);
  ASSERT_TRUE(some.ok());
  EXPECT_THAT(some->drawn(), SizeIs(450));
  EXPECT_THAT(some->cut, SizeIs(10));
  EXPECT_THAT(some->details, SizeIs(9));
  EXPECT_EQ(some->details.front().point, some->summary.best.front().id);
  EXPECT_THAT(some->details.front().layers, SizeIs(kReportLayers));
  std::set<u64> ids;
  for (const PointRecord& point : some->drawn()) EXPECT_TRUE(ids.insert(point.id).second) << "twice: " << point.id;
  EXPECT_THAT(some->summary.best, SizeIs(7));
  EXPECT_EQ(some->summary.front.size(), all.summary.front.size());
  for (const PointRecord& point : some->summary.best) EXPECT_TRUE(ids.contains(point.id));
  for (const PointRecord& point : some->summary.front) EXPECT_TRUE(ids.contains(point.id));
}

TEST_F(Report, ShowsTheFrontEvenAboveTheLimit) {
  const ReportData data = read(300, {.best = 1, .points = 0});
  EXPECT_THAT(data.others, IsEmpty());
  EXPECT_GE(data.drawn().size(), data.summary.front.size());
}

TEST_F(Report, JsonHoldsThePointsAndTheEnergyOfThePartsAddsUp) {
  const ReportData data = read(300);
  const json page = json::parse(report_json(data, "test"));
  EXPECT_EQ(page["sweep"]["text"], report_sweep(300).text);
  EXPECT_EQ(page["states"]["done"], data.summary.count(PointState::Done));
  EXPECT_EQ(page["parameters"][0]["values"], json({"12", "24", "48", "96", "192"}));
  ASSERT_EQ(page["points"]["id"].size(), data.drawn().size());
  for (std::size_t i = 0; i < data.drawn().size(); ++i) {
    const PointRecord point = report_point(page["points"]["id"][i]);
    EXPECT_EQ(page["points"]["energy_pj"][i], point.energy_pj);
    for (std::size_t p = 0; p < point.values.size(); ++p) {
      const std::size_t place = page["points"]["choice"][p][i];
      EXPECT_EQ(page["parameters"][p]["values"][place], point.values[p]);
    }
  }
  for (const json& detail : page["details"]) {
    EXPECT_EQ(detail["parts"], json({"DRAM", "GLB", "RegFile", "compute"}));
    ASSERT_THAT(detail["workloads"], SizeIs(2));
    double sum = 0;
    for (const json& workload : detail["workloads"]) {
      double of_tensors = 0, of_layers = 0;
      for (const json& part : workload["parts"])
        for (const json& energy : part["energy_pj"]) of_tensors += energy.get<double>();
      for (const json& layer : detail["layers"]) {
        if (layer["workload"] != workload["name"]) continue;
        for (const json& energy : layer["parts_pj"]) of_layers += energy.get<double>() * layer["count"].get<double>();
      }
      EXPECT_NEAR(of_layers / of_tensors, 1, 1e-6) << workload["name"];
      sum += of_tensors;
    }
    EXPECT_NEAR(sum / report_point(detail["id"]).energy_pj, 1, 1e-6);
  }
}

// The page of a sweep with these rows.
json page_of(const std::string& path, const SweepRecord& sweep, const std::vector<PointRecord>& points, bool finished) {
  Result<Store> store = Store::create(path, sweep);
  EXPECT_TRUE(store.ok()) << to_string(store.errors());
  for (const PointRecord& point : points) {
    const std::vector<LayerRecord> layers = report_layers(point.id);
    EXPECT_THAT(point.state == PointState::Done ? store->write(point, layers) : store->write(point), IsEmpty());
  }
  EXPECT_THAT(store->close(finished), IsEmpty());
  const Result<Store> there = Store::read(path);
  const Result<ReportData> data = read_report(*there);
  EXPECT_TRUE(data.ok()) << to_string(data.errors());
  return data ? json::parse(report_json(*data, "test")) : json();
}

PointRecord done(u64 id, const std::string& reason) {
  PointRecord point = report_point(id);
  EXPECT_EQ(point.state, PointState::Done);
  point.reason = reason;
  return point;
}

TEST_F(Report, TellsWhatACertifiedSweepKnowsOfItsPoints) {
  SweepRecord sweep = report_sweep(400);
  sweep.strategy = "exact";
  const json page = page_of(folder_.path("front.db"), sweep,
                            {done(0, "front: no other point has less"), done(1, "dominated by point 0"),
                             done(2, "open: may be on the front")},
                            false);
  EXPECT_TRUE(page["sweep"]["certifies_front"]);
  EXPECT_EQ(page["decided"], json({{"progress", "stopped"}, {"machines", 3}, {"certain", 1}, {"open", 1}}));
  std::map<u64, std::string> status;
  for (std::size_t i = 0; i < 3; ++i) status[page["points"]["id"][i]] = page["points"]["status"][i];
  EXPECT_EQ(status, (std::map<u64, std::string>{{0, "front"}, {1, "dominated"}, {2, "open"}}));
}

TEST_F(Report, CountsTheMachinesOfASetThatOneRowStandsFor) {
  SweepRecord sweep = report_sweep(30'000);
  sweep.goal = "best";
  sweep.strategy = "exact";
  PointRecord set = report_costs(3);
  ASSERT_EQ(set.state, PointState::Cut);
  set.reason = "memory-bound, proven of a set: 29999 machines: shape, without, values 17 0; 0 1; 0 1; 0; 0";
  ASSERT_TRUE(SetRows::is_of_set(set.reason));
  const json page =
      page_of(folder_.path("best.db"), sweep, {done(0, "best: of 30000 machines none has less"), set}, true);
  EXPECT_EQ(page["decided"], json({{"progress", "finished"}, {"machines", 30'000}, {"certain", 0}, {"open", 0}}));
  EXPECT_EQ(page["points"]["status"], json({"best"}));
  EXPECT_TRUE(page["sensitivity"][0]["values"][0]["least_bound"].is_null()) << "the set has machines of any value";
}

TEST_F(Report, BoundsOfAValueAreThoseOfAllItsPoints) {
  const ReportData data = read(100, {.points = 10, .cut = 1});
  const json page = json::parse(report_json(data, "test"));
  std::array<std::map<std::string, double>, 3> least;
  for (u64 id = 0; id < 100; ++id) {
    const PointRecord point = report_point(id);
    if (point.state == PointState::Infeasible) continue;
    for (std::size_t p = 0; p < least.size(); ++p) {
      double& bound = least[p].emplace(point.values[p], HUGE_VAL).first->second;
      bound = std::min(bound, point.lower_bound);
    }
  }
  for (std::size_t p = 0; p < least.size(); ++p)
    for (const json& entry : page["sensitivity"][p]["values"])
      EXPECT_EQ(entry["least_bound"].get<double>(), least[p].at(entry["value"])) << entry["value"];
}

TEST_F(Report, SaysWhatValuesAreMeansOfAndWhatTheLimitsAre) {
  SweepRecord sweep = report_sweep(10);
  sweep.objective = "energy";
  sweep.rank = "totals";
  const json plain = page_of(folder_.path("plain.db"), sweep, {}, true);
  EXPECT_EQ(plain["sweep"]["mean"], "total");
  EXPECT_EQ(plain["sweep"]["limits"], json({{"energy", nullptr}, {"delay", nullptr}, {"power", nullptr}}));
  EXPECT_EQ(plain["sweep"]["front"], "energy, delay and area");

  sweep.text = "sweep: {mean: geometric, limits: {delay: 0.5, power: 2}, front: [energy, delay]}";
  PointRecord outside = report_costs(0);
  outside.state = PointState::Infeasible;
  outside.reason = "outside the limits: limits: no mappings of the layers' trade-off curves keep to them";
  const json limited = page_of(folder_.path("limited.db"), sweep, {outside}, false);
  EXPECT_EQ(limited["sweep"]["value_label"], "geometric mean of energy");
  EXPECT_EQ(limited["sweep"]["limits"], json({{"energy", nullptr}, {"delay", 0.5}, {"power", 2}}));
  EXPECT_EQ(limited["sweep"]["front"], "energy and delay");
  EXPECT_EQ(limited["outcomes"][1]["reason"], "outside the limits");
}

TEST_F(Report, TextsCannotLeaveTheirScriptElement) {
  const std::string text = report_json(read(20), "<b>&amp;");
  for (const char* unsafe : {"<", "&", "\xe2\x80\xa8", "\n"}) EXPECT_THAT(text, Not(HasSubstr(unsafe)));
  EXPECT_EQ(json::parse(text)["parameters"][3]["name"], kUnpleasantName);
  EXPECT_EQ(json::parse(text)["program"], "<b>&amp;");

  ReportData broken = read(10);
  broken.sweep.name = "\xff\xfe";
  EXPECT_THAT(report_json(broken, ""), HasSubstr("\\ufffd\\ufffd"));
}

TEST_F(Report, PageIsOneFileOrSaysWhatTheProgramLacks) {
  const Result<std::string> page = report_page(read(20), "test");
  if (!page) {
    EXPECT_THAT(to_string(page.errors()), HasSubstr("./heliolite --packages report"));
    GTEST_SKIP() << to_string(page.errors());
  }
  EXPECT_THAT(*page, Not(HasSubstr("{{")));
  EXPECT_THAT(*page, HasSubstr("Permission is hereby granted")) << "the chart library's licence goes with it";
  EXPECT_THAT(*page, Not(HasSubstr("sourceMappingURL")));
  EXPECT_THAT(*page, Not(HasSubstr("<link")));
  EXPECT_THAT(*page, Not(HasSubstr(" src=")));
  EXPECT_THAT(*page, HasSubstr("default-src 'none'"));
}

}  // namespace
}  // namespace heliolite::report_data_test
