// map --proof, show --instance and check-proof as a user runs them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <tuple>

#include "tests/support/cli_runner.h"

namespace heliolite::cli_proof_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(CliProof, AProofOfOneLayer) {
  const TempFolder folder;
  const std::string file = folder.path("a.proof");
  const CliResult run = run_cli("map -a eyeriss -w gemm:16x12x8 --no-look -q --json - --proof " + file);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const json proof = json::parse(run.out)["layers"][0]["proof"];
  EXPECT_EQ(proof["file"], file);
  EXPECT_EQ(proof["bytes"].get<std::size_t>(), fs::file_size(file));
  const CliResult instance = run_cli("show -a eyeriss -w gemm:16x12x8 --instance");
  EXPECT_EQ(instance.exit_code, 0);
  EXPECT_THAT(read_text(file), StartsWith(instance.out + "heliolite-proof 1\ninstance "));
  EXPECT_THAT(run_cli("map -a eyeriss -w gemm:16x12x8 --no-look --proof " + file).out, HasSubstr("proof in " + file));
}

TEST(CliProof, TheInstanceOfEveryMapspace) {
  const TempFolder folder;
  for (const char* mapspace : {"--free", "--open", "--tiles uneven", "--free --tiles uneven"}) {
    const std::string question = std::string(" -a gemmini -w gemm:8x6x4 ") + mapspace;
    const std::string file = folder.path(std::string("a") + mapspace + ".proof");
    ASSERT_EQ(run_cli("map --no-look -q" + question + " --proof '" + file + "'").exit_code, 0) << mapspace;
    const CliResult instance = run_cli("show --instance" + question);
    EXPECT_EQ(instance.exit_code, 0) << instance.err;
    EXPECT_THAT(read_text(file), StartsWith(instance.out + "heliolite-proof 1\ninstance ")) << mapspace;
  }
  for (const char* mapspace : {"--free", "--open", "--tiles uneven"})
    EXPECT_THAT(run_cli(std::string("show gemmini ") + mapspace).err, HasSubstr("is of --instance"));
}

TEST(CliProof, OneForEachLayerOfANetwork) {
  const TempFolder folder;
  const std::string target = folder.path("proofs");
  const CliResult run = run_cli("map -a gemmini -w resnet18 --no-look -q --json - --proof " + target);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  for (const json& layer : json::parse(run.out)["layers"]) {
    const std::string file = layer["proof"]["file"];
    EXPECT_TRUE(fs::exists(file)) << file;
  }
}

// Two layers of one shape, and one of another.
constexpr const char* kNet =
    "name: small\n"
    "layers:\n"
    "- {name: a, gemm: {m: 16, n: 12, k: 8}, count: 2}\n"
    "- {name: b, gemm: {m: 24, n: 6, k: 10}}\n"
    "- {name: c, gemm: {m: 16, n: 12, k: 8}}\n";

TEST(CliProof, OfANetworksOptimumAndOfItsFront) {
  const TempFolder folder;
  const std::string net = folder.write("net.yaml", kNet);
  const std::string map = "map -a edge_unified -w " + net + " -q --json - --proof ";
  for (const auto& [how, part, claim] :
       {std::tuple{" --network --no-look", "network", "edp "}, {" --front energy,delay", "front", "curve "}}) {
    const std::string file = folder.path(part) + "/network.proof.gz";
    const CliResult run = run_cli(map + folder.path(part) + how);
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const json proof = json::parse(run.out)[part]["proof"];
    EXPECT_EQ(proof["file"], file);
    EXPECT_EQ(proof["shapes"], 2);
    EXPECT_THAT(proof["claim"].get<std::string>(), StartsWith(claim));
    EXPECT_EQ(proof["bytes"].get<std::size_t>(), fs::file_size(file));
    const CliResult checked = run_cli("check-proof " + file);
    EXPECT_EQ(checked.exit_code, 0) << checked.out;
    EXPECT_THAT(checked.out, HasSubstr("no choice of mappings of 2 layers"));
  }
  EXPECT_EQ(run_cli(map + folder.path("network --network --no-look")).exit_code, 0);  // the same question again
  EXPECT_EQ(run_cli(map + folder.path("network --network --objective energy")).exit_code, 2);
  EXPECT_EQ(run_cli(map + folder.path("network --front energy,delay")).exit_code, 2);
}

