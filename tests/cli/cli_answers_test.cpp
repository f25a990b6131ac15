// The JSON of every command: valid under the schema that schemas/answers has of it, which is made of such answers.
// HELIOLITE_WRITE_SCHEMAS=1 writes the schemas anew. The head of an answer is required; further keys may be added.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/cli_runner.h"
#include "tests/support/json_validator.h"

namespace heliolite::cli_answers_test {
namespace {

using Json = nlohmann::ordered_json;
using ::testing::IsEmpty;

const std::filesystem::path kAnswers = std::filesystem::path(HELIOLITE_TEST_DATA).parent_path() / "schemas" / "answers";

// Objects whose keys are names of the user's: one schema for all values.
const std::set<std::string> kMaps{"dimensions", "tensors",    "network_below", "rules",     "mappings", "by_state",
                                  "word_bits",  "energy_pj",  "definitions",   "temporal",  "x",        "y",
                                  "shape",      "parameters", "values",        "properties"};

const char* type_of(const Json& value) {
  if (value.is_null()) return "null";
  if (value.is_boolean()) return "boolean";
  if (value.is_string()) return "string";
  if (value.is_array()) return "array";
  if (value.is_object()) return "object";
  return "number";
}

// What is known of the values at one place.
class Known {
 public:
  void see(const Json& value, const std::string& key) {
    types_.insert(type_of(value));
    if (value.is_array())
      for (const Json& one : value) member(items_, "").see(one, key);
    if (!value.is_object()) return;
    const bool map = kMaps.contains(key);
    for (const auto& [name, one] : value.items()) {
      if (map) {
        member(items_, "*").see(one, name);
        continue;
      }
      if (!members_.contains(name)) order_.push_back(name);
      member(members_, name).see(one, name);
    }
  }

  // What does not exist in some answer is null, and may be of any type where no answer had it.
  Json schema() const {
    Json json = Json::object();
    std::set<std::string> types = types_;
    if (types.insert("null").second || types.size() > 1) json["type"] = types;
    if (const auto all = items_.find(""); all != items_.end()) json["items"] = all->second->schema();
    if (const auto all = items_.find("*"); all != items_.end()) json["additionalProperties"] = all->second->schema();
    for (const std::string& name : order_) json["properties"][name] = members_.at(name)->schema();
    return json;
  }

 private:
  static Known& member(std::map<std::string, std::shared_ptr<Known>>& of, const std::string& name) {
    auto& place = of[name];
    if (!place) place = std::make_shared<Known>();
    return *place;
  }

