// The way back to Timeloop: what is written is read again as the same machine, mapspace, workload and mapping, in both
// versions, and what the files cannot say is said.
#include "engine/formats/timeloop/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/integers.h"
#include "engine/formats/timeloop/form.h"
#include "engine/formats/timeloop/mapping.h"
#include "engine/formats/timeloop/problem.h"
#include "engine/model/cost_model.h"
#include "engine/model/fingerprint.h"
#include "engine/search/map.h"
#include "engine/space/mapspace.h"
#include "tests/support/load.h"
#include "workloads/workload_yaml.h"

namespace heliolite::timeloop_writer_test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr TimeloopVersion kVersions[] = {TimeloopVersion::V03, TimeloopVersion::V04};
const std::string kTests = HELIOLITE_TEST_DATA;

// Machines in files of Timeloop: those of recorded runs and of proven optima, and one in each format.
std::vector<std::string> recorded_machines() {
  std::vector<std::string> files;
  for (const char* folder : {"/golden/arch", "/golden/optima/machines", "/data/timeloop"})
    for (const auto& entry : std::filesystem::directory_iterator(kTests + folder)) {
      const std::string name = entry.path().stem().string();
      if (entry.path().extension() == ".yaml" && name != "small_tables") files.push_back(entry.path().string());
    }
  std::sort(files.begin(), files.end());
  return files;
}

Result<Architecture> read_back(const TimeloopMachineFiles& files) {
  std::vector<YamlNode> documents;
  for (const auto& text : {files.architecture, files.constraints, files.ert, files.art, files.components}) {
    if (text.empty()) continue;
    const Result<YamlNode> document = YamlNode::parse(text, "written.yaml");
    if (!document) return document.errors();
    documents.push_back(*document);
  }
  return read_timeloop_architecture(documents);
}

// Writes the machine, reads it and returns it; complains unless it is the one that was written.
Architecture there_and_back(const Architecture& machine, TimeloopVersion version) {
  const Result<TimeloopForm> form = timeloop_form(machine, version);
  const Result<TimeloopMachineFiles> files = write_timeloop_architecture(machine, version);
  if (!files || !form) {
    ADD_FAILURE() << machine.name << ", " << name(version) << ": " << to_string(files.errors());
    return machine;
  }
  const Result<Architecture> back = read_back(*files);
  EXPECT_TRUE(back.ok()) << machine.name << ", " << name(version) << ": " << to_string(back.errors());
  if (!back) return machine;
  EXPECT_EQ(fingerprint(*back), fingerprint(files->machine)) << machine.name << "\n"
                                                             << files->architecture << files->constraints << files->ert;
  EXPECT_NEAR(back->cycle_ns.value_or(0), machine.cycle_ns.value_or(0), 1e-12);
  return *back;
}

// Where the mapspaces of two machines differ; "" if they are the same.
std::string difference(const Mapspace& a, const Mapspace& b) {
  for (std::size_t i = 0; i < a.levels.size(); ++i) {
    const LevelSpace &x = a.levels[i], &y = b.levels[i];
    const std::string where = a.level_names[i] + ": ";
    if (x.keep != y.keep || x.bypass != y.bypass || x.open != y.open) return where + "keep";
    if (x.temporal.allowed != y.temporal.allowed) return where + "temporal";
    if (x.spatial.allowed_x != y.spatial.allowed_x || x.spatial.allowed_y != y.spatial.allowed_y)
      return where + "spatial";
    for (const int d : bits(a.non_unit)) {
      const auto at_d = at(d);
      if (x.temporal.factor[at_d].min != y.temporal.factor[at_d].min ||
          x.temporal.factor[at_d].max != y.temporal.factor[at_d].max)
        return where + "temporal factors";
      if (x.spatial.factor[at_d].min != y.spatial.factor[at_d].min ||
          x.spatial.factor[at_d].max != y.spatial.factor[at_d].max)
        return where + "spatial factors";
    }
    if (canonical_order(a, x.temporal.order) != canonical_order(b, y.temporal.order)) return where + "temporal order";
  }
  return "";
}

