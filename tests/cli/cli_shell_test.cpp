// heliolite completion, heliolite man: every option of every command is in them; a real bash completes with them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/cli_runner.h"

namespace heliolite::cli_shell_test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

std::string text_of(const std::string& arguments) {
  const CliResult result = run_cli(arguments);
  EXPECT_EQ(result.exit_code, 0) << arguments << "\n" << result.err;
  return result.out;
}

bool has_program(const std::string& name) {
  return std::system(("command -v " + name + " >/dev/null 2>&1").c_str()) == 0;
}

// The options that --help of a command lists, by their names: "-a", "--architecture".
std::set<std::string> helped_options(const std::string& command) {
  std::set<std::string> names;
  std::istringstream lines(text_of(command + " --help"));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("  -")) continue;
    std::istringstream words(line.substr(2, line.find(' ', 2) - 2));
    for (std::string name; std::getline(words, name, ',');) names.insert(name);
  }
  return names;
}

// Completes the line with the cursor at its end, by bash: cut into words as readline cuts it.
std::vector<std::string> completed(const TempFolder& folder, const std::string& line) {
  const std::string script = folder.write("complete.bash", R"bash(
cd "$(dirname "$0")" && source ./heliolite.bash
COMP_LINE=$1 COMP_POINT=${#1} COMP_WORDS=() rest=$1
while [[ -n $rest ]]; do
  if [[ $rest =~ ^' '+ ]]; then
    rest=${rest:${#BASH_REMATCH}}
    [[ -n $rest ]] || COMP_WORDS+=('')
  elif [[ $rest =~ ^[=:]+ || $rest =~ ^[^=:' ']+ ]]; then
    COMP_WORDS+=("$BASH_REMATCH")
    rest=${rest:${#BASH_REMATCH}}
  fi
done
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_heliolite heliolite "${COMP_WORDS[COMP_CWORD]}"
printf '%s\n' "${COMPREPLY[@]}"
)bash");
  const std::string out = folder.path("completed");
  EXPECT_EQ(std::system(("bash '" + script + "' '" + line + "' >'" + out + "' 2>&1").c_str()), 0) << read_text(out);
  std::vector<std::string> words;
  std::istringstream lines(read_text(out));
  for (std::string word; std::getline(lines, word);)
    if (!word.empty()) words.push_back(word);
  return words;
}

// The program under the name that completions are for, in the folder.
void link_program(const TempFolder& folder) {
  std::filesystem::create_symlink(HELIOLITE_BINARY, folder.path("heliolite"));
}

// The text between `begin` and the next `end`.
std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t at = text.find(begin);
  if (at == std::string::npos) return "";
  const std::size_t from = at + begin.size();
  return text.substr(from, text.find(end, from) - from);
}

// As manual pages write it.
std::string with_hyphens(const std::string& words) {
  std::string out;
  for (const char c : words) out += c == '-' ? "\\-" : std::string(1, c);
  return out;
}

bool has_one(const std::string& text, const std::vector<std::string>& forms) {
  return std::ranges::any_of(forms, [&](const std::string& form) { return text.find(form) != std::string::npos; });
}

// Every option is in every completion and on its page; --help, another way to the same table, lists the same.
TEST(CliShell, CompletionsAndPagesHaveEveryOption) {
  const std::string bash = text_of("completion bash"), zsh = text_of("completion zsh"),
                    fish = text_of("completion fish"), program = text_of("man");
  const json table = json::parse(text_of("man --json -"));
  ASSERT_GE(table["commands"].size(), 19U);
  for (const json& command : table["commands"]) {
    const std::string name = command["name"];
    const std::string page = text_of("man " + name);
    const std::string in_bash = " " + between(bash, "    '" + name + "') REPLY='", "'") + " ";
    const std::string in_zsh = between(zsh, "\n    " + name + ")\n", ";;");
    std::string in_fish;
    std::istringstream lines(fish);
    for (std::string line; std::getline(lines, line);)
      if (line.find("'__fish_seen_subcommand_from " + name + "'") != std::string::npos) in_fish += line + " ";
    EXPECT_THAT(program, HasSubstr("heliolite\\-" + with_hyphens(name) + "\\fR(1)"));
    std::set<std::string> names;
    for (const json& option : command["options"])
      for (const std::string given : option["names"]) names.insert(given);
    if (name == "map" || name == "sweep" || name == "man") {
      EXPECT_EQ(names, helped_options(name)) << name;
    }
    for (const std::string& option : names) {
      const bool is_long = option.starts_with("--");
      EXPECT_THAT(page, HasSubstr("\\fB" + with_hyphens(option) + "\\fR"));
      EXPECT_THAT(in_bash, HasSubstr(" " + option + " "));
      EXPECT_THAT(in_fish, HasSubstr((is_long ? " -l " : " -s ") + option.substr(is_long ? 2 : 1) + " "));
      EXPECT_TRUE(has_one(in_zsh, {")" + option + "[", ")" + option + "=[", "*" + option + "[", "*" + option + "=["}))
          << name << " " << option;
    }
  }
}

TEST(CliShell, BashCompletes) {
  const TempFolder folder;
  folder.write("heliolite.bash", text_of("completion bash"));
  folder.write("machine file.yaml", "");
  folder.write("results/x.db", "");
  const auto complete = [&](const std::string& line) { return completed(folder, line); };
  EXPECT_THAT(complete("heliolite ma"), UnorderedElementsAre("map", "man"));
  EXPECT_THAT(complete("heliolite map -a eyer"), UnorderedElementsAre("eyeriss", "eyeriss_45nm"));
  EXPECT_THAT(complete("heliolite map -a mach"), ElementsAre("machine file.yaml"));
  EXPECT_THAT(complete("heliolite map -a eyeriss,mach"), ElementsAre("eyeriss,machine file.yaml"));
  EXPECT_THAT(complete("heliolite map -a eyeriss -w resn"),
              UnorderedElementsAre("resnet18", "resnet18_unrolled", "resnet50", "resnet50_unrolled"));
  EXPECT_THAT(complete("heliolite map --objective e"),
              UnorderedElementsAre("energy", "edp", "ed2p", "edap", "energy_per_op"));
  EXPECT_THAT(complete("heliolite map --objective=del"), ElementsAre("delay"));
  EXPECT_THAT(complete("heliolite map -w gemm:8x8x8 --objective "), Contains("delay"));
  EXPECT_THAT(complete("heliolite map --without keep-bound,lattice"), ElementsAre("keep-bound,lattice-bound"));
  EXPECT_THAT(complete("heliolite map --budget "), IsEmpty());
  EXPECT_THAT(complete("heliolite map --no"), ElementsAre("--no-look"));
  EXPECT_THAT(complete("heliolite bound --kind h"), ElementsAre("hbl"));
  EXPECT_THAT(complete("heliolite show tpu"), UnorderedElementsAre("tpu_v1", "tpu_v4i", "tpu_v4i_vpu"));
  EXPECT_THAT(complete("heliolite report res"), ElementsAre("results"));
  EXPECT_THAT(complete("heliolite convert eyeriss -o res"), ElementsAre("results"));
  EXPECT_THAT(complete("heliolite merge a.db results/"), ElementsAre("results/x.db"));
  EXPECT_THAT(complete("heliolite man ver"), ElementsAre("verify"));
  EXPECT_THAT(complete("heliolite "), AllOf(Contains("map"), Contains("completion"), Not(Contains("--version"))));
}

// The layers of the workload that the line names: each shell asks the program that the line begins with.
constexpr const char* kTwoLayers = "layers: [{name: first, gemm: 2x3x4}, {name: second, gemm: 4x3x2}]\n";

TEST(CliShell, BashCompletesLayers) {
  const TempFolder folder;
  folder.write("heliolite.bash", text_of("completion bash"));
  folder.write("net.yaml", kTwoLayers);
  link_program(folder);
  const auto complete = [&](const std::string& line) { return completed(folder, "./heliolite " + line); };
  EXPECT_THAT(complete("map -w resnet18 --layer conv2"), ElementsAre("conv2_x"));
  EXPECT_THAT(complete("map -a eyeriss --workload=bert_base_block --layer=q"), ElementsAre("q_proj"));
  EXPECT_THAT(complete("bound -w resnet18@batch=4 -l f"), ElementsAre("fc"));
  EXPECT_THAT(complete("convert eyeriss resnet18 --layer conv2"), ElementsAre("conv2_x"));
  EXPECT_THAT(complete("map -w \"net.yaml\" --layer "), UnorderedElementsAre("first", "second"));
  EXPECT_THAT(complete("map -w gemm:8x8x8 --layer "), ElementsAre("gemm"));
  EXPECT_THAT(complete("map -w nothing_such --layer "), IsEmpty());
  EXPECT_THAT(complete("map --layer "), IsEmpty());
}

TEST(CliShell, FishCompletesLayers) {
  if (!has_program("fish")) GTEST_SKIP() << "no fish";
  const TempFolder folder;
  folder.write("heliolite.fish", text_of("completion fish"));
  folder.write("my net.yaml", kTwoLayers);
  link_program(folder);
  const auto complete = [&](const std::string& line) {
    const std::string script = folder.write("complete.fish", "source heliolite.fish\ncomplete -C '" + line + "'\n");
    const std::string out = folder.path("completed");
    EXPECT_EQ(std::system(("cd '" + folder.path("") + "' && HOME=$PWD fish '" + script + "' >'" + out + "'").c_str()),
              0);
    return read_text(out);
  };
  EXPECT_THAT(complete("./heliolite map -w resnet18 --layer conv2"), StartsWith("conv2_x\t"));
  EXPECT_THAT(complete("./heliolite convert eyeriss resnet18 --layer f"), StartsWith("fc\t"));
  EXPECT_THAT(complete("./heliolite map -w \"my net.yaml\" --layer s"), StartsWith("second\t"));
  EXPECT_EQ(complete("./heliolite map -w nothing_such --layer "), "");
}

TEST(CliShell, ScriptsAndPagesAreValid) {
  const TempFolder folder;
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    const std::string file = folder.path(shell);
    ASSERT_EQ(run_cli("completion " + shell + " -o " + file).exit_code, 0);
    if (has_program(shell)) {
      EXPECT_EQ(std::system((shell + " -n " + file).c_str()), 0) << shell;
    }
  }
  if (!has_program("groff")) GTEST_SKIP() << "no groff";
  for (const std::string command : {"", "map", "completion", "bound"}) {
    const std::string page = folder.path("page"), complaints = folder.path("complaints");
    ASSERT_EQ(run_cli("man " + command + " -o " + page).exit_code, 0);
    std::system(("groff -man -Tascii -ww -z " + page + " >" + complaints + " 2>&1").c_str());
    EXPECT_EQ(read_text(complaints), "") << command;
  }
}

TEST(CliShell, RefusesWhatItDoesNotKnow) {
  EXPECT_THAT(run_cli("completion tcsh").err, HasSubstr("unknown name 'tcsh'; known: bash, zsh and fish"));
  EXPECT_THAT(run_cli("man mapp").err, HasSubstr("unknown name 'mapp', did you mean 'map'?"));
  EXPECT_EQ(run_cli("completion").exit_code, 2);
}

}  // namespace
}  // namespace heliolite::cli_shell_test
