// The sweep file: what it may say, and every complaint.
#include "engine/sweep/sweep_yaml.h"
#include "engine/sweep/store.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "engine/base/text.h"
#include "engine/sweep/design_points.h"
#include "engine/sweep/export.h"
#include "engine/sweep/question.h"
#include "engine/sweep/totals.h"
#include "tests/support/sweep_problem.h"
#include "tests/support/sweep_store.h"

namespace heliolite::sweep_yaml_test {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using testing::small_sweep;
using testing::sweep_of;

std::vector<std::string> texts(const SweepParameter& parameter) {
  std::vector<std::string> out;
  for (const ParameterValue& value : parameter.values) out.push_back(value.text);
  return out;
}

SweepSpec with_parameters(const std::string& parameters, const std::string& extra = "") {
  const TempFolder folder;
  return sweep_of(small_sweep(folder, extra, "  parameters:\n" + parameters));
}

std::string complaints(const std::string& parameters, const std::string& extra = "") {
  const TempFolder folder;
  const auto spec = load_sweep(small_sweep(folder, extra, "  parameters:\n" + parameters));
  EXPECT_FALSE(spec.ok()) << parameters;
  return spec.ok() ? "" : to_string(spec.errors());
}

constexpr const char* kOne = "    spad: {set: Spad.entries, values: [16, 64]}\n";

// Names of templates reach the machine, its bases and its tables; machines that differ are other questions.
TEST(SweepYaml, DefinitionsReachTheMachineAndTheQuestion) {
  const TempFolder folder;
  folder.write("base.yaml",
               "architecture:\n  name: b\n  levels:\n  - {name: DRAM, capacity: unbounded, energy: 100}\n"
               "  - {name: Buf, entries: 64, energy: {{ buf | default(2) }}}\n"
               "  compute: {name: MAC, energy: {{ mac }}}\n");
  folder.write("machine.yaml", "architecture: {name: m, base: base.yaml}\n");
  const std::string path = folder.write(
      "sweep.yaml",
      "sweep:\n  machine: machine.yaml\n  workloads: gemm:8x8x8\n  parameters: {buf: {set: Buf.entries, values: "
      "[64, 128]}}\n");
  const auto read = [&](const std::map<std::string, std::string>& defines) {
    return load_sweep(path, {.reading = {.defines = defines}});
  };
  EXPECT_THAT(to_string(load_sweep(path).errors()), HasSubstr("--define"));
  const auto one = read({{"mac", "1"}}), dear = read({{"mac", "1000"}}), buffer = read({{"mac", "1"}, {"buf", "3"}});
  ASSERT_TRUE(one && dear && buffer) << to_string(one.errors());
  const Result<Architecture> priced = DesignPoints(*dear).machine(0), other = DesignPoints(*buffer).machine(0);
  ASSERT_TRUE(priced && other) << to_string(priced.errors());
  EXPECT_EQ(priced->compute.op_pj, 1000);
  EXPECT_EQ(other->levels[0].energy.read_pj, 3);
  EXPECT_NE(sweep_question(*one), sweep_question(*dear));
  EXPECT_NE(sweep_question(*one), sweep_question(*buffer));
  EXPECT_EQ(sweep_question(*one), sweep_question(*read({{"mac", "1"}, {"buf", "2"}})));
}

TEST(SweepYaml, TextsAreReadAsFilesAre) {
  const TempFolder folder;
  const std::string path = small_sweep(folder, "", std::string("  parameters:\n") + kOne);
  const SweepSpec file = sweep_of(path);
  const auto text = parse_sweep(file.text, path);  // paths in it are relative to the file's
  ASSERT_TRUE(text.ok()) << to_string(text.errors());
  EXPECT_EQ(sweep_question(*text), sweep_question(file));
}

// Files from before all tile sizes were counted word by word are told what to write; what was swept by them is read.
TEST(SweepYaml, FormerOptionsSayWhatToWrite) {
  EXPECT_THAT(complaints(kOne, "  imperfect: true\n"), HasSubstr("imperfect: write factors any"));
  SweepRecord old;
  old.text = "sweep:\n  imperfect: true\n";
  EXPECT_TRUE(has_any_factors(old));
  EXPECT_EQ(counts_of(old), Counts::Timeloop);
}

TEST(SweepYaml, ReadsWhatIsAsked) {
  const SweepSpec spec = with_parameters(kOne,
                                         "  objective: energy\n  goal: front\n  pilots: 3\n  sample: 2\n  seed: 7\n  "
                                         "evaluations: 100\n  factors: any\n");
  EXPECT_EQ(spec.name, "small");
  EXPECT_EQ(spec.machine.name, "small");
  EXPECT_EQ(spec.options.objective, Objective::Energy);
  EXPECT_EQ(spec.options.strategy, Strategy::Sunstone);
  EXPECT_EQ(spec.options.budget_evaluations, 100u);
  EXPECT_EQ(spec.options.seed, 7u);
  EXPECT_EQ(spec.options.factors, Factors::Any);
  EXPECT_EQ(spec.goal, SweepGoal::Front);
  EXPECT_EQ(spec.pilots, 3u);
  EXPECT_EQ(spec.sample, 2u);
  ASSERT_THAT(spec.layers, SizeIs(2));
  EXPECT_EQ(spec.layers[0].weight, 2);
  EXPECT_THAT(spec.warnings, IsEmpty());
}

TEST(SweepYaml, ReadsMeansAndLimits) {
  const SweepSpec spec =
      with_parameters(kOne, "  mean: geometric\n  limits: {delay: 1e-3, power: 0.5}\n  sweep_budget: 60\n");
  EXPECT_EQ(spec.mean, SweepMean::Geometric);
  EXPECT_EQ(spec.limits, (SweepLimits{std::nullopt, 1e-3, 0.5}));
  EXPECT_EQ(spec.budget_seconds, 60);
  const SweepRecord record = sweep_record(spec, {}, "test");
  EXPECT_EQ(asked_mean(record), spec.mean);
  EXPECT_EQ(asked_limits(record), spec.limits);
  EXPECT_EQ(value_title(record), "geometric mean of EDP of totals [pJ s]");
}

TEST(SweepYaml, ComplainsAboutMeansAndLimits) {
  EXPECT_THAT(complaints(kOne, "  mean: harmonic\n"), HasSubstr("geometric"));
  EXPECT_THAT(complaints(kOne, "  limits: {delay: 0}\n"), HasSubstr("delay = 0, must be above 0"));
  EXPECT_THAT(complaints(kOne, "  limits: {latency: 3}\n"), HasSubstr("unknown key 'latency'"));
  EXPECT_THAT(complaints(kOne, "  limits: {}\n"), HasSubstr("must have energy, delay or power"));
  EXPECT_THAT(complaints(kOne, "  limits: {power: 1}\n  goal: front\n"), HasSubstr("goal all or best"));
  EXPECT_THAT(complaints(kOne, "  limits: {power: 1}\n  factors: any\n"), HasSubstr("factors perfect"));
  EXPECT_THAT(complaints(kOne, "  limits: {power: 1}\n  rank: layers\n"), HasSubstr("rank must be totals"));
}

TEST(SweepYaml, ReadsRangesOfNumbersAndSizes) {
  const SweepSpec spec = with_parameters(
      "    a: {set: Spad.entries, from: 8, to: 30, step: 8}\n"
      "    b: {set: GLB.capacity, from: 1 KB, to: 4 KB, factor: 2}\n"
      "    c: {set: GLB.bandwidth.read, from: 0.1, to: 0.3, step: 0.1}\n"
      "    d: {set: DRAM.block_words, from: 1, to: 27, factor: 3}\n");
  EXPECT_THAT(texts(spec.parameters[0]), ElementsAre("8", "16", "24"));
  EXPECT_THAT(texts(spec.parameters[1]), ElementsAre("1 KB", "2 KB", "4 KB"));
  EXPECT_THAT(texts(spec.parameters[2]), ElementsAre("0.1", "0.2", "0.3"));
  EXPECT_THAT(texts(spec.parameters[3]), ElementsAre("1", "3", "9", "27"));
  EXPECT_EQ(spec.parameters[1].values[1].number, 2048);
}

TEST(SweepYaml, ValuesCountAsNumbersBytesOrProducts) {
  const SweepSpec spec = with_parameters(
      "    pe: {set: GLB.fanout, values: [8, 14x12, {x: 3, y: 5}]}\n"
      "    keep: {set: GLB.keep, values: [[inputs, outputs], all]}\n"
      "    node: {set: technology_nm, values: [45, 22.5]}\n");
  EXPECT_EQ(spec.parameters[0].values[0].number, 8);
  EXPECT_EQ(spec.parameters[0].values[1].number, 168);
  EXPECT_EQ(spec.parameters[0].values[2].number, 15);
  EXPECT_THAT(texts(spec.parameters[1]), ElementsAre("[inputs, outputs]", "all"));
  EXPECT_FALSE(spec.parameters[1].values[0].number);
  EXPECT_EQ(spec.parameters[2].values[1].number, 22.5);
}

// The field alone changes; what follows from it follows.
TEST(SweepYaml, SetsFieldsOfTheMachine) {
  const SweepSpec spec = with_parameters(
      "    x: {set: GLB.fanout.x, values: [4]}\n"
      "    read: {set: GLB.bandwidth.read, values: [1]}\n"
      "    bits: {set: [word_bits, compute.word_bits], values: [8]}\n"
      "    both: {values: {large: {Spad.entries: 128, GLB.keep: all}}}\n");
  const auto machine = DesignPoints(spec).machine(0);
  ASSERT_TRUE(machine.ok()) << to_string(machine.errors());
  const StorageLevel &glb = machine->levels[1], &spad = machine->levels[0];
  EXPECT_EQ(glb.fanout_x, 4u);
  EXPECT_EQ(glb.fanout_y, 2u);
  EXPECT_EQ(machine->compute.instances, 8u);
  EXPECT_EQ(glb.bandwidth.read, 1);
  EXPECT_EQ(glb.bandwidth.write, 8);
  EXPECT_EQ(glb.entries, 2048u);
  EXPECT_EQ(glb.word_bits, 8u);
  EXPECT_EQ(spad.entries, 128u);
  EXPECT_THAT(glb.keep.keep, ElementsAre("all"));
  const auto base = resolve(spec.machine);
  ASSERT_TRUE(base.ok());
  EXPECT_GT(spad.area_um2, 0);
  EXPECT_NE(spad.energy.read_pj, base->levels[0].energy.read_pj);
}

TEST(SweepYaml, ComplainsAboutFields) {
  EXPECT_THAT(
      complaints("    a: {set: GBL.capacity, values: [1 KB]}\n"),
      AllOf(HasSubstr("no level GBL, did you mean 'GLB'?"), HasSubstr("sweep.yaml:9"), HasSubstr("parameters.a.set")));
  EXPECT_THAT(complaints("    a: {set: GLB.capcity, values: [1 KB, 2 KB]}\n"),
              HasSubstr("unknown key 'capcity', did you mean 'capacity'?"));
  EXPECT_THAT(complaints("    a: {set: GLB, values: [1]}\n"), HasSubstr("no field"));
  EXPECT_THAT(complaints("    a: {set: name, values: [x]}\n"), HasSubstr("no field"));
  EXPECT_THAT(complaints("    a: {set: GLB.name, values: [x]}\n"), HasSubstr("no field"));
  EXPECT_THAT(complaints("    a: {set: GLB.energy.read, values: [1]}\n"), HasSubstr("set as a whole"));
  EXPECT_THAT(complaints("    a: {set: [], values: [1]}\n"), HasSubstr("at least one field"));
  EXPECT_THAT(complaints("    a: {set: Spad.entries, values: [1]}\n    b: {set: Spad.capacity, values: [1 KB]}\n"),
              HasSubstr("sets Spad.capacity, and a sets Spad.entries"));
  EXPECT_THAT(complaints("    a: {set: [GLB.fanout, GLB.fanout.x], values: [1]}\n"),
              HasSubstr("GLB.fanout.x sets what GLB.fanout sets"));
}

TEST(SweepYaml, ComplainsAboutValuesAtTheirPlace) {
  const std::string text = complaints("    a: {set: Spad.entries, values: [16, -3, 16, x]}\n");
  EXPECT_THAT(text, HasSubstr("sweep.parameters.a.values[1]: entries = -3, must be an integer from 1"));
  EXPECT_THAT(text, HasSubstr("sweep.parameters.a.values[3]: entries = x"));
  EXPECT_THAT(text, HasSubstr("value 16 is there already"));
  EXPECT_THAT(text, Not(HasSubstr("architecture.")));
  EXPECT_THAT(complaints("    a: {set: Spad.entries, values: []}\n"), HasSubstr("at least one value"));
  EXPECT_THAT(complaints("    a: {set: Spad.entries, values: 3}\n"), HasSubstr("values must be a list"));
  EXPECT_THAT(complaints("    a: {set: Spad.entries}\n"), HasSubstr("missing key 'values', or a range"));
  EXPECT_THAT(complaints("    a: {values: [1, 2]}\n"), HasSubstr("missing key 'set'"));
  EXPECT_THAT(complaints("    a: {values: {small: 3}}\n"), HasSubstr("must be a map of fields and values"));
  EXPECT_THAT(complaints("    a: {values: {small: {Spad.entris: 3}}}\n"), HasSubstr("did you mean 'entries'?"));
  EXPECT_THAT(complaints("    a: {set: Spad.entries, values: {small: {Spad.entries: 3}}}\n"),
              HasSubstr("say themselves what they set"));
}

TEST(SweepYaml, ComplainsAboutRanges) {
  const auto range = [](const std::string& rest) { return complaints("    a: {set: Spad.entries, " + rest + "}\n"); };
  EXPECT_THAT(range("from: 8, to: 16"), HasSubstr("needs 'step' (added) or 'factor'"));
  EXPECT_THAT(range("from: 8, to: 16, step: 2, factor: 2"), HasSubstr("one of the two"));
  EXPECT_THAT(range("from: 8, step: 2"), HasSubstr("missing key 'to'"));
  EXPECT_THAT(range("from: 8, to: 4, step: 2"), HasSubstr("'to' must be at least 'from'"));
  EXPECT_THAT(range("from: 8, to: 16, step: 0"), HasSubstr("step must be above 0"));
  EXPECT_THAT(range("from: 8, to: 16, factor: 1"), HasSubstr("factor must be above 1"));
  EXPECT_THAT(range("from: 1, to: 1e9, step: 1"), HasSubstr("at most 10000"));
  EXPECT_THAT(range("from: 8, to: 1 KB, step: 2"), HasSubstr("must be a number as 'from' is"));
  EXPECT_THAT(range("values: [1], from: 8, to: 16, step: 2"), HasSubstr("'values' and a range"));
  EXPECT_THAT(range("values: [1], step: 2"), HasSubstr("'step' belongs to a range"));
}

TEST(SweepYaml, ComplainsAboutNamesOfParameters) {
  EXPECT_THAT(complaints("    2a: {set: Spad.entries, values: [1]}\n"), HasSubstr("must be a name of letters"));
  EXPECT_THAT(complaints("    min: {set: Spad.entries, values: [1]}\n"), HasSubstr("means something else"));
  for (const char* column : {"id", "state", "value", "energy_pj", "Seconds", "written", "shard", "checksum", "ended"})
    EXPECT_THAT(complaints("    " + std::string(column) + ": {set: Spad.entries, values: [1]}\n"),
                AllOf(HasSubstr(std::string(column) + " is the name of a column"), HasSubstr("ended, energy_pj")));
  EXPECT_THAT(complaints("    pes: {set: Spad.entries, values: [1]}\n"), HasSubstr("means something else"));
  EXPECT_THAT(complaints("    []\n"), HasSubstr("parameters must be a map"));
}

TEST(SweepYaml, NoParameterHasTheNameOfAColumnOfAnExport) {
  const TempFolder folder;
  const Store store = made(folder.path("a.db"));
  std::set<std::string> parameters;
  for (const std::string& parameter : store.sweep().parameters) {
    parameters.insert(csv_cell(parameter));
    parameters.insert(csv_cell(parameter + "_bytes"));
  }
  std::ostringstream points, layers, all;
  ASSERT_TRUE(write_points_csv(store, points).empty());
  ASSERT_TRUE(write_layers_csv(store, layers).empty());
  ASSERT_TRUE(write_json(store, {{"question", 0}}, all).empty());
  std::vector<std::string> columns;
  for (const std::string& text : {points.str(), layers.str()}) {
    std::istringstream heading(text.substr(0, text.find('\n')));
    for (std::string column; std::getline(heading, column, ',');) columns.push_back(column);
  }
  const auto point = nlohmann::json::parse(all.str())["points"][0];
  for (const auto& object : {point, point["layers"][0]})
    for (const auto& member : object.items()) columns.push_back(member.key());
  EXPECT_THAT(columns, AllOf(Contains("value_of_totals"), Contains("edp_pj_cycles"), Contains("search_seconds")));
  for (const std::string& column : columns) {
    if (parameters.contains(column)) continue;
    EXPECT_THAT(complaints("    " + column + ": {set: Spad.entries, values: [1]}\n"),
                AnyOf(HasSubstr(column + " is the name of a column"), HasSubstr(column + " means something else")));
  }
}

TEST(SweepYaml, ChecksConstraintsBeforeAnythingRuns) {
  const auto constraint = [](const std::string& text) { return complaints(kOne + ("  constraints: " + text + "\n")); };
  EXPECT_THAT(constraint("spda < 3"),
              AllOf(HasSubstr("unknown name 'spda', did you mean 'spad'?"), HasSubstr("GLB_words")));
  EXPECT_THAT(constraint("[\"spad <\"]"), HasSubstr("constraints[0]"));
  EXPECT_THAT(constraint("[[1]]"), HasSubstr("a constraint is a text"));
  EXPECT_THAT(complaints("    k: {set: GLB.keep, values: [all]}\n  constraints: k < 3\n"),
              HasSubstr("value all of k is no number, size or fan-out"));
}

TEST(SweepYaml, ReportsAllErrorsInOneGo) {
  const TempFolder folder;
  const auto spec =
      load_sweep(folder.write("bad.yaml",
                              "sweep:\n"
                              "  machine: eyeris\n"
                              "  workloads: [resnet81, {workload: resnet18, layers: [conv9], weight: -1}]\n"
                              "  strategy: sunston\n"
                              "  goal: fronts\n"
                              "  colour: red\n"
                              "  budget: 0\n"));
  ASSERT_FALSE(spec.ok());
  const std::string text = to_string(spec.errors());
  for (const char* part : {"did you mean 'eyeriss'?", "machine 'eyeris' cannot be read", "did you mean 'resnet18'?",
                           "resnet18 has no layer conv9", "weight = -1", "did you mean 'sunstone'?", "goal = fronts",
                           "unknown key 'colour'", "budget = 0", "missing key 'parameters'"})
    EXPECT_THAT(text, HasSubstr(part));
  EXPECT_THAT(to_string(load_sweep(folder.path("none.yaml")).errors()), HasSubstr("none.yaml"));
}

TEST(SweepYaml, RefusesGridsThatCannotBeNumbered) {
  std::string parameters;
  for (int k = 0; k < 5; ++k)
    parameters += "    p" + std::to_string(k) + ": {set: " + (k < 3 ? "GLB" : "Spad") + "." +
                  (k % 3 == 0   ? "address_generation_pj"
                   : k % 3 == 1 ? "multiple_buffering"
                                : "leak_pj_per_cycle") +
                  ", from: 1, to: 1000, step: 0.1}\n";
  EXPECT_THAT(complaints(parameters), HasSubstr("a grid of"));
}

TEST(SweepYaml, WarnsOfCostsThatStay) {
  const TempFolder folder;
  const auto warnings = [&](const std::string& parameters) {
    return to_string(
        sweep_of(folder.write("s.yaml",
                              "sweep:\n  machine: eyeriss\n  workloads: \"gemm:4x4x4\"\n  parameters:\n" + parameters))
            .warnings);
  };
  EXPECT_THAT(warnings("    a: {set: GLB.capacity, values: [54 KB]}\n"), HasSubstr("the area of GLB stays the same"));
  EXPECT_THAT(warnings("    a: {set: GLB.fanout, values: [2x2]}\n"), IsEmpty());
  EXPECT_THAT(warnings("    a: {values: {x: {GLB.capacity: 54 KB, GLB.energy: 3, GLB.area_um2: 9}}}\n"), IsEmpty());
}

// The record has what was read otherwise than it is written, prices that counting rounds and what totals leave out.
TEST(SweepYaml, NotesAreInTheRecord) {
  const TempFolder folder;
  folder.write("tiny.yaml",
               "architecture:\n  name: t\n  levels:\n  - {name: DRAM, dram: true, energy: 100}\n"
               "  - {name: Buf, entries: 64, energy: 2}\n  compute: {name: MAC, energy: 1}\n");
  const auto notes = [&](const std::string& workloads, const std::string& energies) {
    const SweepSpec spec = sweep_of(folder.write("s.yaml", "sweep:\n  machine: tiny.yaml\n  workloads: " + workloads +
                                                               "\n  parameters: {e: {set: compute.energy, values: [" +
                                                               energies + "]}}\n"));
    return fmt::format("{}", fmt::join(sweep_record(spec, {}, "").notes, "\n"));
  };
  EXPECT_EQ(notes("gemm:4x4x4", "1"), "");
  EXPECT_EQ(notes("[gemm:4x4x4, gemm:8x4x4]", "1"), "");
  EXPECT_THAT(notes("resnet18", "1"), HasSubstr("layers are mapped alone: all activations between them go through the "
                                                "outermost memory"));
  EXPECT_EQ(notes("[{workload: resnet18, layers: conv1}]", "1"), "");
  EXPECT_THAT(notes("gemm:4x4x4", "1, 3.3e-10"), HasSubstr("counted in units of 2^-32 pJ: energy of MAC, 3.3e-10 pJ"));
  EXPECT_THAT(notes("gemm:4x4x4", "3.1e-10, 3.2e-10, 3.3e-10, 3.4e-10, 3.5e-10"),
              HasSubstr("and 2 more machines whose energies are rounded otherwise"));
}

TEST(SweepYaml, OptionsOfReadingAreWrittenAndReadAgain) {
  const ReadOptions options{.defines = {{"a", "1"}, {"b", "\"x\""}},
                            .ignore_sparse = true,
                            .renames = {{"C", "K"}, {"K", "C"}},
                            .peer_channel = false,
                            .word_bits = {WordBitsSource::Given, {{"weights", 4}, {"all", 8}}},
                            .models = {"batch=1", "value:sr=16000"}};
  const ReadOptions again = parse_reading(reading_text(options));
  EXPECT_EQ(reading_text(again), reading_text(options));
  EXPECT_EQ(again.defines, options.defines);
  EXPECT_TRUE(again.ignore_sparse);
  EXPECT_EQ(again.renames.at(1).from, "K");
  EXPECT_EQ(again.peer_channel, false);
  EXPECT_EQ(again.word_bits.given.at(1).bits, 8U);
  EXPECT_EQ(again.models, options.models);
  for (const char* text : {"", "{", "[]", "{\"defines\": 3, \"models\": [1], \"word_bits_source\": 99}"})
    EXPECT_EQ(reading_text(parse_reading(text)), reading_text({})) << text;
}

TEST(SweepYaml, OverridesReplaceWhatTheFileSays) {
  const TempFolder folder;
  const std::string path = small_sweep(folder);
  const auto spec =
      load_sweep(path, {.options = {{&search_option("objective"), "delay"}, {&search_option("strategy"), "exact"}},
                        .goal = SweepGoal::Best,
                        .sample = 5});
  ASSERT_TRUE(spec.ok());
  EXPECT_EQ(spec->options.objective, Objective::Delay);
  EXPECT_EQ(spec->options.strategy, Strategy::Exact);
  EXPECT_EQ(spec->goal, SweepGoal::Best);
  EXPECT_EQ(spec->sample, 5u);
  EXPECT_NE(sweep_question(*spec), sweep_question(sweep_of(path)));
}

// What can change an answer changes the question; comments and places do not.
TEST(SweepQuestion, IsOfWhatIsAsked) {
  const auto question = [](const std::string& parameters, const std::string& extra = "") {
    return sweep_question(with_parameters(parameters, extra));
  };
  const std::string asked = question(kOne);
  EXPECT_EQ(question(kOne + std::string("  # a comment\n")), asked);
  EXPECT_EQ(question("\n    spad: {values: [16, 64], set: [Spad.entries]}\n"), asked);
  EXPECT_NE(question("    spad: {set: Spad.entries, values: [16, 65]}\n"), asked);
  EXPECT_NE(question("    spad: {set: GLB.entries, values: [16, 64]}\n"), asked);
  EXPECT_NE(question(kOne + std::string("  constraints: spad > 3\n")), asked);
  for (const char* extra : {"  goal: best\n", "  objective: delay\n", "  rank: layers\n", "  seed: 2\n",
                            "  sample: 1\n", "  without: beam\n", "  evaluations: 9\n", "  free: true\n",
                            "  mean: weighted\n", "  limits: {delay: 1}\n", "  limits: {power: 1}\n"})
    EXPECT_NE(question(kOne, extra), asked) << extra;
  EXPECT_EQ(question(kOne, "  sweep_budget: 5\n"), asked);
}

}  // namespace
}  // namespace heliolite::sweep_yaml_test
