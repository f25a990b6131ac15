// Schedules of networks on the command line: eval, explain, diff, check, and what they refuse.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/cli_runner.h"
#include "tests/support/svg_check.h"

namespace heliolite::cli_schedule_test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::string kNest = "[{level: Buf, temporal: [j: 2, i: 8, k: 8]}]\n";

// The example of docs/fusion_trees.md, and one layer after the other.
class CliSchedule : public ::testing::Test {
 protected:
  CliSchedule() {
    folder_.write("machine.yaml", R"(
architecture:
  name: two_buffers
  word_bits: 16
  levels:
  - {name: DRAM, dram: true, energy: {read: 64, fill: 64, update: 64}}
  - {name: Buf, entries: 400, energy: {read: 6, fill: 7, update: 8}}
  - {name: Reg, entries: 3, energy: {read: 1, fill: 1, update: 1}}
  compute: {name: MAC, energy: 1}
)");
    folder_.write("network.yaml", R"(
name: chain
layers:
- {name: l1, einsum: "z[i,j] += w[i,k] * x[k,j]", sizes: {i: 8, j: 12, k: 8}, count: 3}
- {name: l2, einsum: "z[i,j] += w[i,k] * x[k,j]", sizes: {i: 8, j: 12, k: 8}, count: 3, reads: {x: l1}}
)");
    folder_.write("fused.yaml",
                  "schedule: Buf[(l1.j/6 l2.j/6)[+l1.w, +l2.w, l1, l2]]\nmappings:\n  l1: " + kNest + "  l2: " + kNest);
    folder_.write("apart.yaml",
                  "schedule: l1 ; l2\nmappings:\n"
                  "  l1: [{level: DRAM, temporal: [j: 6]}, {level: Buf, temporal: [j: 2, i: 8, k: 8]}]\n"
                  "  l2: [{level: DRAM, temporal: [j: 6]}, {level: Buf, temporal: [j: 2, i: 8, k: 8]}]\n");
  }

  std::string inputs() const {
    return " -a " + folder_.path("machine.yaml") + " -w " + folder_.path("network.yaml") + " ";
  }
  std::string with(const std::string& file) const { return inputs() + "-m " + folder_.path(file) + " "; }

  TempFolder folder_;
};

TEST_F(CliSchedule, EvalSaysWhatStaysInside) {
  const CliResult fused = run_cli("eval" + with("fused.yaml"));
  EXPECT_EQ(fused.exit_code, 0) << fused.err;
  EXPECT_THAT(fused.err, IsEmpty());
  EXPECT_THAT(fused.out, AllOf(HasSubstr("chain on two_buffers: 2 of 2 layers fused in 1 group\n"),
                               HasSubstr("(157728 pJ)"), HasSubstr("DRAM         672 words read, 288 written\n"),
                               HasSubstr("1 of 1 stay inside, 576 of 576 bytes; 0 bytes of edges"),
                               ContainsRegex("l1.z -> l2.x +stays at Buf +96 +16 +192 +0 +0\n")));
  const CliResult apart = run_cli("eval" + with("apart.yaml"));
  EXPECT_THAT(apart.out, AllOf(HasSubstr("0 of 2 layers fused in 0 groups"), Not(HasSubstr("Groups")),
                               HasSubstr("0 of 1 stay inside, 0 of 576 bytes; 1,152 bytes of edges"),
                               ContainsRegex("l1.z -> l2.x +through DRAM +96 +192 +192 +192\n")));
}

// Without groups a schedule costs what its layers do.
TEST_F(CliSchedule, LayersAloneCostWhatTheirMappingsDo) {
  folder_.write("layer.yaml",
                "mapping: [{level: DRAM, temporal: [j: 6]}, {level: Buf, temporal: [j: 2, i: 8, k: 8]}]\n");
  const json apart = json::parse(run_cli("eval" + with("apart.yaml") + "--json -").out);
  double energy = 0;
  for (const char* layer : {"l1", "l2"})
    energy +=
        3 * json::parse(run_cli("eval" + with("layer.yaml") + "--json - -l " + layer).out)["energy_pj"].get<double>();
  EXPECT_DOUBLE_EQ(apart["energy_pj"].get<double>(), energy);
}

