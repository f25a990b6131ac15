// Commands with odd but possible arguments, and with damaged files: each ends with an exit code of docs/commands.md and
// says why; none crashes, hangs or shows an exception's text. HELIOLITE_FUZZ_COMMANDS runs (15 when it is not set), the
// same ones every time; HELIOLITE_FUZZ_SEED moves them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/types.h"
#include "tests/support/cli_runner.h"
#include "tests/support/text_mutation.h"

namespace heliolite::command_fuzz_test {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = fs::path(HELIOLITE_TEST_DATA).parent_path();

// {a}, {w}, {m}: a machine, a workload, a mapping; {bench}, {sweep}, {experiment}: a file of that kind; {out}: a new
// file.
constexpr std::array kCommands{
    "map -a {a} -w {w} --budget 0.2 --evaluations 200",
    "map -a {a} -w {w} --budget 0.2 -s sunstone --objective delay --json {out}",
    "map -a {a} -w {w} --budget 0.2 --evaluations 200 --factors any --threads 2",
    "map -a {a} -w {w} --budget 0.2 -s random --evaluations 100 --free",
    "eval -a {a} -w {w} -m {m}",
    "explain -a {a} -w {w} -m {m} --json -",
    "orders -w {w}",
    "orders -w {w} --dot {out}",
    "space -a {a} -w {w}",
    "bound -w {w}",
    "bound -w {w} -a {a}",
    "bound -w {w} -a {a} --kind hbl",
    "bound -w {w} -a {a} --kind iolb --json {out}",
    "bound -w {w} -a {a} --kind conv",
    "bound -w {w} --kind orojenesis --buffer 1,2,3,100000",
    "bound -w {w} --fuse --buffer 4096",
    "bench {bench}",
    "sweep {sweep} -o {out}",
    "bound --experiment {experiment}",
    "verify {m}",
    "report {m} -o {out}",
    "merge {out} {m}",
};

const std::vector<std::string> kMachines{"eyeriss", "simba", "edge_unified", "dc_split", "snowcat"};
const std::vector<std::string> kWorkloads{"gemm:1x1x1",
                                          "gemm:7x11x13",
                                          "conv:k=4,c=6,p=7,r=3,stride=2",
                                          "depthwise:c=8,p=5,r=3",
                                          "'o[i] += a[i]; i=5'",
                                          "'o[i,j] += a[i+j,2*i+3*j]; i=4,j=6'",
                                          "mttkrp:4x6x8x2",
                                          "'o[a,b,c,d,e,f] += x[a,b,c]*y[d,e,f]; a=2,b=3,c=2,d=3,e=2,f=3'",
                                          "conv_pair",
                                          "bert_base_block",
                                          "gemm:2147483647x1x2"};

// Machines as an architect would not draw them.
const std::vector<std::string> kOddMachines{
    "architecture: {name: one, energy: pat, word_bits: 16, levels: [{name: DRAM, dram: true}], compute: {name: MAC}}\n",
    "architecture: {name: tiny, energy: pat, word_bits: 16, levels: [{name: DRAM, dram: true}, {name: R, entries: 1}], "
    "compute: {name: MAC}}\n",
    "architecture: {name: wide, energy: pat, word_bits: 8, levels: [{name: DRAM, dram: true, fanout: 1024x1024}, "
    "{name: R, entries: 3, bandwidth: {shared: 0.001}}], compute: {name: MAC}}\n",
    "architecture: {name: deep, energy: pat, word_bits: 16, levels: [{name: D, dram: true}, {name: A, entries: 4096}, "
    "{name: B, entries: 512, fanout: 2x2}, {name: C, entries: 64}, {name: E, entries: 16, fanout: 3x1}, {name: F, "
    "entries: 4}], "
    "compute: {name: MAC}}\n"};

// Those of the project take half a minute and more.
const std::string kSmallAblation =
    "ablation:\n  objective: edp\n  budget: 0.5      # seconds\n  machines: [edge_split]\n  workloads:\n"
    "  - {name: square, workload: gemm:8x8x8}\n  - {name: window, workload: \"conv:k=2,c=2,p=4,r=3\"}\n";

class CommandMaker {
 public:
  CommandMaker(const TempFolder& folder, u64 seed) : folder_(folder), mutator_(seed) {}

