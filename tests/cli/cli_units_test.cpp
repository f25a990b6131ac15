// Seconds, W, TOPS, GB/s and areas, where a machine says enough for them; where a network's energy goes; --csv.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "engine/base/file_bytes.h"
#include "tests/support/cli_runner.h"

namespace heliolite::cli_units_test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

json answer(const std::string& arguments) {
  const CliResult result = run_cli(arguments + " --json -");
  EXPECT_EQ(result.exit_code, 0) << arguments << "\n" << result.err;
  return json::parse(result.out, nullptr, false);
}

std::string machine(const std::string& head, const std::string& bandwidth) {
  return "architecture:\n  " + head + "\n  levels:\n  - {name: DRAM, dram: true, energy: 100, bandwidth: " + bandwidth +
         "}\n  - {name: Buf, entries: 1024, energy: 2, area_um2: 2.0e6}\n  compute: {energy: 1}\n";
}

// The bandwidths of DRAM, "read write shared" in words per cycle.
std::string words_per_cycle(const std::string& file) {
  std::string text;
  const json shown = answer("show " + file);
  for (const json& n : shown["numbers"])
    if (n["of"] == "DRAM" && n["key"].get<std::string>().starts_with("bandwidth"))
      text += n["value"].is_null() ? "- " : n["value"].dump() + " ";
  return text;
}

TEST(CliUnits, BandwidthsMayBeInBytesPerSecond) {
  const TempFolder folder;
  const auto words = [&](const std::string& head, const std::string& bandwidth) {
    return words_per_cycle(folder.write("m.yaml", machine(head, bandwidth)));
  };
  const std::string head = "cycle_ns: 0.5\n  word_bits: 16";
  EXPECT_EQ(words(head, "25.6 GB/s"), "- - 6.4 ");
  EXPECT_EQ(words(head, "{read: 25.6 GB/s, write: 3}"), "6.4 3.0 - ");
  EXPECT_EQ(words(head, "{read: 12800 MB/s, write: 0.0128 TB/s}"), "3.2 3.2 - ");
  // A variant's bandwidth replaces the whole of its base's, in whatever unit; its clock turns the base's into words.
  folder.write("base.yaml", machine(head, "{read: 25.6 GB/s, write: 25.6 GB/s}"));
  const auto variant = [&](const std::string& more) {
    return words_per_cycle(folder.write("v.yaml", "architecture:\n  base: base.yaml\n" + more));
  };
  EXPECT_EQ(variant("  cycle_ns: 1\n"), "12.8 12.8 - ");
  EXPECT_EQ(variant("  levels: [{name: DRAM, bandwidth: {shared: 4}}]\n"), "- - 4.0 ");
  EXPECT_THAT(run_cli("show --resolved " + folder.path("base.yaml")).out,
              ContainsRegex("bandwidth.read +6.4 words/cycle +25.6 GB/s +stated in GB/s"));
}

TEST(CliUnits, BytesPerSecondNeedClockAndWord) {
  const TempFolder folder;
  const auto complaint = [&](const std::string& head, const std::string& bandwidth) {
    const CliResult result = run_cli("show " + folder.write("m.yaml", machine(head, bandwidth)));
    EXPECT_EQ(result.exit_code, 2) << result.out;
    return result.err;
  };
  EXPECT_THAT(complaint("word_bits: 16", "25.6 GB/s"),
              AllOf(HasSubstr("m.yaml:4"), HasSubstr("levels[0]"), HasSubstr("needs cycle_ns")));
  EXPECT_THAT(complaint("cycle_ns: 1", "25.6 GB/s"), HasSubstr("needs word_bits"));
  const std::string head = "cycle_ns: 1\n  word_bits: 8";
  EXPECT_THAT(complaint(head, "8"), AllOf(HasSubstr("bandwidth = 8"), HasSubstr("'25.6 GB/s'")));
  EXPECT_THAT(complaint(head, "{read: 8 GiB}"), AllOf(HasSubstr("read = 8 GiB"), HasSubstr("MB/s, GB/s or TB/s")));
  EXPECT_THAT(complaint(head, "{read: -1 GB/s}"), HasSubstr("read = -1 GB/s"));
  EXPECT_THAT(complaint(head, "{read: 0}"), HasSubstr("words per cycle"));
  EXPECT_THAT(complaint(head, "{read: 1e30 TB/s}"), HasSubstr("bandwidth"));
}

