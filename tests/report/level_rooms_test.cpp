// How full levels are in a sweep's page: made again from the sweep's text, equal to what the model says, and known to
// be unknown where the files are gone or have changed.
#include "engine/report/report_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engine/formats/load_mapping.h"
#include "engine/model/cost_model.h"
#include "engine/report/report_page.h"
#include "engine/sweep/design_points.h"
#include "engine/sweep/store.h"
#include "tests/support/sweep_problem.h"

namespace heliolite::level_rooms_test {
namespace {

using ::testing::HasSubstr;
using testing::run_into;
using testing::store_for;

constexpr const char* kNet =
    "word_bits: {weights: 4}\nlayers: [{name: a, gemm: 8x8x8}, {name: b, gemm: 7x8x8, count: 2}]\n";
constexpr const char* kSweep =
    "sweep:\n  name: rooms\n  machine: eyeriss\n  workloads: net.yaml\n  objective: energy\n  strategy: sunstone\n"
    "  parameters:\n    glb: {set: GLB.entries, values: [64, 4096]}\n";

// The database of that sweep, in a folder with its files.
class LevelRooms : public ::testing::Test {
 protected:
  LevelRooms() {
    folder_.write("net.yaml", kNet);
    const Result<SweepSpec> spec = load_sweep(folder_.write("rooms.yaml", kSweep));
    EXPECT_TRUE(spec.ok()) << to_string(spec.errors());
    Store store = store_for(database(), *spec);
    EXPECT_FALSE(run_into(store, *spec).interrupted);
  }

  std::string database() const { return folder_.path("rooms.db"); }
  ReportData read() const {
    const Result<Store> store = Store::read(database());
    Result<ReportData> data = read_report(*store);
    EXPECT_TRUE(data.ok());
    return *std::move(data);
  }

  TempFolder folder_;
};

TEST_F(LevelRooms, AreWhatTheModelSays) {
  const ReportData data = read();
  EXPECT_EQ(data.why_no_rooms, "");
  const Result<SweepSpec> spec = load_sweep(folder_.path("rooms.yaml"));
  const DesignPoints points(*spec);
  ASSERT_FALSE(data.details.empty());
  for (const PointLayers& detail : data.details) {
    ASSERT_EQ(detail.made_again.rooms.size(), detail.layers.size());
    const Result<Architecture> machine = points.machine(detail.point);
    for (std::size_t i = 0; i < detail.layers.size(); ++i) {
      const Workload& workload = spec->layers[i].layer.workload;
      const auto mapping = parse_mapping(detail.layers[i].mapping, "mapping", workload, *machine);
      ASSERT_TRUE(mapping.ok());
      const Breakdown breakdown = CostModel(workload, *machine).explain(*mapping);
      ASSERT_EQ(detail.made_again.rooms[i].size(), breakdown.level.size());
      for (std::size_t k = 0; k < breakdown.level.size(); ++k) {
        const LevelBreakdown& level = breakdown.level[breakdown.level.size() - 1 - k];
        const LevelRoom& room = detail.made_again.rooms[i][k];
        EXPECT_EQ(room.level, level.name);
        EXPECT_EQ(room.used_words, level.used_words);
        EXPECT_EQ(room.capacity_words, level.capacity_words);
        u64 words = 0;
        for (const LevelRoom::Kept& kept : room.kept) words += kept.words;
        EXPECT_LE(room.used_words, words);  // each tensor's part is rounded up
        EXPECT_LT(words, room.used_words + workload.tensors.size());
      }
    }
  }
}

TEST_F(LevelRooms, StandInThePage) {
  const auto page = nlohmann::json::parse(report_json(read(), "test"));
  const auto& nest = page["details"][0]["layers"][0]["mapping"];
  ASSERT_EQ(nest[0]["level"], "DRAM");
  EXPECT_EQ(nest[0]["room"]["capacity"], nullptr);
  EXPECT_EQ(nest[0]["room"]["used"], 64 / 4 + 64 + 64);  // 4 bits of weights in words of 16
  EXPECT_EQ(nest[0]["room"]["words"],
            nlohmann::json::parse(R"([["A", 16, "weight"], ["B", 64, "input"], ["Z", 64, "output"]])"));
  EXPECT_EQ(nest[1]["room"]["capacity"].get<u64>() % 64, 0U);
}

TEST_F(LevelRooms, AreNotKnownWithoutTheFilesOfTheSweep) {
  folder_.write("net.yaml", "layers: [{name: a, gemm: 8x8x8}, {name: b, gemm: 7x8x8, count: 2}]\n");
  ReportData data = read();
  EXPECT_THAT(data.why_no_rooms, HasSubstr("no longer give the energies of a of point"));
  EXPECT_TRUE(data.details[0].made_again.rooms.empty());
  std::filesystem::remove(folder_.path("net.yaml"));
  data = read();
  EXPECT_THAT(data.why_no_rooms, HasSubstr("net.yaml: no such file"));
  EXPECT_FALSE(data.details[0].layers.empty()) << "the rest of the page is there";
}

// The files are read again as the sweep read them.
TEST(LevelRoomsOfOptions, AreReadAsTheSweepWas) {
  const TempFolder folder;
  folder.write("net.yaml", kNet);
  folder.write("machine.yaml", "architecture: {name: m, base: {{ of }}, technology_nm: 45}\n");
  const std::string text = std::string(kSweep).replace(std::string(kSweep).find("eyeriss"), 7, "machine.yaml");
  const ReadOptions reading{
      .defines = {{"of", "eyeriss"}}, .renames = {{"N", "W"}}, .word_bits = {WordBitsSource::Given, {{"weights", 8}}}};
  const Result<SweepSpec> spec = load_sweep(folder.write("rooms.yaml", text), {.reading = reading});
  ASSERT_TRUE(spec.ok()) << to_string(spec.errors());
  Store store = store_for(folder.path("rooms.db"), *spec);
  EXPECT_FALSE(run_into(store, *spec).interrupted);
  const Result<ReportData> data = read_report(store);
  ASSERT_TRUE(data.ok());
  EXPECT_EQ(data->why_no_rooms, "");
  EXPECT_FALSE(data->details.at(0).made_again.rooms.empty());
}

// A level with several parts has its room once.
TEST(LevelRoomsInNests, GoWithTheFirstPartOfTheirLevel) {
  const std::vector<LevelRoom> rooms{{"DRAM", 9, 0, {{"A", 9}}}, {"GLB", 5, 8, {{"A", 2}, {"B", 3}}}};
  const auto nest = mapping_json(
      "mapping:\n- {level: DRAM, keep: [A]}\n- {level: GLB, keep: [A], temporal: [K: 2]}\n- {level: GLB, keep: [B]}\n",
      rooms);
  EXPECT_EQ(nest[1]["room"]["used"], 5);
  EXPECT_EQ(nest[1]["room"]["words"].size(), 2U);
  EXPECT_FALSE(nest[2].contains("room"));
}

}  // namespace
}  // namespace heliolite::level_rooms_test
