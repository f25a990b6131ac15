// `map --fuse`: what it answers, that `eval` agrees, and what it refuses, each by its name with what to write instead.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/cli_runner.h"

namespace heliolite::cli_map_fused_test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class CliMapFused : public ::testing::Test {
 protected:
  CliMapFused() {
    folder_.write("machine.yaml", machine("two_buffers", "", ""));
    folder_.write("network.yaml", R"(
name: chain
layers:
- {name: l1, einsum: "z[i,j] += w[i,k] * x[k,j]", sizes: {i: 8, j: 12, k: 8}, count: 3}
- {name: l2, einsum: "z[i,j] += w[i,k] * x[k,j]", sizes: {i: 8, j: 12, k: 8}, count: 3, reads: {x: l1}}
)");
  }

  static std::string machine(const std::string& name, const std::string& of_machine, const std::string& of_buffer) {
    return "architecture:\n  name: " + name + "\n  word_bits: 16\n" + of_machine +
           "  levels:\n"
           "  - {name: DRAM, dram: true, area_um2: 10, energy: {read: 64, fill: 64, update: 64}}\n"
           "  - {name: Buf, entries: 400, area_um2: 20, energy: {read: 6, fill: 7, update: 8}" +
           of_buffer +
           "}\n"
           "  - {name: Reg, entries: 3, area_um2: 3, energy: {read: 1, fill: 1, update: 1}}\n"
           "  compute: {name: MAC, energy: 1, area_um2: 1}\n";
  }

  std::string with(const std::string& file) const {
    return " -a " + folder_.path(file) + " -w " + folder_.path("network.yaml") + " ";
  }
  // The answer of `map --fuse`, of which `eval` says the same.
  json agreed(const std::string& file, const std::string& more = "") {
    const std::string inputs = with(file), schedule = folder_.path("s.yaml");
    const CliResult run = run_cli("map --fuse --threads 1" + inputs + more + " --schedule " + schedule + " --json " +
                                  folder_.path("m.json"));
    EXPECT_EQ(run.exit_code, 0) << run.err;
    const std::string reading = more.substr(0, more.starts_with("--word-bits") ? more.size() : 0);
    const CliResult eval = run_cli("eval" + inputs + reading + " -m " + schedule + " --json " + folder_.path("e.json"));
    EXPECT_EQ(eval.exit_code, 0) << eval.err;
    const json mapped = json::parse(read_text(folder_.path("m.json")));
    const json priced = json::parse(read_text(folder_.path("e.json")));
    EXPECT_EQ(mapped["energy_pj"], priced["energy_pj"]);
    EXPECT_EQ(mapped["cycles"], priced["cycles"]);
    EXPECT_EQ(mapped["schedule"], priced["schedule"]);
    out_ = run.out;
    return mapped;
  }
  void refuses(const std::string& option, const std::string& names, const std::string& instead) const {
    const CliResult run = run_cli("map --fuse" + with("machine.yaml") + option);
    EXPECT_EQ(run.exit_code, 2) << option;
    EXPECT_THAT(run.err, AllOf(HasSubstr(names), HasSubstr(instead))) << option;
  }

  TempFolder folder_;
  std::string out_;
};

TEST_F(CliMapFused, FusesAndProvesIt) {
  const json answer = agreed("machine.yaml");
  const json& network = answer["network"];
  EXPECT_EQ(network["status"], "optimal");
  EXPECT_EQ(network["value"], network["lower_bound"]);
  EXPECT_LT(network["value"], network["unfused"]["value"]);
  EXPECT_EQ(network["objective"], "edp");
  EXPECT_THAT(out_,
              AllOf(HasSubstr("not fused"), HasSubstr("no schedule is below"), HasSubstr("left out: work done twice")));
  // The objective of a network is what fusing is about, however it is called.
  EXPECT_EQ(agreed("machine.yaml", "--objective network_edp")["network"]["value"], network["value"]);
  EXPECT_EQ(agreed("machine.yaml", "--network")["network"]["value"], network["value"]);
}

