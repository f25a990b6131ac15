// A mapper of `heliolite bench` that is a command: it finds the machine and the layer in files, and answers with a
// mapping (docs/evaluator.md).
#include "cli/bench/bench_external.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>

#include "arch/architecture_yaml.h"
#include "cli/bench/bench_fields.h"
#include "cli/ui/file_writer.h"
#include "engine/base/child_process.h"
#include "engine/base/field_reader.h"
#include "engine/base/text.h"
#include "engine/formats/load_mapping.h"
#include "engine/search/options_yaml.h"
#include "workloads/network_writer.h"

namespace heliolite::cli {
namespace {

namespace fs = std::filesystem;

// How ChildProcess::ending() names the signal that ended the command, or a program that its shell ran.
constexpr std::string_view kSignalNamed = " (SIG";

Diagnostic about_command(std::string what, bool crashed = false) {
  return {"", 0, crashed ? kMapperCrashed : kMapperFailed, std::move(what)};
}

// A folder that is removed with what the command has left in it.
class CommandFolder {
 public:
  CommandFolder() {
    std::error_code none;
    path_ = (fs::temp_directory_path(none) / "heliolite-bench-XXXXXX").string();
    if (mkdtemp(path_.data()) == nullptr) problem_ = fmt::format("{}: {}", path_, std::strerror(errno));
  }
  ~CommandFolder() {
    std::error_code ignored;
    if (problem_.empty()) fs::remove_all(path_, ignored);
  }
  CommandFolder(const CommandFolder&) = delete;
  CommandFolder& operator=(const CommandFolder&) = delete;

  std::string file(const char* name) const { return path_ + "/" + name; }
  void write(const char* name, const std::string& text) {
    if (!problem_.empty()) return;
    FileWriter writer(file(name));
    writer.stream() << text;
    problem_ = writer.finish();
  }
  const std::string& problem() const { return problem_; }  // empty: there is none

 private:
  std::string path_, problem_;
};

std::string replaced(std::string text, std::string_view word, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += by.size())
    text.replace(at, word.size(), by);
  return text;
}

// What went wrong with the command itself; empty: it ended with exit code 0.
std::string failure(ChildProcess& process, const SearchOptions& options) {
  const double seconds = options.budget_seconds.value_or(kCommandSeconds);
  const Patience patience(seconds, options.stop);
  switch (process.talk_to_the_end("", patience)) {
    case ChildProcess::Talk::Stopped: return "was interrupted";
    case ChildProcess::Talk::TooMuch: return fmt::format("said more than {} bytes", ChildProcess::kMostBytes);
    case ChildProcess::Talk::TimedOut: return fmt::format("did not end within {} s", seconds);
    case ChildProcess::Talk::Heard:
    case ChildProcess::Talk::Closed: break;
  }
  return process.ending(patience).value_or(fmt::format("did not end within {} s", seconds));
}

Result<Mapping> run_command(const std::string& command, const Workload& workload, const Architecture& machine,
                            const SearchOptions& options) {
  constexpr std::string_view kMapping = "{mapping}";
  CommandFolder folder;
  folder.write("machine.yaml", write_architecture(machine));
  folder.write("workload.yaml", write_workload(workload));
  if (!folder.problem().empty()) return about_command("has no place for its files: " + folder.problem());
  const std::string mapping = folder.file("mapping.yaml");
  std::string line = replaced(command, "{machine}", shell_quoted(folder.file("machine.yaml")));
  line = replaced(line, "{workload}", shell_quoted(folder.file("workload.yaml")));
  line = replaced(line, kMapping, shell_quoted(mapping));
  line = replaced(line, "{seconds}", fmt::format("{:g}", options.budget_seconds.value_or(kCommandSeconds)));
  line = replaced(line, "{objective}", std::string(name(options.objective)));
  Result<std::unique_ptr<ChildProcess>> process = ChildProcess::start(line);
  if (!process) return about_command(process.errors().front().message);
  if (const std::string why = failure(**process, options); !why.empty())
    return about_command(why, why.find(kSignalNamed) != std::string::npos);
  if (command.find(kMapping) == std::string::npos)
    return parse_mapping((*process)->heard(), "its answer", workload, machine);
  std::error_code none;
  if (!fs::is_regular_file(mapping, none)) return about_command("wrote no file {mapping}");
  Result<Mapping> answer = load_mapping(mapping, workload, machine);
  if (answer) return answer;
  Diagnostics errors = answer.errors();
  for (Diagnostic& error : errors)
    if (error.file == mapping) error.file = "its answer";
  return errors;
}

}  // namespace

ForeignMapper command_mapper(const std::string& command, const std::string& suite) {
  const std::string line = replaced(command, "{suite}", shell_quoted(suite.empty() ? "." : suite));
  return [command = line](const Workload& workload, const Architecture& machine, const SearchOptions& options) {
    return run_command(command, workload, machine, options);
  };
}

BenchStrategy read_command_mapper(const YamlNode& entry, const std::string& file, Diagnostics& errors) {
  BenchStrategy out;
  FieldReader reader(entry, command_mapper_fields(), errors);
  out.command = reader.string("command").value_or("");
  if (trim(out.command).empty()) reader.error("command must be what /bin/sh is to run");
  out.label = reader.string("label").value_or(out.command);
  out.options.budget_seconds = kCommandSeconds;
  for (const std::string_view key : kToldToCommands)
    if (const auto option = reader.child(key)) read_search_option(*option, key, out.options, errors);
  refuse_former_options(reader);
  reader.finish();
  out.mapper = command_mapper(out.command, fs::path(file).parent_path().string());
  return out;
}

}  // namespace heliolite::cli