TEST_F(CliSchedule, AnswersReadBack) {
  const std::string answer = folder_.path("answer.json");
  for (const char* file : {"fused.yaml", "apart.yaml"}) {
    ASSERT_EQ(run_cli("explain" + with(file) + "--json " + answer).exit_code, 0);
    const json first = json::parse(read_text(answer));
    const json second = json::parse(run_cli("eval" + with("answer.json") + "--json -").out);
    for (const char* key : {"energy_pj", "cycles", "schedule", "mappings", "groups", "links", "edges", "edge_bytes"})
      EXPECT_EQ(first[key], second[key]) << key;
    double energy = 0;
    for (const json& link : first["links"]) {
      energy += link["count"].get<double>() * link["energy_pj"].get<double>();
      EXPECT_EQ(link["breakdown"]["levels"].size(), 3u);
    }
    EXPECT_DOUBLE_EQ(energy, first["energy_pj"].get<double>());
    EXPECT_EQ(run_cli("diff" + inputs() + folder_.path(file) + " " + answer).exit_code, 0);
  }
}

TEST_F(CliSchedule, ExplainDrawsTreesAndNests) {
  const std::string text = run_cli("explain" + with("fused.yaml")).out;
  EXPECT_THAT(text, AllOf(HasSubstr("Group 1: words that stay at Buf"), HasSubstr("Mapping of one pass"),
                          HasSubstr("Layer l2: 6 passes of i 8, j 2, k 8, counted together, group 1\n")));
  EXPECT_THAT(text, ContainsRegex("Buf +w +64 +1 +768 +64 +0 "));
  const std::string nest = run_cli("explain" + with("fused.yaml") + "--nest").out;
  EXPECT_THAT(nest, HasSubstr("\nSchedule\n"
                              "  group 1 at Buf\n"
                              "    for (l1.j/6 l2.j/6): 6 times\n"
                              "      Buf has l1.z 16, l1.w 64, l2.w 64\n"
                              "      l1: 6 passes of i 8, j 2, k 8\n"));
  EXPECT_THAT(nest,
              AllOf(HasSubstr("keeps W w 64, X x 16, Z z 16"), HasSubstr("160 of 400 words, 40.0 %, 64 of others (+)"),
                    Not(HasSubstr("Mapping of one pass"))));
  const std::string svg = run_cli("explain" + with("fused.yaml") + "--svg -").out;
  EXPECT_EQ(not_well_formed(svg), "");
  EXPECT_THAT(misplaced_texts(svg), IsEmpty());
  EXPECT_THAT(svg, AllOf(HasSubstr(">for (l1.j/6 l2.j/6): 6 times<"), HasSubstr(">l2: 6 passes of i 8, j 2, k 8<"),
                         HasSubstr(">for k in 8<")));
  EXPECT_THAT(svg, AllOf(HasSubstr(">stays<"), HasSubstr("what lives in Buf while each layer of the group runs"),
                         HasSubstr("taken, own tiles too")));
  EXPECT_THAT(run_cli("explain" + with("apart.yaml") + "--svg -").out,
              AllOf(HasSubstr("crosses DRAM"), Not(HasSubstr("what lives in"))));
  EXPECT_EQ(run_cli("explain" + with("apart.yaml") + "--nest --svg " + folder_.path("apart.svg")).exit_code, 0);
}

TEST_F(CliSchedule, SumsHaveRowsOfTheirOwn) {
  folder_.write("network.yaml", R"(
name: residual
inputs: [X]
layers:
- {name: l1, einsum: "z[i,j] += w[i,k] * x[k,j]", sizes: {i: 8, j: 12, k: 8}, count: 2, reads: {x: X}}
- {name: l2, einsum: "z[i,j] += w[i,k] * x[k,j]", sizes: {i: 8, j: 12, k: 8}, count: 2}
edges:
- {from: l1, to: l2, tensor: x, combine: add}
- {from: X, to: l2, tensor: x, combine: add}
)");
  const CliResult fused = run_cli("eval" + with("fused.yaml"));
  EXPECT_EQ(fused.exit_code, 0) << fused.err;
  EXPECT_THAT(fused.out, AllOf(ContainsRegex("sum with X +1 +2 .* 192 +0\n"),
                               ContainsRegex("X -> sum at l1.z +through DRAM +96 +192 +192 *\n"),
                               ContainsRegex("X -> l1.x +through DRAM +96 +192 +192 *\n")));
  const json answer = json::parse(run_cli("eval" + with("fused.yaml") + "--json -").out);
  EXPECT_EQ(answer["sums"][0]["words"], 96);
  double energy = answer["sums"][0]["energy_pj"].get<double>();
  for (const json& link : answer["links"]) energy += link["energy_pj"].get<double>();
  EXPECT_DOUBLE_EQ(answer["energy_pj"].get<double>(), 2 * energy);
  EXPECT_THAT(run_cli("diff" + inputs() + folder_.path("fused.yaml") + " " + folder_.path("apart.yaml")).out,
              ContainsRegex("sums of several arrays +12288 +12288 "));
}