TEST(CliProof, OverwritesNoProofOfAnotherQuestion) {
  const TempFolder folder;
  const std::string file = folder.path("a.proof.gz"), map = "map --no-look -q --proof " + file + " -a ";
  folder.write("a.proof.gz", "");
  ASSERT_EQ(run_cli(map + "eyeriss -w gemm:16x12x8").exit_code, 0);
  const std::string proof = read_text(file);
  EXPECT_EQ(run_cli(map + "eyeriss -w gemm:16x12x8 -t 1").exit_code, 0);
  for (const std::string other :
       {"gemmini -w gemm:16x12x8", "eyeriss -w gemm:16x12x9", "eyeriss -w gemm:16x12x8 --objective energy",
        "eyeriss -w gemm:16x12x8 --network", "eyeriss -w gemm:16x12x8 --front energy,delay"}) {
    const CliResult run = run_cli(map + other);
    EXPECT_EQ(run.exit_code, 2) << other;
    EXPECT_THAT(run.err, HasSubstr("a.proof.gz is there already, and is no proof of this question: choose another"));
  }
  EXPECT_EQ(read_text(file), proof);
}

// Sums of energies, or of cycles, and products with more cycles, on a machine whose cycles count as Timeloop does and
// on one whose count exactly: the curves of the search suffice.
TEST(CliProof, OfEveryObjectiveOfANetwork) {
  const TempFolder folder;
  const std::string net =
      folder.write("net.yaml",
                   "name: small\nlayers:\n- {name: a, gemm: {m: 16, n: 12, k: 8}, count: 2}\n"
                   "- {name: b, einsum: \"Z[M,P] = A[M,P+R] * W[R]\", sizes: {M: 8, P: 12, R: 3}}\n");
  for (const std::string machine : {"eyeriss", "gemmini"})
    for (const std::string objective : {"energy", "delay", "edp", "ed2p"}) {
      const std::string target = folder.path(machine + objective);
      const CliResult run = run_cli("map -a " + machine + " -w " + net +
                                    " -q --json - --network --no-look --objective " + objective + " --proof " + target);
      ASSERT_EQ(run.exit_code, 0) << run.err;
      const json proof = json::parse(run.out)["network"]["proof"];
      ASSERT_FALSE(proof.contains("refused")) << proof;
      EXPECT_THAT(proof["claim"].get<std::string>(), StartsWith(objective + " "));
      const CliResult checked = run_cli("check-proof " + target + "/network.proof.gz");
      EXPECT_EQ(checked.exit_code, 0) << checked.out << checked.err;
    }
}

// Each layer is proven on the chain of levels of the unit that runs it.
TEST(CliProof, OfANetworkOnSeveralUnits) {
  const TempFolder folder;
  const std::string machine = folder.write(
      "two.yaml",
      "architecture:\n  name: two\n  levels:\n  - {name: DRAM, dram: true, energy: 200, bandwidth: {shared: 8}}\n"
      "  - {name: SRAM, entries: 64, energy: 6, leak_pj_per_cycle: 0.5, fanout: 4}\n"
      "  - {name: Regs, entries: 4, energy: 0.5, leak_pj_per_cycle: 0.25}\n  compute: {name: MXU, energy: 1}\n"
      "  units:\n  - name: VPU\n    below: SRAM\n    fanout: 2\n    energy: 2\n    levels:\n"
      "    - {name: VRegs, entries: 8, energy: 0.25}\n");
  const std::string net =
      folder.write("net.yaml",
                   "name: small\nlayers:\n- {name: a, gemm: {m: 16, n: 12, k: 8}, count: 2}\n"
                   "- {name: b, einsum: \"Z[M,N] = A[M,N]\", sizes: {M: 16, N: 12}, operation: elementwise}\n");
  const CliResult run =
      run_cli("map -a " + machine + " -w " + net + " -q --json - --network --no-look --proof " + folder.path("proofs"));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const json answer = json::parse(run.out);
  EXPECT_EQ(answer["layers"][1]["unit"], "VPU");
  ASSERT_FALSE(answer["network"]["proof"].contains("refused")) << answer["network"]["proof"];
  const CliResult checked = run_cli("check-proof " + folder.path("proofs/network.proof.gz"));
  EXPECT_EQ(checked.exit_code, 0) << checked.out << checked.err;
}

