// Ctrl-C at any moment of any command: it ends within two seconds, and a search after half a second of processor time,
// says so by its exit code, and what it had finished is whole. The commands are those that the program itself lists;
// HELIOLITE_FUZZ_COMMANDS / 15 moments each (1 when it is not set), HELIOLITE_FUZZ_SEED chooses others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "engine/base/split_mix.h"
#include "engine/search/core/strategy.h"
#include "tests/support/cli_runner.h"

namespace heliolite::cli_interrupt_test {
namespace {

using nlohmann::json;
using namespace std::chrono_literals;

const std::string kRoot = std::filesystem::path(HELIOLITE_TEST_DATA).parent_path().string();

// A workload of which nobody is done soon.
const std::string kLarge =
    "o[a,b,c,d]+=x[a,b,e,f,g,h]*y[c,d,e,f,i,j]*z[g,h,i,j,k,l]*w[k,l];"
    "a=12,b=12,c=12,d=12,e=12,f=12,g=12,h=12,i=12,j=12,k=12,l=12";

// Words of command lines by command. {json}, {new}: files to write; {answer}, {mapping}, {sweep}, {spec}, {bench}:
// files of that kind.
using Words = std::vector<std::string>;
const std::multimap<std::string, Words> kLines{
    {"map", {"-a", "eyeriss", "-w", "resnet50", "--json", "{json}"}},
    {"map", {"-a", "eyeriss", "-w", kLarge, "--open", "--json", "{json}"}},
    {"map", {"-a", "simba", "-w", "resnet18", "-l", "conv1", "--no-look", "--proof", "{new}"}},
    {"map", {"-a", "simba", "-w", "mobilenet_v2", "--network", "--no-look", "--proof", "{new}"}},
    {"map", {"-a", "tpu_v4i", "-w", "bert_base_block", "--fuse", "--json", "{json}"}},
    {"map", {"-a", "eyeriss", "-w", "resnet50", "--front", "energy,delay", "--json", "{json}"}},
    {"check-proof", {HELIOLITE_TEST_DATA "/golden/proof/gpu_sm_conv5_1.proof"}},
    {"map", {"-a", "eyeriss", "-w", kLarge, "--factors", "any", "--json", "{json}"}},
    {"map", {"-a", "eyeriss", "-w", "gemm:16777213x1x1", "--json", "{json}"}},
    {"map", {"-a", "eyeriss", "-w", "gemm:2147483647x1x1", "--factors", "any", "--json", "{json}"}},
    {"map", {"-a", "simba", "-w", "resnet18", "-l", "conv3_x", "--factors", "any", "--json", "{json}"}},
    {"map", {"-a", "eyeriss", "-w", "resnet18", "--tiles", "uneven", "--json", "{json}"}},
    {"map",
     {"-a", "eyeriss", "-w", "resnet18", "-l", "conv3_x", "-s", "bayes", "--start", "100000000", "--json", "{json}"}},
    {"map", {"-a", "nvdla", "-w", "gemm:2147483647x1x1", "--factors", "any", "--json", "{json}"}},
    {"map", {"-a", "gemmini", "-w", "resnet50", "--factors", "any", "--json", "{json}"}},
    {"map", {"-a", "simba", "-w", "bert_base", "--open", "--factors", "any", "--json", "{json}"}},
    {"map", {"-a", "edge_split", "-w", "gemm:65536x65536x65536", "--open", "--factors", "any", "--json", "{json}"}},
    {"map", {"-a", "tpu_v1", "-w", "vgg16", "--factors", "any", "--json", "{json}"}},
    {"eval", {"-a", "eyeriss", "-w", "resnet18", "-l", "conv1", "-m", "{answer}", "--json", "{json}"}},
    {"explain", {"-a", "eyeriss", "-w", "resnet18", "-l", "conv1", "-m", "{answer}", "--json", "{json}"}},
    {"orders",
     {"-w", "o[a,b,c,d,e,f] += x[a,b,c,g,h,i]*y[d,e,f,g,h,i]; a=2,b=2,c=2,d=2,e=2,f=2,g=2,h=2,i=2", "--without",
      "order-prefix,order-run,order-dominance", "--json", "{json}"}},
    {"space", {"-a", "simba", "-w", kLarge, "--unit-loops", "--json", "{json}"}},
    {"space", {"-a", "eyeriss", "-w", "resnet18", "-l", "conv3_x", "--sample", "100000000", "--json", "{json}"}},
    {"bound", {"-w", kLarge, "-a", "eyeriss", "--json", "{json}"}},
    {"bound", {"-w", kLarge, "--kind", "orojenesis", "--json", "{json}"}},
    {"bound", {"-w", "gpt3_6.7b_block@batch=16", "--fuse", "--buffer", "1000000", "--json", "{json}"}},
    {"simulate", {"-w", "gemm:400x400x400", "--cache", "256,4096", "--tiling", "together", "--json", "{json}"}},
    {"emit", {"-w", kLarge, "--cache", "1024", "-o", "{new}"}},
    {"bench", {"{bench}", "--json", "{json}"}},
    {"sweep", {"{spec}", "-o", "{new}", "--threads", "2", "--json", "{json}"}},
    {"merge", {"{new}", "{sweep}"}},
    {"verify", {kRoot + "/tests/golden/golden.jsonl", kRoot + "/tests/golden/optima", "--json", "{json}"}},
    {"show", {"resnet50"}},
    {"report", {"{sweep}", "-o", "{new}"}},
    {"report", {"{sweep}", "--serve", "0", "--json", "{json}"}},
    {"convert", {"eyeriss", "resnet50", "-o", "{new}"}},
    {"check", {kRoot + "/configs", "--json", "{json}"}},
    {"diff", {"eyeriss", "eyeriss", "--json", "{json}"}},
    {"schema", {"machine"}},
    {"completion", {"bash"}},
    {"man", {}},
    {"mcp", {}},
    {"help", {"map"}},
};

constexpr const char* kSpec = R"(sweep:
  machine: eyeriss_45nm
  workloads: resnet18
  strategy: sunstone
  parameters: {glb: {set: GLB.capacity, from: 32 KB, to: 512 KB, step: 1 KB}}
)";
constexpr const char* kSmallSpec = R"(sweep:
  machine: eyeriss_45nm
  workloads: gemm:8x8x8
  strategy: sunstone
  parameters: {glb: {set: GLB.capacity, from: 32 KB, to: 40 KB, step: 1 KB}}
)";
constexpr const char* kBench = R"(bench:
  objective: edp
  strategies: [exact, random]
  machines: [eyeriss]
  workloads: [resnet18/conv3_x, resnet18/conv4_x, resnet18/conv5_x]
)";

