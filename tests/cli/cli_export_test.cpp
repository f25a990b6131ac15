// What `sweep --export` writes of a sweep that was run says the same in every form: CSV, JSON, JSON lines, and mappings
// as files, which `eval` prices as their rows say.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/cli_runner.h"
#include "tests/support/sweep_problem.h"

namespace heliolite::cli_export_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

using Row = std::map<std::string, std::string>;  // by heading

// RFC 4180: cells in quotes may hold commas and line ends, "" is a quote.
std::vector<Row> rows_of_csv(const std::string& text) {
  std::vector<std::vector<std::string>> lines{{""}};
  bool quoted = false;
  for (std::size_t k = 0; k < text.size(); ++k) {
    std::string& cell = lines.back().back();
    if (quoted && text[k] == '"' && k + 1 < text.size() && text[k + 1] == '"') cell += text[++k];
    else if (text[k] == '"') quoted = !quoted;
    else if (quoted || (text[k] != ',' && text[k] != '\n')) cell += text[k];
    else if (text[k] == ',') lines.back().emplace_back();
    else lines.emplace_back(1);
  }
  lines.pop_back();  // after the last line end
  std::vector<Row> out;
  for (std::size_t n = 1; n < lines.size(); ++n) {
    EXPECT_EQ(lines[n].size(), lines[0].size()) << n;
    Row& row = out.emplace_back();
    for (std::size_t k = 0; k < lines[0].size(); ++k) row[lines[0][k]] = lines[n].at(k);
  }
  return out;
}

// Cells are empty where JSON has null; returns how many of `keys` had a number.
std::size_t expect_same(const Row& row, const json& object, const std::vector<std::string>& keys) {
  std::size_t numbers = 0;
  for (const std::string& key : keys) {
    const json& value = object.at(key);
    const std::string& cell = row.at(key);
    numbers += value.is_number();
    if (value.is_null()) EXPECT_EQ(cell, "") << key;
    else if (value.is_string()) EXPECT_EQ(cell, value.get<std::string>()) << key;
    else EXPECT_EQ(std::stod(cell), value.get<double>()) << key;
  }
  return numbers;
}

const std::vector<std::string> kOfPoints{
    "id",      "state",          "area_um2",    "compute_units",       "energy_pj",    "cycles",
    "delay_s", "capacity_bytes", "value",       "value_unit",          "lower_bound",  "gap",
    "status",  "words_moved",    "least_words", "sum_of_layer_values", "ns_per_cycle", "value_of_totals"};
const std::vector<std::string> kOfLayers{"layer",       "workload",    "name",        "count",     "weight",
                                         "status",      "energy_pj",   "cycles",      "value",     "lower_bound",
                                         "words_moved", "least_words", "utilization", "evaluated", "reason"};

class CliExports : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string database = folder_.path("r.db");
    ASSERT_EQ(run_cli("sweep " + testing::small_sweep(folder_) + " -o " + database).exit_code, 0);
    const auto target = [&](const char* option, const char* name) {
      return std::string(" ") + option + " " + folder_.path(name);
    };
    const CliResult written =
        run_cli("sweep --export " + database + target("--csv", "p.csv") + target("--layers-csv", "l.csv") +
                target("--json", "a.json") + target("--jsonl", "a.jsonl") + target("--mappings", "maps"));
    ASSERT_EQ(written.exit_code, 0) << written.err;
    points_ = json::parse(read_text(folder_.path("a.json")))["points"];
    ASSERT_EQ(points_.size(), 24u);
  }

  TempFolder folder_;
  json points_;
};

TEST_F(CliExports, CsvSaysWhatJsonSays) {
  const std::vector<Row> points = rows_of_csv(read_text(folder_.path("p.csv")));
  const std::vector<Row> layers = rows_of_csv(read_text(folder_.path("l.csv")));
  ASSERT_EQ(points.size(), points_.size());
  std::size_t numbers = 0, row = 0;
  for (std::size_t k = 0; k < points.size(); ++k) {
    numbers += expect_same(points[k], points_[k], kOfPoints);
    for (const auto& [parameter, value] : points_[k]["parameters"].items()) EXPECT_EQ(points[k].at(parameter), value);
    for (const json& layer : points_[k]["layers"]) {
      ASSERT_LT(row, layers.size());
      EXPECT_EQ(layers[row].at("point"), points[k].at("id"));
      numbers += expect_same(layers[row++], layer, kOfLayers);
    }
  }
  EXPECT_EQ(row, layers.size());
  EXPECT_GT(numbers, 16 * 12 + 32 * 8) << "of the points that are mapped";
  EXPECT_EQ(points[0].at("glb_bytes"), "1024");
}

TEST_F(CliExports, NeedAPlace) { EXPECT_EQ(run_cli("sweep --export " + folder_.path("r.db")).exit_code, 2); }

TEST_F(CliExports, JsonLinesArePoints) {
  std::istringstream lines(read_text(folder_.path("a.jsonl")));
  json all = json::array();
  for (std::string line; std::getline(lines, line);) all.push_back(json::parse(line));
  EXPECT_EQ(all, points_);
}

TEST_F(CliExports, MappingsArePricedAsTheirRowsSay) {
  std::size_t files = 0;
  for (const json& point : points_) {
    const fs::path place = folder_.path("maps") + "/point_" + std::to_string(point["id"].get<u64>());
    if (!fs::exists(place)) continue;
    ASSERT_EQ(point["state"], "done");
    for (const json& layer : point["layers"]) {
      const std::string workload = layer["workload"];
      const std::string file =
          workload.starts_with("gemm") ? "gemm_16x8x12_0_gemm.yaml" : "conv_c_4_k_8_p_6_r_3_1_conv.yaml";
      const CliResult eval = run_cli("eval -a " + (place / "machine.yaml").string() + " -w " + workload + " -m " +
                                     (place / file).string() + " --json -");
      ASSERT_EQ(eval.exit_code, 0) << eval.err;
      const json answer = json::parse(eval.out);
      EXPECT_DOUBLE_EQ(answer["energy_pj"], layer["energy_pj"]) << place;
      EXPECT_EQ(answer["cycles"].get<double>(), layer["cycles"].get<double>()) << place;
      ++files;
    }
  }
  EXPECT_GE(files, 20u) << "two layers of ten points";
}

}  // namespace
}  // namespace heliolite::cli_export_test