TEST(TimeloopWriter, RecordedMachinesAreReadAsTheyWere) {
  int refused = 0;
  for (const std::string& file : recorded_machines()) {
    const Architecture machine = testing::machine(file);
    // v0.4 has another network below levels that do not reduce.
    const Result<TimeloopMachineFiles> nodes = write_timeloop_architecture(machine, TimeloopVersion::V04);
    if (!nodes && to_string(nodes.errors()).find("does not reduce") != std::string::npos) ++refused;
    else there_and_back(machine, TimeloopVersion::V04);
    // Levels without loops have no words in v0.3 but those of a workload.
    const bool bare = std::ranges::any_of(
        machine.levels, [](const StorageLevel& l) { return !l.loops_allowed || l.constraints.temporal.allowed; });
    if (!bare) there_and_back(machine, TimeloopVersion::V03);
  }
  EXPECT_EQ(refused, 1);
}

// Presets that Timeloop's files can hold: it has one kind of compute units.
std::vector<std::string> presets_of_one_unit() {
  std::vector<std::string> names;
  for (const std::string& preset : architecture_preset_names()) {
    const Architecture machine = testing::machine(preset);
    if (machine.units.empty()) names.push_back(preset);
    else
      EXPECT_THAT(to_string(write_timeloop_architecture(machine, TimeloopVersion::V04).errors()),
                  HasSubstr("Timeloop has one kind of compute units"))
          << preset;
  }
  return names;
}

// Every preset, with the constraints of a convolution, a matrix product and a workload that has no classes.
TEST(TimeloopWriter, PresetsHaveTheirMapspaces) {
  for (const std::string& preset : presets_of_one_unit()) {
    for (const char* text : {"conv:k=32,c=16,p=14,r=3", "gemm:32x16x64", "mttkrp:8x4x16x32"}) {
      const Architecture machine = testing::machine(preset);
      const Workload workload = testing::workload(text);
      for (const TimeloopVersion version : kVersions) {
        const Result<TimeloopForm> form = timeloop_form(machine, workload, version);
        ASSERT_TRUE(form.ok()) << preset << " " << text << ": " << to_string(form.errors());
        const Architecture back = there_and_back(form->machine, version);
        Architecture original = machine;
        original.one_axis_per_dimension = form->machine.one_axis_per_dimension;
        const bool noted = to_string(form->notes).find("spatial constraint") != std::string::npos;
        const auto before = resolve(workload, original), after = resolve(workload, back);
        ASSERT_TRUE(before.ok() && after.ok()) << preset << " " << text << to_string(after.errors());
        EXPECT_EQ(noted ? "" : difference(*before, *after), "") << preset << " " << text << " " << name(version);
      }
    }
  }
}

TEST(TimeloopWriter, LeastUtilization) {
  for (const char* preset : {"eyeriss", "edge_split", "simba"}) {
    Architecture machine = testing::machine(preset);
    machine.min_parallelism = 0.9;
    const Workload workload = testing::workload("conv:k=32,c=16,p=14,r=3");
    for (const TimeloopVersion version : kVersions) {
      const Result<TimeloopForm> form = timeloop_form(machine, workload, version);
      ASSERT_TRUE(form.ok()) << to_string(form.errors());
      EXPECT_EQ(there_and_back(form->machine, version).min_parallelism, 0.9) << preset << " " << name(version);
    }
  }
}

// Without a workload a machine is written, or refused with what is missing; it is never read as another one.
TEST(TimeloopWriter, PresetsAloneAreReadAsTheyWere) {
  for (const std::string& preset : presets_of_one_unit())
    for (const TimeloopVersion version : kVersions) {
      const Architecture machine = testing::machine(preset);
      const Result<TimeloopMachineFiles> files = write_timeloop_architecture(machine, version);
      if (files) there_and_back(machine, version);
      else EXPECT_THAT(to_string(files.errors()), HasSubstr("give the workload")) << preset << " " << name(version);
    }
  for (const char* split : {"dc_split", "edge_split", "sunstone_arch", "eyeriss"})
    EXPECT_TRUE(write_timeloop_architecture(testing::machine(split), TimeloopVersion::V04).ok()) << split;
}

// Accelergy and its front end take no integers for energies, ask for a clock and a technology, and know scales.
TEST(TimeloopWriter, FilesOfTheFrontEnd) {
  const auto files = write_timeloop_architecture(testing::machine("edge_unified"), TimeloopVersion::V04);
  ASSERT_TRUE(files.ok());
  EXPECT_THAT(files->components, HasSubstr("energy_scale: "));
  EXPECT_THAT(files->components, HasSubstr("area_scale: 0.0"));
  EXPECT_THAT(files->components, Not(HasSubstr("share")));
  EXPECT_THAT(files->ert, HasSubstr("energy: 800.0}"));
  EXPECT_THAT(files->architecture, HasSubstr("variables: {version: 0.4, global_cycle_seconds: 1.0e-09, technology: "
                                             "\"45nm\", clock_is_known: 0}"));
  const auto timed = write_timeloop_architecture(testing::machine("edge_unified_45nm"), TimeloopVersion::V04);
  ASSERT_TRUE(timed.ok()) << to_string(timed.errors());
  EXPECT_THAT(timed->architecture, Not(HasSubstr("clock_is_known")));
  EXPECT_EQ(yaml_float(6400), "6400.0");
  EXPECT_EQ(yaml_float(1e-9), "1.0e-09");
  EXPECT_EQ(yaml_float(2.5e20), "2.5e+20");
  EXPECT_EQ(yaml_float(0), "0.0");
}

