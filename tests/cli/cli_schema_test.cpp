// heliolite schema: the formats, their JSON Schemas, the copies of these in schemas/, and every file of the repository
// under the schema of its format.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/base/yaml_node.h"
#include "tests/support/cli_runner.h"
#include "tests/support/json_validator.h"
#include "tests/support/own_formats.h"

namespace heliolite::cli_schema_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const fs::path kRoot = fs::path(HELIOLITE_TEST_DATA).parent_path();

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  const json answer = json::parse(run_cli("schema --json -").out);
  for (const json& format : answer.at("formats")) names.push_back(format.at("name"));
  return names;
}

TEST(CliSchema, ListsTheFormats) {
  const CliResult list = run_cli("schema");
  EXPECT_EQ(list.exit_code, 0) << list.err;
  const json answer = json::parse(run_cli("schema --json -").out);
  for (const json& format : answer.at("formats")) {
    EXPECT_THAT(list.out, HasSubstr(format.at("name").get<std::string>()));
    EXPECT_TRUE(fs::exists(kRoot / format.at("page").get<std::string>())) << format;
  }
}

TEST(CliSchema, EachIsKeptInSchemas) {
  std::vector<std::string> kept;
  for (const auto& entry : fs::directory_iterator(kRoot / "schemas"))
    if (entry.path().extension() == ".json") kept.push_back(entry.path().stem().string());
  EXPECT_THAT(kept, ::testing::UnorderedElementsAreArray(format_names()));
  for (const std::string& name : kept) {
    const std::string file = (kRoot / "schemas" / (name + ".json")).string();
    EXPECT_TRUE(run_cli("schema " + name).out == read_text(file))
        << "the fields of the format have changed: heliolite schema " << name << " -o schemas/" << name << ".json";
  }
}

TEST(CliSchema, WritesIntoAFileThatIsNoInput) {
  const TempFolder folder;
  const std::string file = folder.path("machine.json");
  EXPECT_EQ(run_cli("schema machine -o " + file).exit_code, 0);
  EXPECT_EQ(read_text(file), run_cli("schema machine").out);
  const CliResult both = run_cli("schema machine --json -");
  EXPECT_EQ(json::parse(both.out).at("schema"), json::parse(read_text(file)));
  EXPECT_EQ(run_cli("schema machine -o " + file + " --json " + file).exit_code, 2);
  EXPECT_EQ(run_cli("schema -o " + file).exit_code, 2);
  EXPECT_THAT(run_cli("schema machin").err, HasSubstr("unknown name 'machin', did you mean 'machine'?"));
}

json kept_schema(const std::string& name) {
  return json::parse(read_text((kRoot / "schemas" / (name + ".json")).string()));
}

// Files below the root that are ours, without what a build has made.
std::vector<fs::path> yaml_files() {
  std::vector<fs::path> files;
  for (const char* folder : {"arch", "configs", "examples", "tests", "workloads"})
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder))
      if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  return files;
}

// Each block of a page that is YAML and leaves nothing out.
std::vector<std::string> yaml_blocks(const std::string& page) {
  std::vector<std::string> blocks;
  for (std::size_t at = page.find("```yaml\n"); at != std::string::npos; at = page.find("```yaml\n", at)) {
    at += 8;
    const std::string block = page.substr(at, page.find("```", at) - at);
    if (block.find("..}") == std::string::npos) blocks.push_back(block);
  }
  return blocks;
}

TEST(CliSchema, EveryFileOfTheRepositoryIsValid) {
  std::map<std::string, int> files;
  for (const fs::path& file : yaml_files()) {
    const Result<YamlNode> document = YamlNode::load_file(file.string());
    if (!document) continue;  // templates, and files that are damaged on purpose
    const std::string format = own_format(*document);
    if (format.empty()) continue;
    ++files[format];
    EXPECT_THAT(violations(kept_schema(format), json_of(*document)), IsEmpty()) << file;
  }
  for (const char* format : {"machine", "workload", "mapping", "sweep", "bench", "experiment"})
    EXPECT_GT(files[format], 0) << format;
}

// Examples may show a part of a file.
std::vector<std::string> but_what_is_missing(std::vector<std::string> violations) {
  std::erase_if(violations, [](const std::string& one) { return one.find(": has no ") != std::string::npos; });
  return violations;
}

TEST(CliSchema, EveryExampleOfTheManualIsValid) {
  std::map<std::string, int> examples;
  for (const auto& page : fs::directory_iterator(kRoot / "docs"))
    if (page.path().extension() == ".md")
      for (const std::string& block : yaml_blocks(read_text(page.path().string()))) {
        const Result<YamlNode> document = YamlNode::parse(block, page.path().string());
        const std::string format = document ? own_format(*document) : "";
        if (format.empty()) continue;
        ++examples[format];
        EXPECT_THAT(but_what_is_missing(violations(kept_schema(format), json_of(*document))), IsEmpty())
            << page.path() << "\n"
            << block;
      }
  for (const char* format : {"machine", "workload", "mapping", "schedule", "tiling", "sweep", "bench", "experiment"})
    EXPECT_GT(examples[format], 0) << format;
}

// A file that names its schema names that of its format, where it lies.
TEST(CliSchema, PresetsAndConfigsNameTheirSchemas) {
  const std::string mark = "# yaml-language-server: $schema=";
  for (const fs::path& file : yaml_files()) {
    const std::string text = read_text(file.string()), line = text.substr(0, text.find('\n'));
    const Result<YamlNode> document = YamlNode::load_file(file.string());
    const std::string format = document ? own_format(*document) : "";
    const bool test = fs::relative(file, kRoot).string().starts_with("tests");
    if (!line.starts_with(mark)) {
      EXPECT_TRUE(test || format.empty()) << file << " names no schema";
      continue;
    }
    const fs::path named = file.parent_path() / line.substr(mark.size());
    EXPECT_TRUE(fs::exists(named)) << file;
    EXPECT_EQ(named.stem(), format) << file;
  }
}

}  // namespace
}  // namespace heliolite::cli_schema_test