TEST(CliUnits, SweepsSetBandwidthsInBytesPerSecond) {
  const TempFolder folder;
  folder.write("m.yaml", machine("cycle_ns: 1\n  word_bits: 16", "{read: 2 GB/s, write: 4 GB/s}"));
  const std::string sweep = folder.write("s.yaml",
                                         "sweep:\n  machine: m.yaml\n  workloads: ['gemm:8x8x8']\n  parameters:\n"
                                         "    rate: {set: DRAM.bandwidth.read, values: [8 GB/s, 1]}\n");
  const CliResult ran = run_cli("sweep " + sweep + " -o " + folder.path("s.db") + " -q");
  EXPECT_EQ(ran.exit_code, 0) << ran.err << ran.out;
}

TEST(CliUnits, RatesAddUp) {
  const json a = answer("map -a eyeriss_45nm -w conv_pair --no-look -q");
  const json& total = a["total"];
  const double seconds = total["cycles"].get<double>() * 1e-9, joules = total["energy_pj"].get<double>() * 1e-12;
  double macs = 0, parts = total["compute_pj"];
  for (const json& layer : a["layers"]) macs += layer["macs"].get<double>() * layer["count"].get<double>();
  const json& rates = total["rates"];
  EXPECT_DOUBLE_EQ(rates["seconds"], seconds);
  EXPECT_DOUBLE_EQ(rates["watts"], joules / seconds);
  EXPECT_NEAR(rates["tops"].get<double>() / (2e-12 * macs / seconds), 1, 1e-12);
  EXPECT_NEAR(rates["tops_per_watt"].get<double>() / (2e-12 * macs / joules), 1, 1e-12);
  EXPECT_NEAR(rates["per_second"].get<double>() * seconds, 1, 1e-12);
  EXPECT_GT(total["area_um2"], 9e5);
  for (const json& level : total["levels"]) {
    const double energy = level["energy_pj"];
    EXPECT_NEAR(
        energy,
        level["accesses_pj"].get<double>() + level["network_pj"].get<double>() + level["leakage_pj"].get<double>(),
        1e-9 * energy);
    parts += energy;
  }
  EXPECT_NEAR(parts / total["energy_pj"].get<double>(), 1, 1e-12);
}

TEST(CliUnits, TextSaysWhatIsKnown) {
  const std::string known = run_cli("map -a eyeriss_45nm -w resnet18@batch=2 -s sunstone --no-look -q").out;
  EXPECT_THAT(known, AllOf(ContainsRegex("one run: [0-9.]+ ms, [0-9.]+ m?W, [0-9.]+ TOPS, [0-9.]+ TOPS/W; [0-9.]+ "
                                         "inferences/s, [0-9.]+ mJ each"),
                           HasSubstr("area: 0.96"), ContainsRegex("DRAM .* %"), HasSubstr("GB/s")));
  const std::string pat = run_cli("map -a eyeriss -w gemm:16x16x16 --no-look -q").out;
  EXPECT_THAT(pat, AllOf(HasSubstr("the machine states no cycle_ns"), HasSubstr("area: unknown")));
  EXPECT_TRUE(answer("map -a eyeriss -w gemm:16x16x16 --no-look -q")["total"]["rates"].is_null());
  const TempFolder folder;
  const std::string best = folder.path("best.json");
  run_cli("map -a eyeriss_45nm -w gemm:16x16x16 --no-look -q --json " + best);
  const std::string explained = run_cli("explain -a eyeriss_45nm -w gemm:16x16x16 -m " + best).out;
  EXPECT_THAT(explained, AllOf(ContainsRegex("dynamic +[0-9.]+"), ContainsRegex("static \\(leakage\\) +[0-9.]+")));
  EXPECT_THAT(explained,
              AllOf(ContainsRegex("rates +[0-9.]+ [mun]s, "), ContainsRegex("area +0.96"), HasSubstr("GB/s")));
}