// A machine without links: a mapping says so at every fan-out, and costs the same where links are counted.
TEST(TimeloopWriter, MappingsOfMachinesWithoutLinks) {
  const Workload workload = testing::workload("conv:k=4,c=2,p=6,r=3");
  Architecture machine = testing::machine("eyeriss");
  machine.timeloop_cycles = true;
  for (const TimeloopVersion version : kVersions) {
    const Result<TimeloopForm> form = timeloop_form(machine, workload, version);
    ASSERT_TRUE(form.ok());
    SearchOptions options;
    options.strategy = Strategy::Sunstone;
    options.threads = 1;
    options.budget_evaluations = 300;
    Architecture one_axis = machine;
    one_axis.one_axis_per_dimension = true;
    const auto found = map_workload(workload, one_axis, options);
    ASSERT_TRUE(found.ok() && found->status != Status::Infeasible);
    const Mapping said = peers_said(found->mapping, workload, machine);
    const auto written = write_timeloop_mapping(said, workload, form->machine, version);
    ASSERT_TRUE(written.ok()) << to_string(written.errors());
    const Architecture back = there_and_back(form->machine, version);
    const auto read = read_timeloop_mapping(*YamlNode::parse(*written, "map.yaml"), workload, back);
    ASSERT_TRUE(read.ok()) << to_string(read.errors());
    EXPECT_EQ(*read, said);
    const Cost before = CostModel(workload, machine).evaluate(found->mapping).cost;
    const Cost after = CostModel(workload, back).evaluate(*read).cost;
    EXPECT_TRUE(before.energy == after.energy && before.cycles == after.cycles);
  }
}

TEST(TimeloopWriter, PresetWorkloadsAreReadAsTheyWere) {
  for (const std::string& preset : workload_preset_names()) {
    const Result<Network> network = load_network(preset);
    ASSERT_TRUE(network.ok());
    for (const Layer& layer : network->layers) {
      const TimeloopProblem problem = write_timeloop_problem(layer.workload, "0.4");
      const Result<YamlNode> document = YamlNode::parse(problem.text, "problem.yaml");
      ASSERT_TRUE(document.ok()) << problem.text;
      const Result<Workload> back = timeloop_problem(*document, layer.workload.name);
      ASSERT_TRUE(back.ok()) << problem.text << to_string(back.errors());
      EXPECT_EQ(fingerprint(*back) == fingerprint(layer.workload), problem.notes.empty())
          << preset << "/" << layer.workload.name << "\n"
          << problem.text << to_string(problem.notes);
    }
  }
}

// Three files that another program would read, and nothing else: the cost is the same to the last bit. A mapping as it
// is costs what it does on the machine that Timeloop's files describe, one that says so at fan-outs without links what
// it does on the preset.
TEST(TimeloopWriter, MappingsCostTheSame) {
  for (const char* preset : {"eyeriss", "simba", "edge_split", "gemmini_45nm", "tpu_v4i", "gpu_sm", "nvdla"}) {
    Architecture original = testing::machine(preset);
    original.timeloop_cycles = true;
    for (const char* text : {"conv:k=16,c=8,p=14,r=3,stride=2", "gemm:32x16x64"}) {
      const Workload workload = testing::workload(text);
      for (const TimeloopVersion version : kVersions) {
        SCOPED_TRACE(std::string(preset) + ", " + text + ", " + std::string(name(version)));
        const Result<TimeloopForm> form = timeloop_form(original, workload, version);
        ASSERT_TRUE(form.ok()) << to_string(form.errors());
        SearchOptions options;
        options.strategy = Strategy::Sunstone;
        options.threads = 1;
        options.budget_evaluations = 300;
        const auto found = map_workload(workload, form->machine, options);
        ASSERT_TRUE(found.ok() && found->status != Status::Infeasible);
        const Architecture machine = there_and_back(form->machine, version);
        const auto problem = YamlNode::parse(write_timeloop_problem(workload, name(version)).text, "p.yaml");
        const Workload same = *timeloop_problem(*problem, "p");
        const auto expect_same = [&](const Mapping& said, const Architecture& from) {
          const auto written = write_timeloop_mapping(said, workload, form->machine, version);
          ASSERT_TRUE(written.ok()) << to_string(written.errors());
          const auto document = YamlNode::parse(*written, "map.yaml");
          const auto mapping = read_timeloop_mapping(*document, same, machine);
          ASSERT_TRUE(mapping.ok()) << *written << to_string(mapping.errors());
          EXPECT_EQ(*mapping, said) << *written;
          const Cost before = CostModel(workload, from).evaluate(found->mapping).cost;
          const Cost after = CostModel(same, machine).evaluate(*mapping).cost;
          EXPECT_TRUE(before.energy == after.energy && before.cycles == after.cycles);
        };
        expect_same(found->mapping, form->machine);
        expect_same(peers_said(found->mapping, workload, original), original);
      }
    }
  }
}