// Layers that any of two units can run: a proof on each of them, whatever is asked.
TEST(CliProof, OfLayersThatSeveralUnitsCanRun) {
  const TempFolder folder;
  const std::string machine = folder.write(
      "two.yaml",
      "architecture:\n  name: two\n  levels:\n  - {name: DRAM, dram: true, energy: 200, bandwidth: {shared: 8}}\n"
      "  - {name: SRAM, entries: 64, energy: 6, leak_pj_per_cycle: 0.5, fanout: 4}\n"
      "  - {name: Regs, entries: 4, energy: 0.5, leak_pj_per_cycle: 0.25}\n  compute: {name: MXU, energy: 3}\n"
      "  units:\n  - name: VPU\n    below: SRAM\n    fanout: 2\n    energy: 1\n    runs: all\n    levels:\n"
      "    - {name: VRegs, entries: 8, energy: 0.25}\n");
  const std::string net =
      folder.write("net.yaml",
                   "name: small\nlayers:\n- {name: a, gemm: {m: 16, n: 12, k: 8}, count: 2}\n"
                   "- {name: b, einsum: \"Z[M,N] = A[M,N]\", sizes: {M: 16, N: 12}, operation: elementwise}\n");
  const std::string question = " -a " + machine + " -w ";
  // A layer, of which the instances are asked for, too.
  const std::string layer = folder.path("a.proof");
  ASSERT_EQ(run_cli("map --no-look -q" + question + net + " -l a --proof " + layer).exit_code, 0);
  EXPECT_THAT(read_text(layer), StartsWith("heliolite-layer 1\nunits 2\nheliolite-instance 1\n"));
  const CliResult accepted = run_cli("check-proof " + layer);
  EXPECT_EQ(accepted.exit_code, 0) << accepted.out << accepted.err;
  EXPECT_THAT(accepted.out, HasSubstr("no legal mapping on any of 2 units has an EDP below "));
  const std::string shown = run_cli("show --instance" + question + net + " -l a").out;
  const std::size_t second = shown.find("heliolite-instance", 1);
  ASSERT_NE(second, std::string::npos);
  for (const std::string& instance : {shown.substr(0, second), shown.substr(second)})
    EXPECT_THAT(read_text(layer), HasSubstr(instance + "heliolite-proof 1\n"));
  // The same question may write it again, another may not.
  EXPECT_EQ(run_cli("map --no-look -q" + question + net + " -l a --proof " + layer).exit_code, 0);
  EXPECT_EQ(run_cli("map --no-look -q" + question + net + " -l b --proof " + layer).exit_code, 2);
  // The network.
  for (const auto& [how, part, claim] : {std::tuple{"--network --no-look", "network", "edp "},
                                         {"--network --no-look --objective energy", "network", "energy "},
                                         {"--network --no-look --objective delay", "network", "delay "},
                                         {"--front energy,delay", "front", "curve "}}) {
    const std::string target = folder.path(claim);
    const std::string command = std::string("map -q ") + how + question + net + " --proof '" + target + "' --json -";
    const CliResult run = run_cli(command);
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const json proof = json::parse(run.out)[part]["proof"];
    ASSERT_FALSE(proof.contains("refused")) << proof;
    EXPECT_THAT(proof["claim"].get<std::string>(), StartsWith(claim));
    const CliResult checked = run_cli("check-proof '" + target + "/network.proof.gz'");
    EXPECT_EQ(checked.exit_code, 0) << how << checked.out << checked.err;
    EXPECT_EQ(run_cli(command).exit_code, 0) << how;  // the same question again
  }
  // The front of one layer is its own curve.
  const std::string front = folder.path("front.proof"), ask = "map -q --front energy,delay --proof " + front;
  EXPECT_EQ(run_cli(ask + question + net + " -l a").exit_code, 0);
  EXPECT_THAT(read_text(front), StartsWith("heliolite-layer 1\nunits 2\nheliolite-instance 1\n"));
  const CliResult curve = run_cli("check-proof " + front);
  EXPECT_EQ(curve.exit_code, 0) << curve.out << curve.err;
  EXPECT_EQ(run_cli(ask + question + net + " -l a").exit_code, 0);
}