// A whole language model in tokens, a block of one as what it is; and of every network that its layers were mapped
// alone.
TEST(CliUnits, NetworksSayWhatARunIs) {
  const TempFolder folder;
  const std::string block = "layers: [{name: up, gemm: 64x1x16}, {name: down, gemm: 16x1x64}]\n";
  const std::string machine = "map -a eyeriss_45nm -s sunstone --no-look -q -w ";
  const std::string part = folder.write("part.yaml", "one_run: one of the 3 blocks\n" + block);
  const std::string whole =
      folder.write("whole.yaml", "tokens: 2\nlayers: [{network: part.yaml, repeat: 3}, {name: head, gemm: 32x1x16}]\n");
  const std::string csv = folder.path("a.csv");
  const CliResult shown = run_cli(machine + whole + " --csv " + csv);
  EXPECT_THAT(shown.out,
              AllOf(ContainsRegex("inferences/s, [0-9.e+]+ .J each\n  tokens: [0-9.e+]+ tokens/s, [0-9.e+]+ .J each\n"),
                    HasSubstr("layers are mapped alone: all activations between them go through DRAM")));
  const json total = answer(machine + whole)["total"];
  EXPECT_EQ(total["tokens"], 2);
  EXPECT_TRUE(total["one_run"].is_null());
  EXPECT_NEAR(total["throughput"]["tokens_per_second"].get<double>() * total["rates"]["seconds"].get<double>(), 2,
              1e-9);
  EXPECT_NEAR(total["throughput"]["token_energy_pj"].get<double>() * 2 / total["energy_pj"].get<double>(), 1, 1e-12);
  EXPECT_THAT(answer(machine + whole)["notes"].dump(), HasSubstr("layers are mapped alone"));
  const std::string rows = *read_text_file(csv);
  EXPECT_THAT(rows, AllOf(HasSubstr("network_tokens_per_second"), HasSubstr("layers are mapped alone")));
  const std::string of_part = run_cli(machine + part).out;
  EXPECT_THAT(of_part, AllOf(ContainsRegex("; [0-9.e+]+ runs/s\n  a run is no inference: one of the 3 blocks\n"),
                             Not(HasSubstr("inferences/s"))));
  EXPECT_TRUE(answer(machine + part)["total"]["throughput"]["inferences_per_second"].is_null());
  // A single layer says nothing, also as one of a network.
  for (const std::string& one : {machine + whole + " -l head", machine + "gemm:8x8x8"}) {
    EXPECT_THAT(run_cli(one).out, Not(AnyOf(HasSubstr("alone"), HasSubstr("/s,"), HasSubstr("inference")))) << one;
    EXPECT_THAT(answer(one)["notes"].dump(), Not(HasSubstr("alone"))) << one;
  }
  const std::string best = folder.path("best.json");
  run_cli(machine + whole + " --json " + best);
  run_cli("report " + best + " -o " + folder.path("best.html"));
  EXPECT_THAT(*read_text_file(folder.path("best.html")),
              AllOf(HasSubstr("Tokens"), HasSubstr("layers are mapped alone")));
  EXPECT_THAT(run_cli("show " + part).out, HasSubstr("A run is no inference: one of the 3 blocks."));
  EXPECT_THAT(run_cli("show " + whole).out, HasSubstr("2 tokens in a run"));
}

TEST(CliUnits, WritesTheLayersAsCsv) {
  std::istringstream csv(run_cli("map -a eyeriss_45nm -w conv_pair --no-look -q --csv -").out);
  const json a = answer("map -a eyeriss_45nm -w conv_pair --no-look -q");
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(csv, line);) {
    std::istringstream cells(line);
    rows.emplace_back();
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(cell);
  }
  ASSERT_EQ(rows.size(), 3u);
  const auto cell = [&](std::size_t row, const std::string& column) {
    for (std::size_t c = 0; c < rows[0].size(); ++c)
      if (rows[0][c] == column) return rows[row].at(c);
    return "no column " + column;
  };
  double sum = 0;
  for (const std::string level : {"DRAM", "GLB", "IfmapSpad", "WeightSpad", "PsumSpad", "MAC"})
    sum += std::stod(cell(1, level + "_pj"));
  EXPECT_NEAR(sum / a["layers"][0]["energy_pj"].get<double>(), 1, 1e-12);
  EXPECT_EQ(cell(2, "cycles"), a["layers"][1]["cycles"].dump());
  EXPECT_EQ(cell(1, "value_unit"), "pJ cycles");
  // Every level is the sum of its tensors and what it loses; no column says the same as another.
  for (const std::string level : {"DRAM", "GLB", "IfmapSpad"}) {
    double parts = std::stod(cell(1, level + "_static_pj"));
    for (const std::string tensor : {"Weights", "Inputs", "Outputs"})
      if (const std::string pj = cell(1, level + "_" + tensor + "_pj"); !pj.empty()) parts += std::stod(pj);
    EXPECT_NEAR(parts / std::stod(cell(1, level + "_pj")), 1, 1e-9) << level;
  }
  EXPECT_EQ(cell(1, "size_K"), std::to_string(a["layers"][0]["dimensions"].value("K", 0)));
  EXPECT_GT(std::stod(cell(1, "DRAM_Weights_words_read")), 0);
  EXPECT_EQ(std::set<std::string>(rows[0].begin(), rows[0].end()).size(), rows[0].size());
  EXPECT_EQ(cell(1, "status"), "optimal");
  EXPECT_NEAR(std::stod(cell(1, "run_seconds")), a["layers"][0]["cycles"].get<double>() * 1e-9, 1e-12);
  // A layer without a mapping has a row too.
  const TempFolder folder;
  const std::string tiny = folder.write("tiny.yaml",
                                        "architecture:\n  energy: pat\n  levels:\n  - {name: DRAM, dram: true}\n"
                                        "  - {name: Reg, entries: 2}\n");
  EXPECT_THAT(run_cli("map -a " + tiny + " -w gemm:8x8x8 -q --csv -").out,
              HasSubstr("gemm,1,512,,,,,,,pJ cycles,infeasible,"));
}

