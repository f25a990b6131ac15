// Damaged files of every kind: each is read, or refused with complaints that a person wrote; none crashes or hangs.
// What is read is used for a moment: a mapping is searched for. HELIOLITE_FUZZ_RUNS damaged files in all (2 000 when it
// is not set), the same ones every time; HELIOLITE_FUZZ_SEED moves them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "engine/base/yaml_node.h"
#include "engine/formats/load_architecture.h"
#include "engine/formats/load_network.h"
#include "engine/formats/timeloop/mapping.h"
#include "engine/inputs/input_file.h"
#include "engine/model/mapping_yaml.h"
#include "engine/network/fused_breakdown.h"
#include "engine/network/schedule_yaml.h"
#include "engine/search/map.h"
#include "engine/sweep/sweep_yaml.h"
#include "engine/verify/golden_verify.h"
#include "engine/verify/optima_verify.h"
#include "tests/support/cli_runner.h"
#include "tests/support/fusion_toys.h"
#include "tests/support/guarded_runs.h"
#include "tests/support/load.h"
#include "tests/support/text_mutation.h"

namespace heliolite::file_fuzz_test {
namespace {

namespace fs = std::filesystem;

const fs::path kTests = HELIOLITE_TEST_DATA;
const fs::path kRoot = kTests.parent_path();

// Sound files to start from: those of the folders that end in `ending`, in the order of their names.
std::vector<std::string> texts(const std::vector<fs::path>& folders, const std::string& ending = ".yaml") {
  std::vector<fs::path> files;
  for (const fs::path& folder : folders)
    for (const auto& entry : fs::directory_iterator(folder))
      if (entry.path().string().ends_with(ending) && entry.file_size() < 20'000) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<std::string> out;
  for (const fs::path& file : files) out.push_back(read_text(file.string()));
  return out;
}

// The first lines of a file of records.
std::vector<std::string> records(const fs::path& file, int count) {
  std::vector<std::string> out;
  std::ifstream in(file);
  for (std::string line; count-- > 0 && std::getline(in, line);) out.push_back(line + "\n");
  return out;
}

// What is wrong with the complaints about a file; empty when nothing is.
std::string wrong_with(const Diagnostics& errors) {
  if (errors.empty()) return "refused without a complaint";
  for (const Diagnostic& error : errors) {
    const std::string text = error.to_string();
    if (error.message.empty()) return "an empty complaint";
    if (text.size() > 2000) return "a complaint of " + std::to_string(text.size()) + " characters";
    for (const char* foreign :
         {"std::", "yaml-cpp", "bad conversion", "json.exception", "stoi", "bad_alloc", "vector::"})
      if (text.find(foreign) != std::string::npos) return "an exception's text: " + text;
  }
  return "";
}

template <class T>
std::string wrong_with(const Result<T>& result) {
  return result.ok() ? "" : wrong_with(result.errors());
}

// A search that looks at a few mappings only.
std::string use(const Workload& workload, const Architecture& architecture) {
  SearchOptions options;
  options.strategy = Strategy::Sunstone;
  options.threads = 1;
  options.budget_evaluations = 200;
  return wrong_with(map_workload(workload, architecture, options));
}

std::string read_machine(const std::string& path) {
  static const Workload gemm = testing::workload("gemm:6x4x8");
  const auto machine = load_architecture(path);
  return machine.ok() ? use(gemm, *machine) : wrong_with(machine.errors());
}

std::string read_workload(const std::string& path) {
  static const Architecture machine = testing::machine("edge_unified");
  const auto network = load_network(path);
  if (!network.ok()) return wrong_with(network.errors());
  return use(network->layers.front().workload, machine);
}

// What stands behind '@' differs from file to file as the files do.
std::string read_language_model(const std::string& path) {
  static const Architecture machine = testing::machine("edge_unified");
  for (const char* options : {"@phase=decode,cached=100,layers=1", "@new=300,elementwise=layers,batch=3"}) {
    const auto network = load_network(path + options);
    const std::string wrong =
        network.ok() ? use(network->layers.back().workload, machine) : wrong_with(network.errors());
    if (!wrong.empty()) return wrong;
  }
  return "";
}

// Templates name other files, which lie beside them; the value is a machine, a problem, or part of one.
std::string read_template(const std::string& path) {
  const ReadOptions options{.defines = {{"design", "wide"}}, .ignore_sparse = true};
  const auto document = load_input(path, options);
  if (!document.ok()) return wrong_with(document.errors());
  const std::string wrong = wrong_with(load_architecture(path, options));
  return wrong.empty() ? wrong_with(load_network(path, options)) : wrong;
}

std::string read_mapping_file(const std::string& path) {
  static const Workload workload = testing::workload(kRoot / "configs/quickstart/workload.yaml");
  static const Architecture machine = testing::machine(kRoot / "configs/quickstart/machine.yaml");
  const auto document = YamlNode::load_file(path);
  if (!document.ok()) return wrong_with(document.errors());
  const YamlNode root = *document;
  if (const auto levels = root.find("mapping")) {
    const std::string wrong = wrong_with(read_timeloop_mapping(*levels, workload, machine));
    return wrong.empty() ? wrong_with(read_mapping(*levels, workload, machine)) : wrong;
  }
  return wrong_with(read_mapping(root, workload, machine));
}

// Heads of attention: a softmax between two layers, and ranks of several dimensions.
std::string read_schedule_of_heads(const std::string& path) {
  static const testing::FusionProblem heads = testing::fusion_toys()[1];
  const auto document = YamlNode::load_file(path);
  if (!document.ok()) return wrong_with(document.errors());
  const auto file = read_schedule_file(*document, heads.graph, heads.architecture);
  if (!file.ok()) return wrong_with(file.errors());
  const auto cost = schedule_breakdown(file->schedule, heads.graph, heads.architecture, file->rules);
  if (!cost.ok()) return wrong_with(file->placed(cost.errors(), heads.graph));
  const auto again = read_schedule_file(
      *YamlNode::parse(write_schedule_file(file->schedule, "n", heads.graph, heads.architecture, file->rules), "again"),
      heads.graph, heads.architecture);
  return again.ok() && again->schedule.mappings == file->schedule.mappings ? "" : "it does not read back";
}

const std::string kScheduleOfHeads = R"(
schedule: |
  kp ;
  Buf[+qp.w, (qp.i/2 qk.g/2)[qp, qk], av]
mappings:
  kp: [{level: DRAM, temporal: [i: 4]}, {level: Buf, temporal: [j: 2, k: 3]}]
  qp: [{level: Buf, temporal: [i: 2, j: 2, k: 3]}]
  qk: [{level: Buf, keep: [k, q, s], temporal: [m: 2, n: 2]}, {level: Reg, temporal: [e: 2]}]
  av: [{level: DRAM, temporal: [g: 2]}, {level: Buf, temporal: [e: 2, n: 2, m: 2]}]
)";

struct Kind {
  std::string name, ending;
  std::vector<std::string> sound;
  std::function<std::string(const std::string& path)> read;
};

// Records name machines and problems beside their file: the folder gets copies of them.
void beside(const fs::path& folder, const fs::path& from, const std::vector<std::string>& names) {
  for (const std::string& name : names) fs::copy(from / name, folder / name, fs::copy_options::recursive);
}

std::vector<Kind> kinds() {
  std::vector<std::string> templates = texts({kTests / "data/templates"}, ".jinja2");
  for (const std::string& text : texts({kTests / "data/templates", kTests / "data/templates/layers"}))
    templates.push_back(text);
  std::vector<std::string> configs = texts({kRoot / "workloads/presets"});
  std::erase_if(configs, [](const std::string& text) { return text.find("model_type:") == std::string::npos; });
  const std::vector<std::string> compact = {"gemm:6x4x8", "conv:k=4,c=8,p=6,r=3,stride=2",
                                            "o[i,j] += a[i,2*k+j]*b[k,j]; i=4,j=6,k=8"};
  return {
      {"machine", ".yaml", texts({kRoot / "arch/presets", kRoot / "configs/quickstart"}), read_machine},
      {"Timeloop machine", ".yaml", texts({kTests / "data/timeloop", kTests / "golden/arch"}), read_machine},
      {"workload", ".yaml", texts({kRoot / "workloads/presets", kRoot / "configs/quickstart"}), read_workload},
      {"language model", ".yaml", configs, read_language_model},
      {"Timeloop problem", ".yaml", texts({kTests / "golden/problem"}), read_workload},
      {"template", ".yaml", templates, read_template},
      {"compact text", "", compact, [](const std::string& path) { return read_workload(read_text(path)); }},
      {"mapping", ".yaml", texts({kRoot / "configs/quickstart"}), read_mapping_file},
      {"schedule", ".yaml", {kScheduleOfHeads}, read_schedule_of_heads},
      {"sweep", ".yaml", texts({kRoot / "configs/sweeps"}),
       [](const std::string& p) { return wrong_with(load_sweep(p)); }},
      {"golden record", ".jsonl", records(kTests / "golden/golden.jsonl", 40),
       [](const std::string& p) { return wrong_with(verify_golden(p, {})); }},
      {"optimum", ".jsonl", records(kTests / "golden/optima/optima.jsonl", 40),
       [](const std::string& p) {
         OptimaOptions options;
         options.threads = 1;
         options.budget_seconds = 0.05;
         return wrong_with(verify_optima(p, options));
       }},
  };
}

TEST(FileFuzz, EveryDamagedFileIsReadOrRefused) {
  const u64 runs = from_environment("HELIOLITE_FUZZ_RUNS", 2000), seed = from_environment("HELIOLITE_FUZZ_SEED", 1);
  const TempFolder folder;
  beside(folder.path(""), kTests / "golden", {"arch", "problem"});
  beside(folder.path(""), kTests / "golden/optima", {"machines", "workloads"});
  beside(folder.path(""), kTests / "data/templates", {"base.yaml", "layers", "machine.yaml", "parts", "wide"});
  const std::vector<Kind> all = kinds();
  for (const Kind& kind : all) {
    ASSERT_FALSE(kind.sound.empty()) << kind.name;
    const auto file = [&](u64 k) {
      TextMutator mutator(seed * 1'000'003 + k);
      const std::string& text = kind.sound[mutator.below(kind.sound.size())];
      return mutator.damaged(text, kind.sound[mutator.below(kind.sound.size())]);
    };
    const std::string path = folder.path("damaged" + kind.ending);
    for (u64 from = 0, count = runs / all.size(); from < count;) {
      const GuardedRuns done = guarded_runs(count - from, 2 * kSlowdown, [&](u64 k) {
        std::ofstream(path, std::ios::binary) << file(from + k);
        return kind.read(path);
      });
      if (done.failure.empty()) break;
      const u64 bad = from + done.finished;
      const std::string kept =
          ::testing::TempDir() + "fuzz-" + std::to_string(seed) + "-" + std::to_string(bad) + kind.ending;
      std::ofstream(kept, std::ios::binary) << file(bad);
      ADD_FAILURE() << kind.name << " " << bad << " (kept as " << kept << "): " << done.failure;
      from = bad + 1;
    }
  }
}

}  // namespace
}  // namespace heliolite::file_fuzz_test