// Timeloop refuses mappings whose loops are not the first ones of a permutation: it names what goes to X, and no more.
TEST(TimeloopWriter, DividesTheAxesInAsFewWordsAsItCan) {
  Architecture a = testing::machine("eyeriss");
  SpatialConstraints& rules = a.levels[3].constraints.spatial;
  rules = {};
  rules.allowed_x = {{"K"}};
  rules.allowed_y = {{"C", "S"}};
  const Workload workload = testing::workload("conv:k=32,c=16,p=14,r=3");
  const auto form = timeloop_form(a, workload, TimeloopVersion::V03);
  ASSERT_TRUE(form.ok()) << to_string(form.errors());
  EXPECT_THAT(form->machine.levels[3].constraints.spatial.order, ::testing::ElementsAre("K"));
  EXPECT_EQ(form->machine.levels[3].constraints.spatial.split, 1U);
  EXPECT_THAT(to_string(form->notes), ::testing::Not(HasSubstr("get an order")));
  const Architecture back = there_and_back(form->machine, TimeloopVersion::V03);
  EXPECT_EQ(difference(*resolve(workload, a), *resolve(workload, back)), "");
  // The front end of v0.4 puts what is not named first.
  const auto nodes = timeloop_form(a, workload, TimeloopVersion::V04);
  EXPECT_EQ(nodes->machine.levels[3].constraints.spatial.order.size(), workload.dimensions.size());
}

TEST(TimeloopWriter, SaysWhatTheFilesDoNot) {
  const Architecture simba = testing::machine("simba");
  EXPECT_TRUE(names_classes(simba));
  EXPECT_FALSE(names_classes(testing::machine("eyeriss")));
  EXPECT_THAT(to_string(timeloop_form(simba, TimeloopVersion::V03)->notes), HasSubstr("along X or along Y"));

  Architecture dots = simba;
  dots.levels[0].name = "L1.a";
  EXPECT_THAT(to_string(timeloop_form(dots, TimeloopVersion::V03).errors()), HasSubstr("the name 'L1.a'"));

  Architecture wires = testing::machine("edge_unified");
  wires.levels[1].is_dram = true;
  wires.levels[1].network.hop_pj = 1;
  EXPECT_TRUE(timeloop_form(wires, TimeloopVersion::V03).ok());
  EXPECT_THAT(to_string(timeloop_form(wires, TimeloopVersion::V04).errors()), HasSubstr("write v0.3"));

  Architecture mixed = testing::machine("eyeriss");
  mixed.levels[3].constraints.spatial.allowed_x = {{"K", "C"}};
  mixed.levels[3].constraints.spatial.allowed_y = {{"C"}};
  const auto shared = timeloop_form(mixed, testing::workload("conv:k=8,c=8,p=8,r=3"), TimeloopVersion::V04);
  EXPECT_THAT(to_string(shared->notes), HasSubstr("cannot share C between the axes"));
  EXPECT_THAT(to_string(write_timeloop_architecture(mixed, TimeloopVersion::V04).errors()),
              HasSubstr("give the workload"));

  Workload roles = testing::workload("gemm:4x4x4");
  std::swap(roles.tensors[0].role, roles.tensors[1].role);
  EXPECT_THAT(to_string(write_timeloop_problem(roles, "0.3").notes), HasSubstr("Timeloop's problems have no roles"));
}

}  // namespace
}  // namespace heliolite::timeloop_writer_test
