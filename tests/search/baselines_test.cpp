// What other mappers found on the evaluation machines (golden/baselines.csv): ours is at least as good as Timeloop's
// mapper on every row.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "engine/formats/load_architecture.h"
#include "engine/formats/load_network.h"
#include "engine/search/map.h"

namespace heliolite::baselines_test {
namespace {

// "R=3 S=3 P=56 .. stride=1" of a layer as compact workload text.
std::string workload_text(const std::string& layer, const std::string& dims) {
  std::map<std::string, std::string> size;
  std::vector<std::string> values;
  std::stringstream words(dims);
  for (std::string word; words >> word;) {
    const auto at = word.find('=');
    size[word.substr(0, at)] = word.substr(at + 1);
    if (word.substr(0, at) != "stride") values.push_back(word.substr(at + 1));
  }
  std::string product;
  for (const std::string& v : values) product += (product.empty() ? "" : "x") + v;
  for (const char* family : {"gemm", "mmc", "mttkrp", "sddmm"})
    if (layer.rfind(family, 0) == 0) return std::string(family) + ":" + product;
  const bool depthwise = size.count("K") == 0;
  std::string text = depthwise ? "depthwise:" : "conv:";
  for (const auto& [name, value] : size) {
    std::string key = name;
    for (char& c : key) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    text += (text.back() == ':' ? "" : ",") + key + "=" + value;
  }
  return text;
}

class Baselines : public ::testing::TestWithParam<const char*> {};

TEST_P(Baselines, NoRowOfTimeloopsMapperIsBetter) {
  const auto machine = load_architecture(GetParam());
  ASSERT_TRUE(machine.ok());
  std::ifstream file(std::string(HELIOLITE_TEST_DATA) + "/golden/baselines.csv");
  std::map<std::string, double> value;  // by workload text
  int rows = 0;
  for (std::string line; std::getline(file, line);) {
    std::vector<std::string> cell;
    std::stringstream cells(line);
    for (std::string c; std::getline(cells, c, ',');) cell.push_back(c);
    if (cell.size() < 10 || cell[0] != GetParam() || cell[3] != "timeloop-mapper") continue;
    const std::string text = workload_text(cell[1], cell[2]);
    if (value.count(text) == 0) {
      const auto network = load_network(text);
      ASSERT_TRUE(network.ok()) << text << "\n" << to_string(network.errors());
      const auto result = map_workload(network->layers[0].workload, *machine, {});
      ASSERT_TRUE(result.ok());
      ASSERT_NE(result->status, Status::Infeasible) << text;
      value[text] = result->value;
    }
    EXPECT_LE(value[text], std::stod(cell[8]) * (1 + 1e-5)) << cell[1] << " " << cell[4];  // the rows have six digits
    ++rows;
  }
  EXPECT_GE(rows, 14);
}

INSTANTIATE_TEST_SUITE_P(Machines, Baselines,
                         ::testing::Values("eyeriss", "edge_unified", "simba", "gemmini", "dc_split", "dc_unified"));

}  // namespace
}  // namespace heliolite::baselines_test
