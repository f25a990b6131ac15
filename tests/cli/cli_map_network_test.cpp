// `map --network`: the mappings of a network's layers that are best together, and what is said of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/cli_runner.h"

namespace heliolite::cli_map_network_test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class CliMapNetwork : public ::testing::Test {
 protected:
  // The answer of `map` with these arguments.
  json answer(const std::string& arguments) {
    const std::string path = folder_.path("answer" + std::to_string(++answers_) + ".json");
    run_ = run_cli("map --no-look --wide " + arguments + " --json " + path);
    EXPECT_EQ(run_.exit_code, 0) << run_.err;
    return json::parse(read_text(path));
  }

  TempFolder folder_;
  CliResult run_;
  int answers_ = 0;
};

TEST_F(CliMapNetwork, GivesLayersTheMappingsThatAreBestTogether) {
  const json alone = answer("-a tpu_v4i -w resnet18");
  EXPECT_TRUE(alone["network"].is_null());
  const json all = answer("-a tpu_v4i -w resnet18 --network --csv " + folder_.path("a.csv"));
  const json& best = all["network"];
  EXPECT_EQ(all["question"]["network"], true);
  EXPECT_EQ(best["objective"], "edp");
  EXPECT_EQ(best["status"], "optimal");
  EXPECT_EQ(best["value"], best["lower_bound"]);
  EXPECT_EQ(best["value"], all["total"]["edp_of_totals_pj_cycles"]);
  EXPECT_LT(best["value"], alone["total"]["edp_of_totals_pj_cycles"]);
  EXPECT_GT(all["total"]["sum_of_layer_edps_pj_cycles"], alone["total"]["sum_of_layer_edps_pj_cycles"]);
  EXPECT_EQ(best["energy_pj"], all["total"]["energy_pj"]);
  EXPECT_THAT(run_.out, HasSubstr("network: EDP of the totals"));
  EXPECT_THAT(read_text(folder_.path("a.csv")), HasSubstr("network_value,network_lower_bound,network_status"));
  // The layers that differ are those whose cost differs, and their own optimum is what they have alone.
  std::size_t differ = 0;
  for (std::size_t i = 0; i < alone["layers"].size(); ++i) {
    const json &own = alone["layers"][i], &chosen = all["layers"][i];
    if (own["energy_pj"] == chosen["energy_pj"] && own["cycles"] == chosen["cycles"]) continue;
    ASSERT_LT(differ, best["layers_that_differ"].size());
    const json& row = best["layers_that_differ"][differ++];
    EXPECT_EQ(row["layer"], chosen["name"]);
    EXPECT_EQ(row["own_energy_pj"], own["energy_pj"]);
    EXPECT_EQ(row["own_cycles"], own["cycles"]);
    EXPECT_EQ(row["own_value"], own["value"]);
    EXPECT_EQ(chosen["status"], "bounded");
    EXPECT_EQ(chosen["lower_bound"], own["value"]);
  }
  EXPECT_EQ(differ, best["layers_that_differ"].size());
  EXPECT_GT(differ, 0u);
}

TEST_F(CliMapNetwork, AddsUpWhatIsNoProduct) {
  for (const std::string objective : {"energy", "delay"}) {
    const json all = answer("-a eyeriss -w bert_base_block --network --objective " + objective);
    EXPECT_EQ(all["network"]["status"], "optimal");
    EXPECT_EQ(all["network"]["value"], all["total"][objective == "energy" ? "energy_pj" : "cycles"]);
    EXPECT_TRUE(all["network"]["layers_that_differ"].empty());
    EXPECT_TRUE(all["network"]["lambda_pj_per_cycle"].is_null());
  }
}

TEST_F(CliMapNetwork, IsBoundedUnderALimitAndSaysWhy) {
  const json best = answer("-a simba -w resnet18 --network --evaluations 100")["network"];
  EXPECT_EQ(best["status"], "bounded");
  EXPECT_GT(best["value"], best["lower_bound"]);
  EXPECT_NE(best["why_not_proven"], "");
  EXPECT_LE(best["lower_bound"], answer("-a simba -w resnet18 --network")["network"]["value"]);
}

TEST_F(CliMapNetwork, RefusesWhatHasNoSums) {
  const CliResult cosa = run_cli("map -a eyeriss -w resnet18 --network --strategy cosa");
  EXPECT_EQ(cosa.exit_code, 2);
  EXPECT_THAT(cosa.err, HasSubstr("network"));
  const CliResult outside = run_cli("map -a eyeriss -w resnet18 --network --strategy random --evaluator true");
  EXPECT_EQ(outside.exit_code, 2);
  EXPECT_THAT(outside.err, HasSubstr("network"));
}

// The curve begins where the network is fastest and ends where it takes the least energy.
TEST_F(CliMapNetwork, ShowsTheFrontOfEnergyAndDelay) {
  const json front = answer("-a eyeriss -w resnet18 --front energy,delay --csv " + folder_.path("f.csv"));
  EXPECT_EQ(front["front"]["status"], "certain");
  const json& points = front["front"]["points"];
  EXPECT_EQ(points.size(), front["front"]["edges"].size() + 1);
  EXPECT_THAT(run_.out, HasSubstr("supported points only"));
  EXPECT_THAT(read_text(folder_.path("f.csv")), HasSubstr("network,0,"));
  const json fast = answer("-a eyeriss -w resnet18 --objective delay");
  const json cheap = answer("-a eyeriss -w resnet18 --objective energy");
  EXPECT_EQ(points.front()["cycles"], fast["total"]["cycles"]);
  EXPECT_EQ(points.back()["energy_pj"], cheap["total"]["energy_pj"]);
  EXPECT_EQ(front["front"]["least_energy_pj"], cheap["total"]["energy_pj"]);
  // A point's layers are points of the layers' curves.
  const json& first = points.front();
  double energy = 0;
  for (std::size_t k = 0; k < front["layers"].size(); ++k) {
    const json& layer = front["layers"][k];
    energy += layer["count"].get<double>() *
              layer["points"][first["layers"][k].get<std::size_t>()]["energy_pj"].get<double>();
  }
  EXPECT_NEAR(energy / first["energy_pj"].get<double>(), 1, 1e-12);
}

TEST_F(CliMapNetwork, RefusesWhatAFrontDoesNotGoWith) {
  for (const char* option : {"--objective energy", "--fuse", "--factors any", "--strategy random", "--tiles uneven"}) {
    const CliResult refused = run_cli(std::string("map -a eyeriss -w resnet18 --front energy,delay ") + option);
    EXPECT_EQ(refused.exit_code, 2) << option;
    EXPECT_THAT(refused.err, HasSubstr("--front")) << option;
  }
}

}  // namespace
}  // namespace heliolite::cli_map_network_test
