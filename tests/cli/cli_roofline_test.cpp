// map --roofline: what each layer waits for, as a table, a picture and JSON; pages of fused networks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/cli_runner.h"
#include "tests/support/two_units.h"

namespace heliolite::cli_roofline_test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(CliRoofline, SaysWhatLayersWaitFor) {
  const TempFolder folder;
  const std::string svg = folder.path("roof.svg"), file = folder.path("a.json");
  const CliResult run = run_cli("map -a eyeriss -w resnet18 -s sunstone --roofline " + svg + " --json " + file + " -q");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("waits for"));
  EXPECT_THAT(run.out, HasSubstr("MACs/byte"));
  EXPECT_THAT(read_text(svg), HasSubstr("compute units"));
  const json answer = json::parse(read_text(file));
  bool memory = false;
  for (const json& layer : answer["layers"]) {
    const json& roof = layer["roofline"];
    EXPECT_LE(roof["macs_per_cycle"], roof["macs_per_cycle_at_most"]);
    EXPECT_EQ(roof["levels"].size(), 5u);
    const json& most = roof["macs_per_byte_at_most"];
    const double own = roof["levels"][0]["macs_per_byte"];
    EXPECT_GE(most.is_null() ? own : most.get<double>(), own * (1 - 1e-9));
    memory = memory || roof["waits_for"] != "compute";
  }
  EXPECT_TRUE(memory) << "fc waits for DRAM";
  EXPECT_EQ(run_cli("map -a tpu_v4i -w bert_base_block --fuse --roofline " + svg).exit_code, 2);
}

// A layer is held against the units and levels that run it, not those of other units.
TEST(CliRoofline, HasTheUnitOfEachLayer) {
  const TempFolder folder;
  const std::string machine = write_two_units(folder), layers = write_product_and_gate(folder);
  const std::string svg = folder.path("roof.svg"), file = folder.path("a.json");
  const CliResult run = run_cli("map -a " + machine + " -w " + layers + " --roofline " + svg + " --json " + file);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("MACs/byte of VRegs"));
  EXPECT_THAT(read_text(svg), AllOf(HasSubstr("4 MXU units"), HasSubstr("2 VPU units"), HasSubstr("VRegs: unlimited")));
  const json answer = json::parse(read_text(file));
  const json& product = answer["layers"][0]["roofline"];
  EXPECT_EQ(product["macs_per_cycle_at_most"], 4);
  EXPECT_EQ(product["levels"].size(), 2u);
  const json& gate = answer["layers"][1]["roofline"];
  EXPECT_EQ(gate["macs_per_cycle_at_most"], 2);
  ASSERT_EQ(gate["levels"].size(), 3u);
  EXPECT_EQ(gate["levels"][2]["level"], "VRegs");
  // Words of 32 bits: two operands are written and read once, a result is updated once.
  EXPECT_EQ(gate["levels"][2]["bytes"], 16 * 16 * 5 * 4);
}

TEST(CliRoofline, PagesOfFusedNetworksHaveTheirPicture) {
  const TempFolder folder;
  const std::string file = folder.path("fused.json"), page = folder.path("fused.html");
  ASSERT_EQ(run_cli("map -a tpu_v4i -w bert_base_block --fuse --budget 2 -q --json " + file).exit_code, 0);
  const CliResult run = run_cli("report " + file + " -o " + page);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const std::string html = read_text(page);
  EXPECT_THAT(html, HasSubstr("data:image/svg+xml,"));
  EXPECT_THAT(html, HasSubstr("bert_base_block on tpu_v4i"));
  EXPECT_THAT(html, HasSubstr("Gain of fusing"));
  EXPECT_THAT(html, Not(HasSubstr("<script")));
  json damaged = json::parse(read_text(file));
  damaged["picture"] = "<script>alert(1)</script>";
  damaged["name"] = "<b>net</b>";
  const std::string other = folder.write("other.json", damaged.dump());
  ASSERT_EQ(run_cli("report " + other + " -o " + page).exit_code, 0);
  EXPECT_THAT(read_text(page), Not(HasSubstr("<script")));
  EXPECT_THAT(read_text(page), Not(HasSubstr("<b>net")));
}

}  // namespace
}  // namespace heliolite::cli_roofline_test
