// The page of one answer: what it shows, and what it refuses.
#include "engine/report/answer_page.h"
#include "engine/base/result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace heliolite::answer_page_test {
namespace {

using Json = nlohmann::ordered_json;
using ::testing::HasSubstr;
using ::testing::Not;

// What `map --json` says of one layer with two levels.
Json answer() {
  return Json::parse(R"({
    "program": "heliolite", "version": "1", "commit": "c", "command": "map",
    "question": {"workload": {"name": "net", "hash": "1"}, "architecture": {"name": "chip", "hash": "2"},
                 "options": {"strategy": "exact", "budget": null, "open": false}},
    "notes": ["read as dense"],
    "layers": [{"name": "fc", "count": 3, "dimensions": {"M": 8, "K": 1}, "macs": 8, "energy_pj": 100.0, "cycles": 8,
      "utilization": 0.5, "objective": "edp", "value": 800.0, "lower_bound": 800.0, "gap": 0, "status": "optimal",
      "evaluated": 12, "seconds": 0.001, "mapspace": {"factors": "perfect"},
      "mapping": [{"level": "DRAM", "keep": ["W"], "temporal": [{"M": [4, 2]}]},
                  {"level": "Buf", "keep": [], "temporal": [], "spatial": {"x": [{"M": 2}], "y": []}}],
      "breakdown": {"levels": [
          {"level": "DRAM", "capacity_words": null, "used_words": 8, "leakage_pj": 0,
           "tensors": {"W": {"role": "weight", "tile_words": 8, "energy_pj": 60, "address_generation_pj": 0,
                             "all_instances": {"reads": 8, "fills": 0, "updates": 0}}},
           "network_below": {"W": {"energy_pj": 0}}},
          {"level": "Buf", "capacity_words": 16, "used_words": 4, "leakage_pj": 5, "tensors": {}, "network_below": {}}],
        "compute": {"name": "MAC", "computes": 8, "energy_pj": 35}},
      "bounds": [{"level": "Buf", "words": 8, "mapping": {"words": 16}}]}],
    "total": {"energy_pj": 300.0, "cycles": 24, "edp_of_totals_pj_cycles": 7200.0, "area_um2": null,
              "rates": {"seconds": 2.4e-8, "watts": 0.0125, "tops": 0.002, "tops_per_watt": 0.16}}})");
}

std::string page_of(const Json& json) {
  const Result<std::string> page = answer_page(json.dump(), "best.json", "heliolite 1");
  EXPECT_TRUE(page) << to_string(page.errors());
  return page ? *page : "";
}

TEST(AnswerPage, ShowsTotalsLayersNestsAndBounds) {
  const std::string page = page_of(answer());
  for (const char* shown :
       {"net on chip", "read as dense", "300 pJ", "24 ns", "12.5 mW", "0.16 TOPS/W", "optimal", "M 4 (last 2)",
        "4 of 16 words, 25.0 %", "60.0 %", "outside Buf", ">2.00<", "strategy", "heliolite 1"})
    EXPECT_THAT(page, HasSubstr(shown));
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("budget")));  // was not given
}

TEST(AnswerPage, SaysHowFarTheSumMayBeAboveTheLeast) {
  Json json = answer();
  Json second = json["layers"][0];
  second["name"] = "other";
  second["count"] = 1;
  second["lower_bound"] = 400.0;
  second["gap"] = 1.0;
  second["status"] = "bounded";
  json["layers"].push_back(second);
  EXPECT_THAT(page_of(json), HasSubstr("1 of 2 layers optimal, the sum at most 14.3 % above the least"));
}

TEST(AnswerPage, TextsOfTheAnswerAreNeverMarkup) {
  Json json = answer();
  json["layers"][0]["name"] = "<b>\x1b[31m\"'&";
  const std::string page = page_of(json);
  EXPECT_THAT(page, HasSubstr("&lt;b&gt;\xEF\xBF\xBD[31m&quot;&#39;&amp;"));
  EXPECT_THAT(page, Not(HasSubstr("<b>")));
}

// Whatever stands in place of a part that the page shows: the page leaves it out.
TEST(AnswerPage, PartsOfAnotherTypeAreLeftOut) {
  const Json whole = answer();
  for (const Json& other : {Json(), Json(7), Json("text"), Json::array({Json(1)}), Json::object({{"a", 1}})}) {
    for (const auto& [key, value] : whole["layers"][0].items()) {
      Json json = whole;
      json["layers"][0][key] = other;
      EXPECT_TRUE(answer_page(json.dump(), "f", "p") || key == "breakdown") << key << " = " << other;
    }
    for (const auto& [key, value] : whole.items()) {
      Json json = whole;
      json[key] = other;
      EXPECT_TRUE(answer_page(json.dump(), "f", "p") || key == "command" || key == "layers") << key << " = " << other;
    }
  }
}

TEST(AnswerPage, RefusesWhatIsNoAnswerOfMap) {
  const auto refusal = [](const std::string& text) {
    const Result<std::string> page = answer_page(text, "best.json", "p");
    return page ? std::string() : to_string(page.errors());
  };
  EXPECT_THAT(refusal("{"), HasSubstr("best.json"));
  EXPECT_THAT(refusal("{"), HasSubstr("is no JSON"));
  EXPECT_THAT(refusal(R"({"command": "bound"})"), HasSubstr("'bound', must be map"));
  EXPECT_THAT(refusal(R"({"command": "map", "layers": []})"), HasSubstr("has no layer"));
  Json old = answer();
  old["layers"][0].erase("breakdown");
  EXPECT_THAT(refusal(old.dump()), HasSubstr("fc has no breakdown"));
}

}  // namespace
}  // namespace heliolite::answer_page_test