// Two dies behind DRAM, each with a connection of its own: priced by the bit, in both directions, in every command.
TEST(CliUnits, InterconnectsArePricedByTheBit) {
  const TempFolder folder;
  const std::string file = folder.write("dies.yaml",
                                        "architecture:\n  cycle_ns: 0.5\n  word_bits: 8\n  levels:\n"
                                        "  - {name: DRAM, dram: true, energy: 4 pJ/bit, fanout: 2}\n"
                                        "  - {name: D2D, interconnect: true, energy: 1.25 pJ/bit, bandwidth: {read: 1 "
                                        "GB/s, write: 16 GB/s}}\n"
                                        "  - {name: Buf, entries: 256, energy: 1}\n  compute: {energy: 1}\n");
  EXPECT_THAT(run_cli("show --resolved " + file).out,
              AllOf(ContainsRegex("D2D +instances +2"), ContainsRegex("entries +none"),
                    ContainsRegex("energy.read +10 pJ +1.25 pJ/bit +stated"),
                    ContainsRegex("bandwidth.read +0.5 words/cycle +1 GB/s")));
  const std::string what = " -a " + file + " -w gemm:16x16x16", best = folder.path("best.json");
  const json found = answer("map" + what);
  EXPECT_EQ(found["layers"][0]["status"], "optimal");
  ASSERT_EQ(run_cli("map" + what + " --json " + best).exit_code, 0);
  const json cost = answer("explain" + what + " -m " + best);
  EXPECT_EQ(cost["energy_pj"], found["layers"][0]["energy_pj"]);
  double carried = 0;
  for (const json& level : cost["breakdown"]["levels"])
    if (level["level"] == "D2D")
      for (const auto& [name, tensor] : level["tensors"].items()) {
        const json& all = tensor["all_instances"];
        EXPECT_EQ(all["fills"], 0) << name;
        EXPECT_EQ(tensor["energy_pj"], 10 * (all["reads"].get<double>() + all["updates"].get<double>())) << name;
        carried += all["reads"].get<double>();
      }
  EXPECT_GE(carried, 2 * 16 * 16);  // A and B cross at least once
  EXPECT_THAT(run_cli("explain" + what + " -m " + best).out, ContainsRegex("D2D +[ABZ] "));
  const CliResult timeloop = run_cli("convert " + file + " -o " + folder.path("out") + " --to timeloop");
  EXPECT_EQ(timeloop.exit_code, 2);
  EXPECT_THAT(timeloop.err, HasSubstr("level 'D2D': an interconnect: Timeloop's files have nothing"));
  ASSERT_EQ(run_cli("convert " + file + " -o " + folder.path("out") + " --to heliolite").exit_code, 0);
  EXPECT_EQ(answer("map -w gemm:16x16x16 -a " + folder.path("out/machine.yaml"))["layers"][0]["energy_pj"],
            cost["energy_pj"]);
  const CliResult links = run_cli("map" + what + " --link-transfers on");
  EXPECT_EQ(links.exit_code, 2);
  EXPECT_THAT(links.err, HasSubstr("link transfers are not counted on machines with interconnects"));
}

}  // namespace
}  // namespace heliolite::cli_units_test
