// heliolite sweep: tables, JSON and refusals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/support/cli_runner.h"
#include "tests/support/sweep_problem.h"

namespace heliolite::cli_sweep_test {
namespace {

using ::testing::AllOf;
using testing::content_of;
using ::testing::HasSubstr;
using testing::small_sweep;

// Energies of the built-in table follow the capacity that is varied, and a note says that they are from there.
TEST(CliSweep, VariesAMachineOfTimeloop) {
  const TempFolder folder;
  folder.write("arch.yaml",
               "architecture:\n  version: 0.4\n  nodes:\n"
               "  - !Component {name: DRAM, class: DRAM, attributes: {width: 64, datawidth: 8}}\n"
               "  - !Component {name: Buf, class: SRAM, attributes: {depth: 512, width: 64, datawidth: 8}}\n"
               "  - !Component {name: Mult, class: intmac, attributes: {datawidth: 8}}\n");
  const std::string sweep =
      folder.write("sweep.yaml",
                   "sweep: {name: sizes, machine: arch.yaml, workloads: ['gemm:16x16x16'], strategy: sunstone, "
                   "parameters: {words: {set: Buf.entries, values: [64, 4096, 65536]}}}");
  const CliResult run = run_cli("sweep " + sweep + " -o " + folder.path("r.db") + " --json " + folder.path("a.json"));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("energies of DRAM, Buf and Mult are from Timeloop's built-in table"));
  const auto answer = nlohmann::json::parse(read_text(folder.path("a.json")));
  EXPECT_EQ(answer["counts"]["done"], 3);
  const CliResult mapped =
      run_cli("map -a " + folder.path("arch.yaml") + " -w gemm:16x16x16 --strategy sunstone --json -");
  const std::string same =
      folder.write("same.yaml",
                   "sweep: {machine: arch.yaml, workloads: ['gemm:16x16x16'], strategy: sunstone, parameters: {words: "
                   "{set: Buf.entries, values: [4096]}}}");
  ASSERT_EQ(run_cli("sweep " + same + " -o " + folder.path("s.db") + " --json " + folder.path("s.json")).exit_code, 0);
  EXPECT_EQ(nlohmann::json::parse(read_text(folder.path("s.json")))["best"][0]["energy_pj"],
            nlohmann::json::parse(mapped.out)["layers"][0]["energy_pj"]);
}

TEST(CliSweep, PrintsTheBestPointsTheFrontAndWhatBecameOfTheOthers) {
  const TempFolder folder;
  const std::string db = folder.path("r.db");
  const CliResult run = run_cli("sweep " + small_sweep(folder) + " -o " + db + " --json " + folder.path("a.json"));
  EXPECT_EQ(run.exit_code, 0) << run.err;
  for (const char* part : {"small on small, objective edp, strategy sunstone, goal all: 24 of 24 points", "Best points",
                           "Pareto front over energy, delay and area", "Layers of point", "x least words", "excluded",
                           "constraint", "infeasible", "layers searched"})
    EXPECT_THAT(run.out, HasSubstr(part));
  const auto answer = nlohmann::json::parse(read_text(folder.path("a.json")));
  EXPECT_EQ(answer["command"], "sweep");
  EXPECT_EQ(answer["counts"]["done"], 16);
  EXPECT_EQ(answer["counts"]["excluded"], 2);
  EXPECT_EQ(answer["interrupted"], false);
  EXPECT_EQ(answer["best"][0]["parameters"].size(), 3u);
  EXPECT_EQ(answer["layers"].size(), 2u);
  EXPECT_LE(answer["best"][0]["value"], answer["best"][1]["value"]);
}

TEST(CliSweep, SaysWhatWasAddedUpAndOfWhichMapspaceAndKeepsToItsEvaluations) {
  const TempFolder folder;
  const std::string parameters = "  parameters:\n    a: {set: GLB.capacity, values: [2 KB]}\n";
  for (const bool any : {false, true}) {
    const std::string db = folder.path(any ? "i.db" : "p.db");
    const std::string file = small_sweep(folder, any ? "  factors: any\n" : "", parameters);
    const CliResult run =
        run_cli("sweep --wide " + file + " --evaluations 300 -o " + db + " --json " + folder.path("a.json"));
    ASSERT_EQ(run.exit_code, 0) << run.err;
    EXPECT_THAT(run.out, HasSubstr(any ? "any factors" : "perfect factors"));
    EXPECT_THAT(run.out, HasSubstr("EDP of totals [pJ s]"));
    EXPECT_THAT(run.out, HasSubstr("ranked by edp of totals: total energy x total delay"));
    EXPECT_THAT(run.out, HasSubstr("the search ended after 300 evaluations"));
    const auto answer = nlohmann::json::parse(read_text(folder.path("a.json")));
    EXPECT_EQ(answer["mapspace"]["factors"], any ? "any" : "perfect");
    const auto& best = answer["best"][0];
    EXPECT_EQ(best["value_unit"], "pJ s");
    EXPECT_EQ(best["delay_s"], best["cycles"].get<double>() * best["ns_per_cycle"].get<double>() * 1e-9);
    EXPECT_EQ(best["value"], best["energy_pj"].get<double>() * best["delay_s"].get<double>());
    EXPECT_EQ(best["value_of_totals"], best["value"]);
    EXPECT_LT(best["sum_of_layer_values"], best["value"]);
    for (const auto& layer : answer["layers"]) EXPECT_LE(layer["evaluated"], 300 + 256);
    const CliResult csv = run_cli("sweep --export " + db + " --csv -");
    EXPECT_THAT(csv.out, HasSubstr(",delay_s,value_unit,value_of_totals,gap,status,notes,a_bytes\n"));
    EXPECT_THAT(csv.out, HasSubstr(",2048\n"));
  }
}

// A mapping out of the database prices as its row says.
TEST(CliSweep, MappingsCanBeEvaluated) {
  const TempFolder folder;
  const std::string db = folder.path("r.db");
  ASSERT_EQ(run_cli("sweep " + small_sweep(folder, "", "  parameters:\n    a: {set: GLB.capacity, values: [2 KB]}\n") +
                    " -o " + db)
                .exit_code,
            0);
  const LayerRecord row = content_of(db).layers[0];
  const CliResult eval = run_cli("eval -a " + folder.path("machine.yaml") + " -w gemm:16x8x12 -m " +
                                 folder.write("mapping.yaml", row.mapping) + " --json -");
  ASSERT_EQ(eval.exit_code, 0) << eval.err;
  EXPECT_DOUBLE_EQ(nlohmann::json::parse(eval.out)["energy_pj"], row.energy_pj);
  double sum = 0;
  const auto breakdown = nlohmann::json::parse(row.breakdown);
  for (const auto& [level, parts] : breakdown.items())
    for (const auto& part : parts.is_object() ? parts : nlohmann::json{parts}) sum += part.get<double>();
  EXPECT_NEAR(sum / row.energy_pj, 1, 1e-9);
}

// A network's totals leave out what keeping activations inside would save: every answer says so in one line.
TEST(CliSweep, SaysThatLayersWereMappedAlone) {
  const TempFolder folder;
  folder.write("net.yaml", "layers: [{name: a, gemm: 8x8x8}, {name: b, gemm: 7x8x8}]\n");
  const auto swept = [&](const std::string& workload, const std::string& name) {
    const std::string file = folder.write(
        name + ".yaml", "sweep: {machine: eyeriss, workloads: " + workload +
                            ", strategy: sunstone, parameters: {glb: {set: GLB.entries, values: [4096]}}}");
    const std::string db = folder.path(name + ".db"), json = folder.path(name + ".json");
    std::string all = run_cli("sweep " + file + " -o " + db + " --json " + json).out;
    all += "\n--\n" + nlohmann::json::parse(read_text(json))["notes"].dump();
    all += "\n--\n" + run_cli("sweep --status " + db).out;
    all += "\n--\n" + run_cli("sweep --export " + db + " --csv -").out;
    all += "\n--\n" + nlohmann::json::parse(run_cli("sweep --export " + db + " --json -").out)["notes"].dump();
    const CliResult page = run_cli("report " + db + " -o -");
    return all + (page.exit_code == 0 ? "\n--\n" + page.out : "");
  };
  const auto said = [](const std::string& text) {
    std::size_t times = 0;
    for (std::size_t at = 0; (at = text.find("layers are mapped alone", at)) != std::string::npos; ++at) ++times;
    return times;
  };
  const std::string network = swept("net.yaml", "network");
  const bool page = network.find("<!doctype html>") != std::string::npos;  // none without the chart library
  EXPECT_EQ(said(network), page ? 6U : 5U) << network.substr(0, 5000);
  EXPECT_EQ(said(swept("['gemm:8x8x8', 'gemm:7x8x8']", "single")), 0U);
}

TEST(CliSweep, ProofsOfTheBestPointsStay) {
  const TempFolder folder;
  const std::string sweep =
      folder.write("sweep.yaml",
                   "sweep: {name: two, machine: edge_unified, workloads: ['gemm:8x8x8'], strategy: exact, "
                   "parameters: {price: {set: compute.energy, values: [100, 200]}}}");
  const std::string line =
      "sweep " + sweep + " -o " + folder.path("r.db") + " --resume --json - --proofs " + folder.path("proofs");
  const CliResult first = run_cli(line);
  ASSERT_EQ(first.exit_code, 0) << first.err;
  const nlohmann::json points = nlohmann::json::parse(first.out)["proofs"];
  ASSERT_EQ(points.size(), 2) << points;
  const std::string file = points[0]["layers"][0]["proof"]["file"];
  EXPECT_GT(read_text(file).size(), 100);
  const nlohmann::json again = nlohmann::json::parse(run_cli(line).out)["proofs"];
  EXPECT_EQ(again[0]["layers"][0]["proof"], (nlohmann::json{{"file", file}, {"kept", true}}));
  EXPECT_EQ(run_cli(line + " --slurm 4").exit_code, 2);
}

TEST(CliSweep, ShardsMergeIntoWhatOneRunHas) {
  const TempFolder folder;
  const std::string sweep = "sweep " + small_sweep(folder, "  goal: front\n  pilots: 3\n") + " -o ";
  ASSERT_EQ(run_cli(sweep + folder.path("one.db")).exit_code, 0);
  std::string parts;
  for (const char* shard : {"1", "2", "3"}) {
    const std::string part = folder.path(std::string("part") + shard + ".db");
    ASSERT_EQ(run_cli(sweep + part + " --shard " + shard + "/3").exit_code, 0);
    parts += " " + part;
  }
  const CliResult merged = run_cli("merge " + folder.path("merged.db") + parts);
  EXPECT_EQ(merged.exit_code, 0) << merged.err;
  EXPECT_EQ(content_of(folder.path("merged.db")), content_of(folder.path("one.db")));
}

TEST(CliSweep, ComplainsAboutWhatItIsGiven) {
  const TempFolder folder;
  const std::string file = small_sweep(folder);
  const auto error = [](const std::string& arguments) {
    const CliResult run = run_cli("sweep " + arguments);
    EXPECT_EQ(run.exit_code, 2) << arguments;
    return run.err;
  };
  EXPECT_THAT(error(""), HasSubstr("needs one of a sweep file"));
  EXPECT_THAT(error(file + " --shard 0/3"), HasSubstr("from 1/N to N/N"));
  EXPECT_THAT(error(file + " --shard 4/3"), HasSubstr("'4/3'"));
  EXPECT_THAT(error(file + " --shard 4"), HasSubstr("'4'"));
  EXPECT_THAT(error(file + " --objective edpp"), HasSubstr("did you mean"));
  EXPECT_THAT(error(file + " --goal fornt"), HasSubstr("did you mean 'front'?"));
  EXPECT_THAT(error(file + " --strategy sunston"), HasSubstr("did you mean 'sunstone'?"));
  EXPECT_THAT(error(file + " --csv x.csv"), HasSubstr("--export"));
  EXPECT_THAT(error(file + " -o " + folder.path("none/r.db")), HasSubstr("none"));
  EXPECT_THAT(error(folder.path("no.yaml")), HasSubstr("no.yaml"));
}

TEST(CliSweep, ChecksWithoutMapping) {
  const TempFolder folder;
  const std::string file = small_sweep(folder, "  sample: 10\n"), json = folder.path("plan.json");
  const CliResult run = run_cli("sweep " + file + " --check -o " + folder.path("r.db") + " --json " + json);
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.out, AllOf(HasSubstr("10 of 24 design points, 2 layers each"), HasSubstr("GLB.fanout")));
  const auto answer = nlohmann::json::parse(read_text(json));
  EXPECT_EQ(answer["question"]["planned"], 10);
  EXPECT_EQ(answer["plan"]["points"], 10);
  EXPECT_EQ(answer["plan"]["layers"], 2);
  ASSERT_EQ(answer["plan"]["parameters"].size(), 3u);
  EXPECT_EQ(answer["plan"]["parameters"][0]["sets"], nlohmann::json::parse(R"(["GLB.fanout"])"));
  EXPECT_FALSE(std::filesystem::exists(folder.path("r.db")));
}

TEST(CliSweep, ExitsWithOneWhenNothingCouldBeMapped) {
  const TempFolder folder;
  const CliResult run =
      run_cli("sweep " + small_sweep(folder, "", "  parameters:\n    a: {set: Spad.entries, values: [1, 2]}\n") +
              " -o " + folder.path("r.db"));
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.out, AllOf(HasSubstr("infeasible"), HasSubstr("no mapping of gemm")));
}

}  // namespace
}  // namespace heliolite::cli_sweep_test