  std::string command() {
    std::string text = kCommands[mutator_.below(kCommands.size())];
    fill(text, "{a}", [&] { return machine(); });
    fill(text, "{w}", [&] { return workload(); });
    fill(text, "{m}", [&] {
      return file("mapping.yaml", {"configs/quickstart/mapping.yaml", "tests/golden/signatures.txt"});
    });
    fill(text, "{bench}", [&] {
      return damaged("bench.yaml",
                     mutator_.below(2) == 0 ? kSmallAblation : read_text(kRoot / "configs/bench/quick.yaml"));
    });
    fill(text, "{sweep}", [&] { return file("sweep.yaml", {"configs/sweeps/quick.yaml"}); });
    fill(text, "{experiment}", [&] {
      return file("figure.yaml", {"configs/orojenesis/fig10.yaml", "configs/orojenesis/fig20.yaml"});
    });
    fill(text, "{out}", [&] { return folder_.path("out" + std::to_string(files_++)); });
    return text;
  }

 private:
  template <class Value>
  static void fill(std::string& text, const std::string& name, Value value) {
    const std::size_t at = text.find(name);
    if (at != std::string::npos) text.replace(at, name.size(), value());
  }

  std::string pick(const std::vector<std::string>& from) { return from[mutator_.below(from.size())]; }

  std::string damaged(const std::string& name, const std::string& text) {
    return folder_.write(std::to_string(files_++) + name, mutator_.damaged(text, text));
  }

  std::string file(const std::string& name, const std::vector<std::string>& sound) {
    return damaged(name, read_text(kRoot / pick(sound)));
  }

  std::string machine() {
    switch (mutator_.below(4)) {
      case 0: return folder_.write(std::to_string(files_++) + "odd.yaml", pick(kOddMachines));
      case 1: return damaged("odd.yaml", pick(kOddMachines));
      case 2: return damaged("machine.yaml", read_text(kRoot / "arch/presets" / (pick(kMachines) + ".yaml")));
      default: return pick(kMachines);
    }
  }

  std::string workload() {
    if (mutator_.below(4) != 0) return pick(kWorkloads);
    return file("workload.yaml", {"configs/quickstart/workload.yaml", "workloads/presets/bert_base_block.yaml",
                                  "workloads/presets/conv_pair.yaml"});
  }

  const TempFolder& folder_;
  TextMutator mutator_;
  int files_ = 0;
};

TEST(CommandFuzz, EveryCommandEndsAndSaysWhy) {
  const u64 runs = from_environment("HELIOLITE_FUZZ_COMMANDS", 15), seed = from_environment("HELIOLITE_FUZZ_SEED", 1);
  for (u64 k = 0; k < runs; ++k) {
    const TempFolder folder;
    const std::string command = CommandMaker(folder, seed * 1'000'003 + k).command();
    SCOPED_TRACE("run " + std::to_string(k) + ": " + command);
    const CliResult result = run_cli(command);
    EXPECT_THAT(result.exit_code, ::testing::AnyOf(0, 1, 2)) << result.err.substr(0, 2000);
    if (result.exit_code == 2) {
      EXPECT_THAT(result.err, ::testing::StartsWith("heliolite: "));
    }
    for (const char* foreign : {"std::", "what():", "json.exception", "yaml-cpp", "bad conversion", "runtime error"}) {
      EXPECT_THAT(result.err, ::testing::Not(::testing::HasSubstr(foreign)));
    }
  }
}

}  // namespace
}  // namespace heliolite::command_fuzz_test