TEST_F(CliMapFused, WeighsTheMachineWhereThatIsAsked) {
  const json edp = agreed("machine.yaml")["network"];
  const json edap = agreed("machine.yaml", "--objective edap")["network"];
  EXPECT_EQ(edap["status"], "optimal");
  EXPECT_DOUBLE_EQ(edap["value"].get<double>(), edp["value"].get<double>() * 34);
  EXPECT_DOUBLE_EQ(edap["unfused"]["value"].get<double>(), edp["unfused"]["value"].get<double>() * 34);
}

TEST_F(CliMapFused, CountsNetworksBelowFanouts) {
  folder_.write("hops.yaml",
                machine("hops", "", ", fanout: 2x2, network: {hop_pj: 0.5, router_pj: 0.25, ingress_pj: 0.125}"));
  const json answer = agreed("hops.yaml");
  EXPECT_EQ(answer["network"]["status"], "optimal");
  EXPECT_LE(answer["network"]["value"], answer["network"]["unfused"]["value"]);
}

TEST_F(CliMapFused, CountsWordsOfTheirOwnSizes) {
  const double same = agreed("machine.yaml")["energy_pj"].get<double>();
  const json answer = agreed("machine.yaml", "--word-bits w=8");
  EXPECT_EQ(answer["network"]["status"], "optimal");
  EXPECT_LT(answer["energy_pj"].get<double>(), same);
}

TEST_F(CliMapFused, EndsAfterSoManyEvaluations) {
  const json some = agreed("machine.yaml", "--evaluations 1")["network"];
  EXPECT_EQ(some["status"], "bounded");
  EXPECT_EQ(some["why_not_proven"], "the 1 evaluations of the budget are used up");
  const json all = agreed("machine.yaml", "--evaluations 1000000")["network"];
  EXPECT_EQ(all["status"], "optimal");
  EXPECT_LE(all["value"], some["value"]);
  EXPECT_EQ(all["value"], agreed("machine.yaml")["network"]["value"]);
}

TEST_F(CliMapFused, NamesTheNetworkThatHasEdges) {
  const CliResult plain = run_cli("map --fuse -a eyeriss -w resnet18 --evaluations 1");
  EXPECT_EQ(plain.exit_code, 0) << plain.err;
  EXPECT_THAT(plain.err, HasSubstr("no edges between its layers: nothing can be fused; resnet18_unrolled has"));
  EXPECT_THAT(run_cli("map --fuse" + with("machine.yaml")).err, Not(HasSubstr("no edges")));
}

TEST_F(CliMapFused, RefusesByNameWhatSchedulesDoNotHave) {
  refuses("--open", "--open", "must be left out");
  refuses("--tiles uneven", "--tiles: 'uneven'", "must be even");
  refuses("--factors any", "--factors: 'any'", "must be perfect");
  refuses("--strategy sunstone", "--strategy: 'sunstone'", "must be exact");
  refuses("--strategy random", "--strategy: 'random'", "must be exact");
  refuses("--strategy random --evaluator ./simulate", "--evaluator: './simulate'", "must be left out");
  refuses("--layer l1", "--layer", "must be left out");
  refuses("--csv -", "--csv", "must be left out");
  folder_.write("links.yaml", machine("linked", "  link_transfers: on\n", ", fanout: 2x2"));
  const CliResult linked = run_cli("map --fuse" + with("links.yaml"));
  EXPECT_EQ(linked.exit_code, 2);
  EXPECT_THAT(linked.err, AllOf(HasSubstr("link transfers"), HasSubstr("--link-transfers off")));
  EXPECT_EQ(run_cli("map --fuse --link-transfers off" + with("links.yaml")).exit_code, 0);
}

}  // namespace
}  // namespace heliolite::cli_map_fused_test
