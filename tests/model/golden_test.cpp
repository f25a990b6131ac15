// Recorded Timeloop runs: our numbers are theirs, and a number that differs is noticed.
#include "engine/verify/golden_verify.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "engine/formats/load_architecture.h"
#include "engine/formats/load_network.h"
#include "engine/model/cost_model.h"
#include "tests/support/cli_runner.h"

namespace heliolite::golden_test {
namespace {

using ::testing::HasSubstr;

const std::string kGolden = HELIOLITE_TEST_DATA "/golden/golden.jsonl";

std::string text(const VerifyReport& report) {
  std::string all;
  for (const Mismatch& m : report.mismatches) {
    all += m.id + ": " + m.refused + "\n";
    for (const Difference& d : m.differences) all += fmt::format("  {} {} {}\n", d.where, d.expected, d.ours);
  }
  return all;
}

TEST(Golden, EveryRecordOfTheSampleMatches) {
  const Result<VerifyReport> report = verify_golden(kGolden, {});
  ASSERT_TRUE(report.ok()) << to_string(report.errors());
  EXPECT_EQ(report->total.mismatched, 0u) << text(*report);
  EXPECT_EQ(report->total.matched, 571u);
  EXPECT_EQ(report->total.skipped, 0u);
  EXPECT_EQ(report->by_mode.size(), 4u);
  EXPECT_TRUE(report->skip_reasons.empty());
}

// The full set of records is large; HELIOLITE_GOLDEN names it where it is at hand.
TEST(Golden, EveryRecordOfTheFullSetMatches) {
  const char* path = std::getenv("HELIOLITE_GOLDEN");
  if (path == nullptr) GTEST_SKIP() << "HELIOLITE_GOLDEN is not set";
  const Result<VerifyReport> report = verify_golden(path, {});
  ASSERT_TRUE(report.ok()) << to_string(report.errors());
  EXPECT_EQ(report->total.mismatched, 0u) << text(*report);
}

TEST(Golden, FiltersByModeIdAndNumber) {
  RecordSelection imperfect;
  imperfect.group = "imperfect";
  EXPECT_EQ(verify_golden(kGolden, imperfect)->total.matched, 163u);
  RecordSelection ten;
  ten.limit = 10;
  const VerifyTally tally = verify_golden(kGolden, ten)->total;
  EXPECT_EQ(tally.matched + tally.skipped, 10u);
  RecordSelection missing;
  missing.id = "eyeriss-conv_s-strict-01";
  const auto none = verify_golden(kGolden, missing);
  ASSERT_FALSE(none.ok());
  EXPECT_THAT(to_string(none.errors()), HasSubstr("has no record with id 'eyeriss-conv_s-strict-01', did you mean"));
}

// Adds to one number of the record after another; each change must come out as a difference.
class EachNumber {
 public:
  EachNumber(const GoldenRecord& record, const Breakdown& ours, const Workload& workload)
      : record_(record), ours_(ours), workload_(workload) {}

  int visit() { return visit(record_.expect, ""); }

 private:
  int visit(nlohmann::json& value, const std::string& path) {
    if (value.is_structured()) {
      int changed = 0;
      for (auto& item : value.items()) changed += visit(item.value(), path + " " + item.key());
      return changed;
    }
    const nlohmann::json before = value;
    value = before.get<double>() * 1.01 + 2;
    EXPECT_FALSE(compare(record_, ours_, workload_).empty()) << record_.id << path;
    value = before;
    return 1;
  }