TEST(CliProof, OfTheFrontOfOneLayer) {
  const TempFolder folder;
  const std::string file = folder.path("a.proof");
  const CliResult run = run_cli("map -a eyeriss -w gemm:16x12x8 --front energy,delay -q --proof " + file);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(read_text(file), HasSubstr("\nclaim optimal curve "));
}

// All choices of what levels keep are one instance, and its proof is of all of them.
TEST(CliProof, OfWhatLevelsMayKeep) {
  const TempFolder folder;
  const std::string file = folder.path("a.proof");
  for (const std::string machine : {"edge_unified", "gemmini"}) {
    const CliResult run = run_cli("map -a " + machine + " -w gemm:12x8x6 --open --no-look -q --proof " + file);
    ASSERT_EQ(run.exit_code, 0) << run.err;
    EXPECT_THAT(read_text(file), HasSubstr("\nkeep -\nopen A B Z\n"));
    const CliResult checked = run_cli("check-proof " + file);
    EXPECT_EQ(checked.exit_code, 0) << checked.out << checked.err;
    fs::remove(file);
  }
}

// All places of the tiles are one instance.
TEST(CliProof, OfUnevenTiles) {
  const TempFolder folder;
  const std::string file = folder.path("a.proof");
  const std::string question = "map -a gemmini -w gemm:12x8x6 --no-look -q --proof " + file;
  const CliResult run = run_cli(question + " --tiles uneven");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(read_text(file), HasSubstr("\nuneven\nlevel DRAM "));
  const CliResult checked = run_cli("check-proof " + file);
  EXPECT_EQ(checked.exit_code, 0) << checked.out << checked.err;
  EXPECT_EQ(run_cli(question).exit_code, 2);  // of even tiles: another question
}

TEST(CliProof, RefusalsAndInputs) {
  const TempFolder folder;
  const std::string file = folder.path("a.proof");
  const CliResult any = run_cli("map -a eyeriss -w gemm:16x12x8 --factors any -q --json - --proof " + file);
  EXPECT_EQ(any.exit_code, 0);
  const json layer = json::parse(any.out)["layers"][0];
  EXPECT_EQ(layer["proof"]["refused"], "no proof for factors that do not divide yet");
  EXPECT_FALSE(fs::exists(file));
  const std::string machine = folder.write("m.yaml", run_cli("show eyeriss --yaml").out);
  const CliResult over = run_cli("map -a " + machine + " -w gemm:16x12x8 --proof " + machine);
  EXPECT_EQ(over.exit_code, 2);
  EXPECT_EQ(run_cli("show --instance").exit_code, 2);
  EXPECT_EQ(run_cli("show eyeriss --layer conv1").exit_code, 2);
}

TEST(CliProof, TheCheckerIsAskedWhereThereIsOne) {
  const TempFolder folder;
  const std::string file = folder.path("a.proof.gz");
  ASSERT_EQ(run_cli("map -a eyeriss -w gemm:16x12x8 --no-look -q --proof " + file).exit_code, 0);
  const CliResult run = run_cli("check-proof " + file);
  EXPECT_EQ(run.exit_code, 0) << run.out;
  EXPECT_THAT(run.out, StartsWith("accepted: "));
}

}  // namespace
}  // namespace heliolite::cli_proof_test