TEST_F(CliSchedule, DiffNamesLoopsAndCosts) {
  const CliResult diff = run_cli("diff" + inputs() + folder_.path("fused.yaml") + " " + folder_.path("apart.yaml"));
  EXPECT_EQ(diff.exit_code, 1) << diff.err;
  EXPECT_THAT(diff.out,
              AllOf(ContainsRegex("l1.group +l1 .. l2 at Buf +-"), ContainsRegex("l1.w.held +l1 .. l2: "),
                    ContainsRegex("l2.DRAM.temporal +- +j=6"), ContainsRegex("total +157728 +196608 +\\+38880"),
                    ContainsRegex("cycles +4,608 +4,608 +\\+0")));
  const CliResult same = run_cli("diff" + inputs() + folder_.path("fused.yaml") + " " + folder_.path("fused.yaml"));
  EXPECT_EQ(same.exit_code, 0);
  EXPECT_THAT(same.out, HasSubstr("the schedules are the same"));
  EXPECT_THAT(run_cli("diff " + folder_.path("fused.yaml") + " " + folder_.path("apart.yaml")).err,
              HasSubstr("schedules are compared on a machine, for a network: give -a and -w"));
}

TEST_F(CliSchedule, CheckTriesItsNetwork) {
  EXPECT_THAT(run_cli("check " + folder_.path("")).out,
              ContainsRegex("fused.yaml +schedule of a network +read +eval, explain -m"));
  folder_.write("alone/fused.yaml", read_text(folder_.path("fused.yaml")));
  EXPECT_THAT(run_cli("check " + folder_.path("alone")).out, HasSubstr("needs a machine and a workload"));
  folder_.write("wrong/fused.yaml", "schedule: l1 ; l3\nmappings: {}\n");
  const CliResult wrong = run_cli("check" + inputs() + folder_.path("wrong"));
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_THAT(wrong.out + wrong.err, HasSubstr("'l3' is no link of the network"));
}

TEST_F(CliSchedule, RefusesWhatIsNotOfSchedules) {
  const auto error = [&](const std::string& arguments) {
    const CliResult result = run_cli(arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments;
    return result.err;
  };
  EXPECT_THAT(error("eval" + with("fused.yaml") + "--layer l1"),
              HasSubstr("--layer: 'l1': " + folder_.path("fused.yaml") + " is a schedule of all layers"));
  EXPECT_THAT(error("eval" + with("fused.yaml") + "--counts true"), HasSubstr("--counts: 'true': factors of the"));
  EXPECT_THAT(error("explain" + with("fused.yaml") + "--counts timeloop"), HasSubstr("--counts: 'timeloop'"));
  EXPECT_THAT(error("simulate" + with("fused.yaml") + "-l l1"), HasSubstr("is the schedule of a network"));
  EXPECT_THAT(error("diff" + inputs() + folder_.path("fused.yaml") + " " + folder_.path("network.yaml")),
              HasSubstr("is one of the schedules"));
  EXPECT_THAT(error("diff" + inputs() + "-l l1 " + folder_.path("fused.yaml") + " " + folder_.path("apart.yaml")),
              HasSubstr("--layer"));
  EXPECT_THAT(error("eval -a eyeriss -w resnet18 -m " + folder_.path("fused.yaml")),
              HasSubstr("fused.yaml:1: schedule, column 1: 'Buf' is no level of eyeriss"));
  folder_.write("full.yaml",
                "schedule: Buf[+l1.w, +l1.x, +l2.w, l1, l2]\nmappings:\n"
                "  l1: [{level: Buf, temporal: [j: 12, i: 8, k: 8]}]\n"
                "  l2: [{level: Buf, temporal: [j: 12, i: 8, k: 8]}]\n");
  EXPECT_THAT(error("eval" + with("full.yaml")),
              HasSubstr("full.yaml:4: l2: no room at Buf: 96 words of its tiles and 320 of homes"));
}

}  // namespace
}  // namespace heliolite::cli_schedule_test
