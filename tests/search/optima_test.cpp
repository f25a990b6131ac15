// Files of proven optima: read with complaints that help, searched, compared and replayed.
#include "engine/verify/optima_verify.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "engine/formats/load_architecture.h"
#include "engine/formats/load_network.h"
#include "tests/support/cli_runner.h"
#include "tests/support/space_workloads.h"

namespace heliolite::optima_test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

const std::string kFolder = HELIOLITE_TEST_DATA "/golden/optima/";
const std::string kOptima = kFolder + "optima.jsonl";

std::string text(const OptimaReport& report) {
  std::string all;
  for (const Mismatch& m : report.mismatches) {
    all += m.id + ": " + m.refused + "\n";
    for (const Difference& d : m.differences) all += fmt::format("  {} {} {}\n", d.where, d.expected, d.ours);
  }
  return all;
}

OptimaOptions exhaustively() {
  OptimaOptions options;
  options.strategy = Strategy::Exhaustive;
  return options;
}

// The first record of the sample, a small GEMM or convolution on a machine of two levels.
json first_record() {
  std::ifstream file(kOptima);
  std::string line;
  std::getline(file, line);
  return json::parse(line);
}

// A file of these lines beside the sample's machines and workloads.
struct OptimaFile {
  explicit OptimaFile(const std::string& lines) {
    for (const char* sub : {"machines", "workloads"}) std::filesystem::copy(kFolder + sub, folder.path(sub));
    path = folder.write("o.jsonl", lines);
  }

  TempFolder folder;
  std::string path;
};

std::string lines(const std::vector<json>& records) {
  std::string text;
  for (const json& record : records) text += (record.is_string() ? record.get<std::string>() : record.dump()) + "\n";
  return text;
}

std::string complaint(const json& record) {
  const OptimaFile file(lines({record}));
  const auto report = verify_optima(file.path, exhaustively());
  return report ? "accepted" : to_string(report.errors());
}

json changed(const std::string& key, const json& value) {
  json record = first_record();
  record[key] = value;
  return record;
}