// The names in the list that `heliolite --help` ends its options with.
std::vector<std::string> commands() {
  std::vector<std::string> out;
  std::istringstream help(run_cli("--help").out);
  std::string line;
  while (std::getline(help, line) && !line.starts_with("Subcommands:")) continue;
  while (std::getline(help, line) && !line.empty()) {
    std::istringstream words(line);
    out.emplace_back();
    words >> out.back();
  }
  return out;
}

// Seconds of processors from the signal to the end of a search: half a second, and as much again for machines half as
// fast or shared.
constexpr double kSearchEnds = 1;

// One that is asked for by more than there are processors has to wait.
double busy() {
  double load = 0;
  const unsigned processors = std::max(1U, std::thread::hardware_concurrency());
  return getloadavg(&load, 1) == 1 ? std::max(1.0, load / processors) : 1;
}

class Interrupt {
 public:
  Interrupt() {
    replaced_["{spec}"] = folder_.write("spec.yaml", kSpec);
    replaced_["{bench}"] = folder_.write("bench.yaml", kBench);
    replaced_["{answer}"] = folder_.path("answer.json");
    run_cli("map -a eyeriss -w resnet18 -l conv1 -s sunstone -q --json " + replaced_["{answer}"]);
    replaced_["{sweep}"] = folder_.path("done.db");
    run_cli("sweep " + folder_.write("small.yaml", kSmallSpec) + " -q -o " + replaced_["{sweep}"]);
  }