  GoldenRecord record_;
  const Breakdown& ours_;
  const Workload& workload_;
};

TEST(Golden, EveryNumberCounts) {
  std::ifstream file(kGolden);
  std::string line;
  int changed = 0;
  for (int number = 1; std::getline(file, line) && number <= 200; ++number) {
    if (number % 20 != 1) continue;
    const auto record = parse_golden_record(line, kGolden, number);
    ASSERT_TRUE(record.ok());
    const std::string folder = HELIOLITE_TEST_DATA "/golden/";
    const auto network = load_network(folder + "problem/" + record->problem + ".yaml");
    const auto architecture = load_architecture(folder + "arch/" + record->arch + ".yaml");
    ASSERT_TRUE(network.ok() && architecture.ok());
    const Workload& workload = network->layers[0].workload;
    const auto mapping = golden_mapping(*record, workload, *architecture);
    ASSERT_TRUE(mapping.ok()) << to_string(mapping.errors());
    const Breakdown ours = CostModel(workload, *architecture).explain(*mapping);
    changed += EachNumber(*record, ours, workload).visit();
  }
  EXPECT_GT(changed, 500);
}

// What is complained about in a file with this one line.
std::string complaint(const std::string& line) {
  const TempFolder folder;
  const auto report = verify_golden(folder.write("g.jsonl", "\n" + line + "\n"), {});
  return report ? "accepted" : to_string(report.errors());
}

TEST(Golden, MalformedLinesNameFileAndLine) {
  EXPECT_THAT(complaint("{\"id\": "), HasSubstr("g.jsonl:2: is not JSON"));
  EXPECT_THAT(complaint("[1, 2]"), HasSubstr("g.jsonl:2: must be a JSON object"));
  EXPECT_THAT(complaint("{}"), HasSubstr("g.jsonl:2: expect: is missing"));
  EXPECT_THAT(complaint(std::string(10'000, '[')), HasSubstr("g.jsonl:2: is not JSON"));
  EXPECT_THAT(complaint(std::string(100'000, '[') + std::string(100'000, ']')), HasSubstr("g.jsonl:2"));
  EXPECT_THAT(complaint(""), HasSubstr("has no records"));
  EXPECT_THAT(complaint(R"({"by": "guess"})"), HasSubstr("g.jsonl:2: by: 'guess' must be walk or factorised"));
  EXPECT_THAT(complaint(std::string("\0\1\xff\xfe", 4)), HasSubstr("g.jsonl:2: is not JSON"));
  const std::string head = R"({"id":"a","problem":"gemm_s","mode":"strict","link_transfers":false,"mapping":[],)";
  EXPECT_THAT(complaint(head + R"("arch":"nowhere","expect":{"energy_pJ":1,"cycles":1,"levels":{},"networks":{}}})"),
              HasSubstr("nowhere.yaml"));
  EXPECT_THAT(
      complaint(head + R"("arch":"eyeriss","expect":{"energy_pJ":"1","cycles":1,"levels":[],"networks":{"a":3}}})"),
      HasSubstr("g.jsonl:2: expect.energy_pJ: \"1\" must be a number"));
}

// Every place of a record, one after the other, holds something else. Calls `look` with each such record.
void with_each_place_changed(nlohmann::json& record, nlohmann::json& place, const nlohmann::json& other,
                             const std::function<void(const nlohmann::json&)>& look) {
  if (place.is_structured())
    for (auto& inside : place) with_each_place_changed(record, inside, other, look);
  nlohmann::json kept = std::move(place);
  place = other;
  look(record);
  place = std::move(kept);
}

TEST(Golden, WhateverStandsInAPlaceIsComparedOrComplainedAbout) {
  std::ifstream file(kGolden);
  std::string line;
  std::getline(file, line);
  nlohmann::json record = nlohmann::json::parse(line);
  const std::string folder = HELIOLITE_TEST_DATA "/golden/";
  const auto network = load_network(folder + "problem/" + record["problem"].get<std::string>() + ".yaml");
  const auto architecture = load_architecture(folder + "arch/" + record["arch"].get<std::string>() + ".yaml");
  ASSERT_TRUE(network.ok() && architecture.ok());
  const Workload& workload = network->layers[0].workload;
  const CostModel model(workload, *architecture);
  int complaints = 0;
  for (const char* other : {"[]", "{}", "[[]]", "[[1, 2, 3]]", "{\"a\": []}", "null", "\"x\"", "-1", "1e300", "true"})
    with_each_place_changed(record, record, nlohmann::json::parse(other), [&](const nlohmann::json& changed) {
      const auto read = parse_golden_record(changed.dump(), kGolden, 1);
      complaints += !read;
      if (!read) return;
      const auto mapping = golden_mapping(*read, workload, *architecture);
      if (mapping) compare(*read, model.explain(*mapping), workload);
    });
  EXPECT_GT(complaints, 500);
}

TEST(Golden, ReadsOnlyFiles) {
  EXPECT_THAT(to_string(verify_golden("/nowhere/golden.jsonl", {}).errors()), HasSubstr("no such file"));
  EXPECT_THAT(to_string(verify_golden("/tmp", {}).errors()), HasSubstr("is a directory"));
}

}  // namespace
}  // namespace heliolite::golden_test
