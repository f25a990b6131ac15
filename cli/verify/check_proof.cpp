// heliolite check-proof: hands proofs to the program that checks them, which knows nothing of this one.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/ui/command.h"
#include "cli/ui/json.h"
#include "cli/ui/long_work.h"
#include "engine/base/child_process.h"
#include "engine/base/file_bytes.h"
#include "engine/base/text.h"
#include "engine/proof/proof_file.h"

namespace heliolite::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kChecker = "heliolite-check-proof";
constexpr std::size_t kMostProofBytes = std::size_t{4} << 30;

// Beside this program, or where the shell would find it.
std::optional<std::string> checker_path() {
  std::error_code problem;
  std::vector<fs::path> folders{fs::read_symlink("/proc/self/exe", problem).parent_path()};
  if (const char* path = std::getenv("PATH"))
    for (const std::string& folder : split(path, ':')) folders.emplace_back(folder);
  for (const fs::path& folder : folders) {
    const fs::path file = folder / kChecker;
    if (!folder.empty() && access(file.c_str(), X_OK) == 0) return file.string();
  }
  return std::nullopt;
}

// What the checker says of a proof: its line, and its exit code.
struct Verdict {
  std::string text;
  int exit = kBadInput;
};

Verdict verdict_on(const std::string& file, const std::string& checker) {
  const Result<std::string> bytes = read_file_bytes(file, kMostProofBytes);
  if (!bytes) return {"refused: " + to_string(bytes.errors()), kBadInput};
  const Result<std::string> text = proof::unpacked(*bytes, kMostProofBytes);
  if (!text) return {fmt::format("refused: {}: {}", file, text.errors().front().message), kBadInput};
  auto child = ChildProcess::start(shell_quoted(checker) + " -");
  if (!child) return {"refused: " + to_string(child.errors()), kBadInput};
  const Patience patience(std::nullopt, &interrupt_flag());
  if ((*child)->talk_to_the_end(*text, patience) == ChildProcess::Talk::Stopped) return {"refused: interrupted", 130};
  std::string said = (*child)->heard();
  while (said.ends_with('\n')) said.pop_back();
  const auto place = said.find(": -");
  if (place != std::string::npos) said.replace(place + 2, 1, file);
  const int exit = said.starts_with("accepted: ") ? 0 : said.starts_with("rejected: ") ? kNegative : kBadInput;
  if (said.empty()) said = fmt::format("refused: {}: {} said nothing", file, checker);
  return {exit == 0 ? fmt::format("accepted: {}:{}", file, said.substr(9)) : said, exit};
}

int run_check_proof(const std::vector<std::string>& files, const Output& output) {
  const std::optional<std::string> checker = checker_path();
  if (!checker)
    return fail(
        fmt::format("{} is neither beside heliolite nor on PATH; it is built from tools/check_proof", kChecker));
  Json answer = answer_head("check-proof");
  answer["question"] = {{"files", files.size()}};
  answer["proofs"] = Json::array();
  int worst = 0;
  for (const std::string& file : files) {
    const Verdict verdict = verdict_on(file, *checker);
    output.table(verdict.text + "\n");
    answer["proofs"].push_back({{"file", file}, {"accepted", verdict.exit == 0}, {"says", verdict.text}});
    worst = std::max(worst, verdict.exit);
  }
  return output.json(answer) ? worst : kBadInput;
}

}  // namespace

void add_check_proof_command(CommandLine& line) {
  auto files = std::make_shared<std::vector<std::string>>();
  const Command command(line, "check-proof", "Check what map --proof wrote, by a program of its own");
  command.value("file", *files, "FILE", "Proofs, packed or not")->required();
  command.runs(files, run_check_proof,
               "Exit code 1 when a proof is rejected, 2 when one is refused.\n\nExamples:\n"
               "  heliolite map -a eyeriss -w resnet18 --proof proofs\n"
               "  heliolite check-proof proofs/*.gz");
}

}  // namespace heliolite::cli