TEST(Optima, SmallRecordsMatch) {
  std::vector<json> records;
  std::ifstream file(kOptima);
  for (std::string line; std::getline(file, line);) {
    const json record = json::parse(line);
    if (record["set"] == "fixed_keep" && record["legal_mappings"] < 25'000) records.push_back(record);
  }
  const OptimaFile small(lines(records));
  u64 last = 0;
  OptimaOptions options = exhaustively();
  options.progress = [&](u64 done, u64 of, u64 mismatched) {
    last = done;
    EXPECT_EQ(of, records.size());
    EXPECT_EQ(mismatched, 0u);
  };
  const auto report = verify_optima(small.path, options);
  ASSERT_TRUE(report.ok()) << to_string(report.errors());
  EXPECT_EQ(report->total.mismatched, 0u) << text(*report);
  EXPECT_EQ(report->total.matched, records.size());
  EXPECT_EQ(report->total.proven, records.size());
  EXPECT_EQ(report->by_objective.size(), 3u);
  EXPECT_EQ(last, records.size());
  EXPECT_TRUE(report->notes.empty());
}

TEST(Optima, WhatDiffersIsNoticed) {
  const json record = first_record();
  json worse = record, energy = record, cycles = record, mapping = record;
  worse["optimum"] = record["optimum"].get<double>() * (1 + 1e-8);
  energy["energy_pJ"] = record["energy_pJ"].get<double>() * (1 - 1e-8);
  cycles["cycles"] = record["cycles"].get<u64>() + 1;
  // A mapping that keeps what the record says must be bypassed.
  mapping["keep"].begin().value().erase(0);
  const OptimaFile file(lines({record, worse, energy, cycles, mapping}));
  OptimaOptions options = exhaustively();
  options.threads = 2;
  const auto report = verify_optima(file.path, options);
  ASSERT_TRUE(report.ok()) << to_string(report.errors());
  EXPECT_EQ(report->total.matched, 1u);
  ASSERT_EQ(report->mismatches.size(), 4u);
  for (int k = 0; k < 4; ++k) EXPECT_EQ(report->mismatches[static_cast<std::size_t>(k)].line, k + 2);
  EXPECT_THAT(report->mismatches[0].differences[0].where, HasSubstr("optimum ("));
  EXPECT_THAT(report->mismatches[1].differences[0].where, HasSubstr("energy of the recorded mapping"));
  EXPECT_THAT(report->mismatches[2].differences[0].where, HasSubstr("cycles of the recorded mapping"));
  EXPECT_THAT(report->mismatches[3].refused, HasSubstr("outside the mapspace"));
}

TEST(Optima, FiltersBySetIdAndNumber) {
  OptimaOptions options = exhaustively();
  options.limit = 3;
  EXPECT_EQ(verify_optima(kOptima, options)->total.matched, 3u);
  options.id = "edp of mttkrp on m1_flat2";
  EXPECT_EQ(verify_optima(kOptima, options)->total.matched, 1u);
  options.id = "edp of mttkrp on m1_flat";
  EXPECT_THAT(to_string(verify_optima(kOptima, options).errors()),
              HasSubstr("did you mean 'edp of mttkrp on m1_flat2'"));
  OptimaOptions set = exhaustively();
  set.group = "nothing";
  EXPECT_THAT(to_string(verify_optima(kOptima, set).errors()), HasSubstr("sets: fixed_keep and real"));
}

TEST(Optima, ComplaintsNameLineAndField) {
  EXPECT_THAT(complaint("{\"optimum\":"), HasSubstr("o.jsonl:1: is not JSON"));
  EXPECT_THAT(complaint(json{{"optimum", 3}}), HasSubstr("o.jsonl:1: machine: is missing"));
  EXPECT_THAT(complaint(changed("objective", "edpp")), HasSubstr("objective: unknown name 'edpp', did you mean 'edp'"));
  EXPECT_THAT(complaint(changed("optimum", "12")), HasSubstr("optimum: \"12\" must be a number"));
  EXPECT_THAT(complaint(changed("optimum", nullptr)), HasSubstr("optimum: is missing"));
  EXPECT_THAT(complaint(changed("cycles", -1)), HasSubstr("cycles: -1 must be a number, 0 or more"));
  EXPECT_THAT(complaint(changed("machine", "../m.yaml")), HasSubstr("must be the name of a file"));
  EXPECT_THAT(complaint(changed("machine", "m9.yaml")), HasSubstr("machines/m9.yaml"));
  EXPECT_THAT(complaint(changed("keep", 3)), HasSubstr("keep: 3 must map levels to lists of tensors"));
  EXPECT_THAT(complaint(changed("keep", {{"Buff", json::array()}})), HasSubstr("'Buff' is not a level of"));
  EXPECT_THAT(complaint(changed("keep", {{"Buf", {"Wights"}}})),
              HasSubstr("o.jsonl:1: keep.Buf: 'Wights' is not a tensor"));
  EXPECT_THAT(complaint(changed("keep", {{"Buf", {1}}})), HasSubstr("keep.Buf: 1 must be the name of a tensor"));
  EXPECT_THAT(complaint(changed("mapping_yaml", "mapping: 3")), HasSubstr("o.jsonl:1: mapping_yaml"));
  EXPECT_THAT(complaint(changed("one_axis_per_dimension", "yes")), HasSubstr("must be true or false"));
  const OptimaFile empty("\n\n");
  EXPECT_THAT(to_string(verify_optima(empty.path, exhaustively()).errors()), HasSubstr("has no records"));
  EXPECT_THAT(to_string(verify_optima("/tmp", exhaustively()).errors()), HasSubstr("is a directory"));
}

TEST(Optima, KeysThatAreNotKnownAndMissingExtrasAreFine) {
  json record = first_record();
  record["remark"] = "x";
  for (const char* key : {"set", "mapping_yaml", "mapping", "energy_pJ", "cycles", "ties", "legal_mappings"})
    record.erase(key);
  EXPECT_EQ(complaint(record), "accepted");
  EXPECT_TRUE(holds_optima(OptimaFile(lines({record})).path));
  EXPECT_FALSE(holds_optima(HELIOLITE_TEST_DATA "/golden/golden.jsonl"));
  EXPECT_FALSE(holds_optima("/nowhere"));
}

// The keep rules of a record's levels, "L: keep / bypass" with one letter a tensor, innermost first.
std::string keep_of(const json& keep) {
  const Workload w = testing::conv1d(4, 4, 2, 3);
  Architecture a;
  a.levels.resize(3);
  for (int i = 0; i < 3; ++i)
    a.levels[static_cast<std::size_t>(i)].name = std::array{"Reg", "GLB", "DRAM"}[static_cast<std::size_t>(i)];
  const json record{{"machine", "m"}, {"workload", "w"}, {"objective", "edp"}, {"optimum", 1}, {"keep", keep}};
  const auto parsed = parse_optimum_record(record.dump(), "f", 1);
  if (!parsed) return to_string(parsed.errors());
  const auto machine = with_recorded_keep(*parsed, w, a);
  if (!machine) return to_string(machine.errors());
  std::string out;
  for (const StorageLevel& level : machine->architecture.levels) {
    for (const std::string& t : level.keep.keep) out += t[0];
    out += "/";
    for (const std::string& t : level.keep.bypass) out += t[0];
    out += " ";
  }
  return out;
}

TEST(Optima, KeepSetsInListsAndInWords) {
  EXPECT_EQ(keep_of(nullptr), "/ / / ");
  EXPECT_EQ(keep_of("open"), "/ / / ");
  EXPECT_EQ(keep_of("bypass open"), "/ / / ");
  EXPECT_EQ(keep_of("all levels keep all"), "oiw/ oiw/ oiw/ ");
  EXPECT_EQ(keep_of({{"Reg", {"ifmap"}}, {"GLB", nullptr}}), "i/ow / / ");
  EXPECT_EQ(keep_of({{"Reg", json::array()}, {"DRAM", "open"}}), "/oiw / / ");
  EXPECT_EQ(keep_of("Reg W, GLB IO, DRAM all"), "w/oi oi/w oiw/ ");
  EXPECT_EQ(keep_of("Reg keeps weight ofmap, GLB open"), "ow/i / / ");
  EXPECT_EQ(keep_of("GLB none"), "/ /oiw / ");
  EXPECT_THAT(keep_of("Reg Q"), HasSubstr("f:1: keep: 'Reg Q' is not understood"));
  EXPECT_THAT(keep_of("Reg W open"), HasSubstr("not understood"));
}

// With a mapping to go by, its keep sets take the place of words that mean nothing here.
TEST(Optima, UnclearWordsAreReplacedByTheMappingsKeepSets) {
  const OptimaFile file(lines({changed("keep", "as in the paper")}));
  const auto report = verify_optima(file.path, exhaustively());
  ASSERT_TRUE(report.ok()) << to_string(report.errors());
  EXPECT_EQ(report->total.matched, 1u);
  ASSERT_EQ(report->notes.size(), 1u);
  EXPECT_THAT(report->notes.begin()->first, HasSubstr("keep sets of the recorded mapping"));
}

TEST(Optima, StoppedSearchesAreSkipped) {
  const std::atomic<bool> stop{true};
  OptimaOptions options = exhaustively();
  options.stop = &stop;
  options.limit = 2;
  const auto report = verify_optima(kOptima, options);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->total.skipped, 2u);
  EXPECT_EQ(report->skip_reasons.at("interrupted"), 2u);
}