  // The signal comes `moment` after the start, unless the command has ended by then.
  void at(std::chrono::milliseconds moment, const std::string& command, const Words& line) {
    const std::string number = std::to_string(++runs_);
    replaced_["{json}"] = folder_.path(number + ".json");
    replaced_["{new}"] = folder_.path(number + ".new");
    Words words{command, "-q"};
    std::string text = command;
    for (const std::string& word : line) {
      const auto known = replaced_.find(word);
      words.push_back(known == replaced_.end() ? word : known->second);
      text += " " + word;
    }
    const Background run(words);
    std::this_thread::sleep_for(moment);
    const auto asked = std::chrono::steady_clock::now();
    const double used = run.processor_seconds();
    const int code = run.end(SIGINT);
    if (command == "map") {
      EXPECT_LT(run.processor_seconds() - used, kSearchEnds * kSlowdown)
          << text << ", after " << moment.count() << " ms";
    }
    EXPECT_LT(std::chrono::steady_clock::now() - asked, 2s * kSlowdown * busy()) << text;
    EXPECT_THAT(code, ::testing::AnyOf(0, 130)) << text << ", after " << moment.count() << " ms";
    expect_whole(command, code, text);
  }

 private:
  // What the command has written.
  void expect_whole(const std::string& command, int code, const std::string& text) {
    if (const std::string& file = replaced_["{json}"]; std::filesystem::exists(file)) {
      const json answer = json::parse(read_text(file), nullptr, false);
      ASSERT_FALSE(answer.is_discarded()) << text;
      EXPECT_EQ(answer.value("interrupted", code == 130), code == 130) << text;
      if (command == "map" && answer.contains("schedule")) {  // of fused layers
        EXPECT_GE(answer["network"]["value"], answer["network"]["lower_bound"]) << text;
        EXPECT_EQ(answer["network"]["interrupted"], code == 130) << text;
      } else if (command == "map" && answer.contains("front")) {  // curves of energy and cycles
        for (const json& layer : answer["layers"])
          for (const json& edge : layer["edges"]) EXPECT_GE(edge["value_pj"], edge["lower_bound_pj"]) << text;
      } else if (command == "map") {
        for (const json& layer : answer["layers"])
          EXPECT_TRUE(layer["mapping"].is_null() || layer["value"] >= layer["lower_bound"]) << text;
      }
    }
    const std::string& file = replaced_["{new}"];
    if (!std::filesystem::exists(file)) return;
    if (command == "sweep") {
      EXPECT_EQ(run_cli("sweep --status " + file).exit_code, 0) << text;
    }
    if (command == "report") {
      EXPECT_TRUE(read_text(file).ends_with("</html>\n")) << text;
    }
  }

  const TempFolder folder_;
  std::map<std::string, std::string> replaced_;
  int runs_ = 0;
};

u64 number_of(const char* variable, u64 usual) {
  const char* const text = std::getenv(variable);
  return text != nullptr ? std::stoull(text) : usual;
}

TEST(CliInterrupt, EveryCommandEndsSoon) {
  SplitMix random(number_of("HELIOLITE_FUZZ_SEED", 1), 0);
  std::multimap<std::string, Words> lines = kLines;
  for (const StrategyInfo& strategy : kStrategyTable)
    lines.emplace("map", Words{"-a", "eyeriss", "-w", "resnet18", "-l", "conv3_x", "-s", std::string(strategy.name),
                               "--json", "{json}"});
  for (const std::string& command : commands())
    EXPECT_TRUE(lines.contains(command)) << "no line interrupts " << command;
  Interrupt interrupt;
  const u64 moments = std::max<u64>(1, number_of("HELIOLITE_FUZZ_COMMANDS", 15) / 15);
  for (u64 k = 0; k < moments; ++k)
    for (const auto& [command, line] : lines)
      interrupt.at(std::chrono::milliseconds(10 + random.next() % 200), command, line);
}

}  // namespace
}  // namespace heliolite::cli_interrupt_test