  std::set<std::string> types_;
  std::map<std::string, std::shared_ptr<Known>> members_, items_;  // items_: "" of an array, "*" of a map
  std::vector<std::string> order_;
};

constexpr const char* kSweep =
    "sweep:\n  machine: eyeriss_45nm\n  workloads: gemm:8x8x8\n  strategy: sunstone\n"
    "  parameters: {glb: {set: GLB.capacity, values: [1 KB, 32 KB, 64 KB]}}\n";
constexpr const char* kBench =
    "bench:\n  objective: edp\n  strategies: [exact, random]\n  machines: [eyeriss]\n  workloads: [gemm:8x8x8]\n";

// Command lines, the first word being the command; @ stands for a folder with the files that the first ones write.
const std::vector<std::string> kLines{
    "map -a eyeriss -w gemm:64x64x64 --json @/best.json",
    "map -a eyeriss_45nm -w resnet18 -s sunstone --json @/net.json",
    "map -a tpu_v4i -w bert_base_block --fuse --budget 2 --json @/fused.json",
    "map -a eyeriss -w gemm:7x8x8 --factors any --json @/a.json",
    "eval -a eyeriss -w gemm:64x64x64 -m @/best.json --json @/a.json",
    "explain -a eyeriss -w gemm:64x64x64 -m @/best.json --json @/a.json",
    "orders -w gemm:64x64x64 --json @/a.json",
    "space -a eyeriss -w gemm:64x64x64 --json @/a.json",
    "bound -a eyeriss -w gemm:64x64x64 --json @/a.json",
    "bound -w gemm:64x64x64 --kind orojenesis --json @/b.json",
    "simulate -w gemm:32x32x32 --cache 256 --json @/a.json",
    "emit -w gemm:32x32x32 --cache 256 -o @/a.c --json @/a.json",
    "bench @/bench.yaml --json @/a.json",
    "sweep @/sweep.yaml -o @/sweep.db --json @/a.json",
    "sweep --status @/sweep.db --json @/status.json",
    "sweep --export @/sweep.db --json @/export.json",
    "merge @/merged.db @/sweep.db --json @/a.json",
    "report @/sweep.db -o @/a.html --json @/a.json",
    "report @/best.json -o @/b.html --json @/b.json",
    "show --json @/a.json",
    "show eyeriss --json @/b.json",
    "show resnet18 --json @/c.json",
    "check @/best.json @/sweep.yaml @/bench.yaml --json @/a.json",
    "diff eyeriss eyeriss_45nm --json @/a.json",
    "convert eyeriss gemm:64x64x64 -o @/theirs --to timeloop --json @/a.json",
    "verify " HELIOLITE_TEST_DATA "/golden/golden.jsonl --limit 3 --json @/a.json",
    "verify " HELIOLITE_TEST_DATA "/golden/optima/optima.jsonl --limit 2 --json @/b.json",
    "map -a eyeriss -w gemm:8x8x8 --no-look --proof @/p.proof --json @/b.json",
    "check-proof @/p.proof --json @/a.json",
    "schema --json @/a.json",
    "schema machine --json @/b.json",
    "completion bash --json @/a.json",
    "help map --json @/a.json",
    "man --json @/a.json",
};

// The answers by command: the keys that say what kind of an answer it is make several schemas of some.
std::map<std::string, std::vector<Json>> answers() {
  const TempFolder folder;
  folder.write("sweep.yaml", kSweep);
  folder.write("bench.yaml", kBench);
  std::map<std::string, std::vector<Json>> out;
  for (std::string line : kLines) {
    for (std::size_t at = line.find('@'); at != std::string::npos; at = line.find('@', at))
      line.replace(at, 1, folder.path("").substr(0, folder.path("").size() - 1));
    const std::string command = line.substr(0, line.find(' ')), file = line.substr(line.rfind(' ') + 1);
    const CliResult run = run_cli(line + " -q");
    if (run.err.find("without the chart library") != std::string::npos) continue;
    EXPECT_LE(run.exit_code, 1) << line << "\n" << run.err;
    const Json answer = Json::parse(read_text(file), nullptr, false);
    EXPECT_FALSE(answer.is_discarded()) << line;
    std::string name = command;
    if (answer.contains("schedule")) name += "_fused";
    if (command == "sweep" && answer.value("question", Json()).contains("status")) name += "_status";
    if (command == "sweep" && answer.value("question", Json()).contains("export")) name += "_export";
    out[name].push_back(answer);
  }
  return out;
}

TEST(CliAnswers, AreValidUnderTheirSchemas) {
  const bool write = std::getenv("HELIOLITE_WRITE_SCHEMAS") != nullptr;
  std::set<std::string> names;
  for (const auto& [name, all] : answers()) {
    names.insert(name + ".json");
    const std::filesystem::path file = kAnswers / (name + ".json");
    if (write) {
      Known known;
      for (const Json& answer : all) known.see(answer, "");
      Json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                     {"title", "Heliolite: what " + name + " --json answers"}};
      schema.update(known.schema());
      schema["type"] = "object";
      schema["required"] = {"program", "version", "commit", "command", "question"};
      std::ofstream(file) << schema.dump(1) << "\n";
    }
    ASSERT_TRUE(std::filesystem::exists(file)) << file;
    const nlohmann::json schema = nlohmann::json::parse(read_text(file));
    for (const Json& answer : all)
      EXPECT_THAT(violations(schema, nlohmann::json::parse(answer.dump())), IsEmpty())
          << name << ": docs/json.md and HELIOLITE_WRITE_SCHEMAS=1";
    // Every key that answers have is known.
    for (const Json& answer : all)
      for (const auto& [key, value] : answer.items()) EXPECT_TRUE(schema["properties"].contains(key)) << name << key;
  }
  names.insert("report.json");  // there is no such answer without the chart library
  for (const auto& entry : std::filesystem::directory_iterator(kAnswers)) {
    const std::string file = entry.path().filename().string();
    EXPECT_TRUE(names.contains(file) || entry.path().extension() != ".json") << "no line makes " << file;
  }
}

TEST(CliAnswers, OfEveryCommandAreKnown) {
  const Json man = Json::parse(run_cli("man --json -").out);
  const std::set<std::string> without{"mcp"};  // a protocol of its own
  for (const Json& command : man["commands"]) {
    const auto name = command["name"].get<std::string>();
    EXPECT_TRUE(without.contains(name) || std::filesystem::exists(kAnswers / (name + ".json"))) << name;
  }
}

}  // namespace
}  // namespace heliolite::cli_answers_test