TEST(Optima, CommandLine) {
  const CliResult good = run_cli("verify " + kOptima + " -s exhaustive --mode fixed_keep --limit 6 --json -");
  ASSERT_EQ(good.exit_code, 0) << good.err;
  const json answer = json::parse(good.out);
  EXPECT_EQ(answer["matched"], 6);
  EXPECT_EQ(answer["by_set"]["fixed_keep"]["matched"], 6);
  EXPECT_EQ(answer["by_machine"]["m1_flat2.yaml"]["proven"], 6);
  EXPECT_EQ(answer["question"]["strategy"], "exhaustive");
  EXPECT_TRUE(good.err.empty()) << good.err;

  const OptimaFile file(lines({changed("optimum", 1.0)}));
  const CliResult bad = run_cli("verify " + file.path + " -s exhaustive");
  EXPECT_EQ(bad.exit_code, 1);
  EXPECT_THAT(bad.out, HasSubstr("o.jsonl:1: "));
  EXPECT_THAT(bad.out, HasSubstr("optimum ("));
  EXPECT_EQ(run_cli("verify " + kOptima + " -s exhaustiv").exit_code, 2);
  EXPECT_EQ(run_cli("verify " HELIOLITE_TEST_DATA "/golden/golden.jsonl -s exhaustive").exit_code, 2);
}

TEST(Optima, FoldersAndSeveralFiles) {
  const CliResult both = run_cli("verify " HELIOLITE_TEST_DATA "/golden " + kFolder + " --limit 5 --json -");
  ASSERT_EQ(both.exit_code, 0) << both.err;
  const json answer = json::parse(both.out);
  ASSERT_EQ(answer["files"].size(), 2u);
  EXPECT_EQ(answer["matched"], 10);
  EXPECT_THAT(answer["files"][0]["question"]["file"].get<std::string>(), HasSubstr("golden.jsonl"));
  EXPECT_THAT(answer["files"][1]["question"]["file"].get<std::string>(), HasSubstr("optima.jsonl"));
  EXPECT_THAT(run_cli("verify " HELIOLITE_TEST_DATA "/golden " + kFolder + " --limit 5").out,
              HasSubstr("2 files: 10 records matched, 0 mismatched"));

  const OptimaFile wrong(lines({changed("optimum", 1.0)}));
  const CliResult one_differs = run_cli("verify " + kOptima + " " + wrong.path + " -s exhaustive --limit 2");
  EXPECT_EQ(one_differs.exit_code, 1);
  EXPECT_THAT(one_differs.out, HasSubstr("2 files: 2 records matched, 1 mismatched"));
  const CliResult no_records = run_cli("verify " HELIOLITE_TEST_DATA "/../engine");
  EXPECT_EQ(no_records.exit_code, 2);
  EXPECT_THAT(no_records.err, HasSubstr("holds no records, files called .jsonl"));
  EXPECT_EQ(run_cli("verify " + kOptima + " /nowhere/x.jsonl --limit 1").exit_code, 2);
}

}  // namespace
}  // namespace heliolite::optima_test
