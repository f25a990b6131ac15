// heliolite check: what files are, whether they can be read, and by which command.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/convert/checked_file.h"
#include "cli/ui/command.h"
#include "cli/ui/inputs.h"
#include "cli/ui/json.h"
#include "cli/ui/lines.h"
#include "cli/ui/long_work.h"
#include "cli/ui/table.h"
#include "engine/base/integers.h"
#include "engine/base/mapped.h"
#include "engine/base/text.h"
#include "engine/formats/load_network.h"

namespace heliolite::cli {
namespace {

constexpr std::size_t kMostComplaints = 5;  // of one file, in the table's text; JSON has all

struct CheckArguments {
  std::vector<std::string> paths;
  std::string architecture, workload;
  bool all = false;
  ReadOptions reading;
};

using StateCounts = std::array<std::size_t, kCheckStates>;

std::string parts_text(const CheckedFile& file) { return join(mapped<std::string>(file.parts, what_it_is)); }

std::string commands_text(const CheckedFile& file) {
  if (file.state == CheckState::Refused || file.state == CheckState::NotOurs) return "";
  std::vector<std::string> commands;
  for (const Part part : file.parts) {
    const std::string command(taken_by(part));
    if (!command.empty() && std::ranges::find(commands, command) == commands.end()) commands.push_back(command);
  }
  return fmt::format("{}", fmt::join(commands, "; "));
}

// Machines and workloads among the files are partners of the constraints and mappings among them.
std::vector<CheckedFile> check_all(const CheckArguments& arguments, const ReadOptions& reading) {
  std::vector<CheckedFile> files;
  CheckPartners partners(reading);
  if (!arguments.architecture.empty()) partners.add_machine(arguments.architecture, true);
  if (!arguments.workload.empty()) partners.add_workload(arguments.workload, true);
  for (const std::string& path : arguments.paths)
    for (const std::string& file : files_of(path)) {
      if (interrupt_flag()) return files;
      files.push_back(check_file(file, reading));
      if (files.back().state != CheckState::Read) continue;
      for (const Part part : files.back().parts) {
        if (part == Part::Machine || part == Part::TimeloopMachine) partners.add_machine(file);
        if (part == Part::Workload || part == Part::Problem || part == Part::Model || part == Part::LanguageModel)
          partners.add_workload(file);
      }
    }
  for (CheckedFile& file : files)
    if (file.state == CheckState::Waits && !interrupt_flag()) check_with(partners, file);
  return files;
}

Tone tone_of(CheckState state) {
  const bool good = state == CheckState::Read || state == CheckState::Recognised;
  return good ? Tone::Good : state == CheckState::Refused ? Tone::Bad : Tone::Doubt;
}

std::string answer_text(const std::vector<CheckedFile>& files, const StateCounts& counts, bool all) {
  Table table({"<file", "<what", "<state", "<used by"});
  std::string complaints;
  for (const CheckedFile& file : files) {
    if (file.state == CheckState::NotOurs && !all) continue;
    table.row({file.path, parts_text(file), painted(name(file.state), tone_of(file.state)), commands_text(file)});
    for (std::size_t i = 0; i < file.why.size() && i < kMostComplaints; ++i)
      complaints += "  " + file.why[i].to_string() + "\n";
    if (file.why.size() > kMostComplaints)
      complaints += fmt::format("  {}: and {} more (--json has all)\n", file.path, file.why.size() - kMostComplaints);
  }
  std::vector<std::string> summary;
  for (std::size_t i = 0; i < kCheckStates; ++i)
    if (counts[i] > 0) summary.push_back(fmt::format("{} {}", counts[i], name(static_cast<CheckState>(i))));
  return table.to_string() + (complaints.empty() ? "" : "\n" + complaints) +
         fmt::format("\n  {} files: {}\n", files.size(),
                     summary.empty() ? "none" : fmt::format("{}", fmt::join(summary, ", ")));
}

Json answer_json(const CheckArguments& arguments, const std::vector<CheckedFile>& files, const StateCounts& counts) {
  Json answer = answer_head("check");
  answer["question"] = {
      {"paths", arguments.paths}, {"architecture", arguments.architecture}, {"workload", arguments.workload}};
  for (std::size_t i = 0; i < kCheckStates; ++i) {
    std::string key(name(static_cast<CheckState>(i)));
    std::ranges::replace(key, ' ', '_');
    answer["counts"][key] = counts[i];
  }
  answer["files"] = Json::array();
  for (const CheckedFile& file : files) {
    answer["files"].push_back({{"file", file.path},
                               {"what", mapped(file.parts, what_it_is)},
                               {"state", name(file.state)},
                               {"used_by", commands_text(file)},
                               {"with", file.with.empty() ? Json() : Json(file.with)},
                               {"why", mapped(file.why, &Diagnostic::to_string)}});
  }
  answer["interrupted"] = interrupt_flag().load();
  return answer;
}

int run(const CheckArguments& arguments, const Output& output) {
  for (const std::string& path : arguments.paths) {
    std::error_code error;
    if (std::filesystem::exists(path, error)) continue;
    const bool has_options = std::filesystem::exists(path.substr(0, path.find('@')), error);
    return fail(fmt::format("{}: no such file or folder{}", path,
                            has_options ? "; files are checked without options behind '@', names of their templates "
                                          "have values by --define NAME=VALUE"
                                        : ""));
  }
  const ReadOptions reading = for_several(arguments.reading);
  const std::vector<CheckedFile> files = check_all(arguments, reading);
  StateCounts counts{};
  for (const CheckedFile& file : files) ++counts[at(file.state)];
  const bool all_read = counts[at(CheckState::Refused)] == 0 && arguments.workload.empty() && !interrupt_flag();
  if (const Diagnostics unused = unused_model_options(reading); all_read && !unused.empty()) return fail(unused);
  output.table(answer_text(files, counts, arguments.all || files.size() == 1));
  if (!output.json(answer_json(arguments, files, counts))) return kBadInput;
  if (interrupt_flag()) return kInterrupted;
  return counts[at(CheckState::Refused)] == 0 ? kSuccess : kNegative;
}

}  // namespace

void add_check_command(CommandLine& line) {
  auto arguments = std::make_shared<CheckArguments>();
  const Command command(line, "check", "What files are, whether they can be read, and by which command");
  command.value("paths", arguments->paths, "FILE", "Files, or folders with all that is in them")->required();
  command.value("-a,--architecture", arguments->architecture, "A",
                "Machine for constraints and mappings, beside those among the files");
  command.value("-w,--workload", arguments->workload, "W", "Workload for mappings, beside those among the files");
  command->add_flag("--all", arguments->all, "Also list the files that are none of ours or of Timeloop");
  add_read_options(*command, arguments->reading);
  command.runs(
      arguments, run,
      "Exit code 1 when a file is refused.\n\nExamples:\n  heliolite check arch.yaml problem.yaml mapping.yaml\n"
      "  heliolite check ~/designs --json report.json");
}

}  // namespace heliolite::cli
