// Mappers that are other programs, as rows of a bench suite: claims of publications, tables of results, and commands.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arch/architecture_yaml.h"
#include "cli/bench/bench_config.h"
#include "cli/ui/output.h"
#include "engine/base/child_process.h"
#include "engine/base/field_reader.h"
#include "engine/base/file_bytes.h"
#include "engine/base/mapped.h"
#include "engine/base/named.h"
#include "engine/base/text.h"
#include "engine/formats/load_mapping.h"
#include "engine/search/core/option_table.h"
#include "workloads/workload_yaml.h"

namespace heliolite::cli {
namespace {

// The value of a key that is one of some names, which its table has in the order of the enumeration.
template <class Enum>
Enum claim_choice(FieldReader& reader, const char* key, Enum usual) {
  const auto text = reader.choice(key);
  if (!text) return usual;
  return *find_named<Enum>(published_fields().find(key)->shape.names, *text);
}

}  // namespace

PublishedClaim published_claim(const YamlNode& node, const BenchSuite& suite, Diagnostics& errors) {
  FieldReader reader(node, published_fields(), errors);
  const auto says = reader.string("says"), source = reader.string("source"), of = reader.string("of"),
             over = reader.string("over");
  PublishedClaim claim;
  claim.says = says.value_or("");
  claim.source = source.value_or("");
  claim.of = of.value_or("");
  claim.over = over.value_or("");
  claim.quantity = claim_choice(reader, "quantity", ClaimQuantity::Value);
  claim.statistic = claim_choice(reader, "statistic", ClaimStatistic::Mean);
  claim.from = reader.number("from");
  claim.to = reader.number("to");
  reader.finish();
  if (!claim.from && !claim.to) reader.error("must have 'from' or 'to', the ends of the published range");
  for (const std::string& name : {claim.of, claim.over}) {
    const bool ours = std::ranges::any_of(suite.strategies, [&](const BenchStrategy& s) { return s.label == name; });
    const bool external =
        std::ranges::any_of(suite.external, [&](const ExternalResult& e) { return e.mapper == name; });
    if (name.empty() || ours || external) continue;
    reader.error(fmt::format("'{}' is neither a strategy of this suite nor a mapper of its tables{}", name,
                             did_you_mean(name, mapped(suite.strategies, &BenchStrategy::label))));
  }
  return claim;
}

namespace {

constexpr std::size_t kNoColumn = ~std::size_t{0};
constexpr double kMostValue = 1e90;  // products of three stay finite
constexpr double kMostEvaluated = 9e15;

// Parts between commas, empty ones included; a part in quotes may have commas, and quotes as "". None if a quote is
// never closed.
std::optional<std::vector<std::string>> cells_of(std::string_view line) {
  std::vector<std::string> out(1);
  bool inside = false;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const bool quote = line[at] == '"' && (inside || trim(out.back()).empty());
    if (quote && inside && line.substr(at + 1).starts_with('"')) out.back() += line[++at];
    else if (quote) inside = !inside;
    else if (line[at] == ',' && !inside) out.emplace_back();
    else out.back() += line[at];
  }
  if (inside) return std::nullopt;
  for (std::string& cell : out) cell = trim(cell);
  return out;
}

class RowsReader {
 public:
  RowsReader(const std::string& path, Objective objective) : path_(path), objective_(objective) {}

  Result<std::vector<ExternalResult>> run(std::string_view text) {
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      const std::string_view line = trim(text.substr(begin, end - begin));
      begin = end + 1;
      ++line_;
      if (line.empty() || line.front() == '#') continue;
      if (auto cells = cells_of(line); !cells) complain("", "a quote is never closed");
      else if (!headed_) read_header(*std::move(cells));
      else read_row(*cells);
      if (!headed_) break;
    }
    if (line_ == 0 || (!headed_ && errors_.empty())) complain("", "has no header line with the names of its columns");
    if (!errors_.empty()) return std::move(errors_);
    return std::move(rows_);
  }

 private:
  void complain(const std::string& field, std::string message) {
    errors_.push_back({path_, std::max(line_, 1), field, std::move(message)});
  }

  // Place of the first of these columns.
  std::size_t column(std::initializer_list<const char*> names) const {
    for (const char* name : names) {
      const auto at = std::find(header_.begin(), header_.end(), name);
      if (at != header_.end()) return static_cast<std::size_t>(at - header_.begin());
    }
    return kNoColumn;
  }

  void read_header(std::vector<std::string> names) {
    for (std::string& name : names) name = lower(name);
    header_ = std::move(names);
    for (std::size_t k = 0; k < header_.size(); ++k)
      if (std::find(header_.begin(), header_.begin() + k, header_[k]) != header_.begin() + k)
        complain("", fmt::format("two columns are called '{}'", header_[k]));
    if (header_.size() == 1 && header_[0].find_first_of(";\t") != std::string::npos)
      return complain("", "the names of the columns must be separated by commas");
    column_ = {{"machine", column({"machine"})},       {"layer", column({"layer"})},
               {"mapper", column({"mapper", "tool"})}, {"setting", column({"setting"})},
               {"value", column({"value"})},           {"energy_pj", column({"energy_pj"})},
               {"cycles", column({"cycles"})},         {"objective", column({"objective"})},
               {"evaluated", column({"evaluated"})},   {"seconds", column({"seconds", "search_seconds", "cpu_s"})}};
    for (const char* name : {"machine", "layer", "mapper"})
      if (column_[name] == kNoColumn)
        complain("",
                 fmt::format("missing column '{}'{}; columns: {}", name, did_you_mean(name, header_), join(header_)));
    if (column_["value"] == kNoColumn && (column_["energy_pj"] == kNoColumn || column_["cycles"] == kNoColumn))
      complain("", fmt::format("missing column 'value', or 'energy_pj' and 'cycles'; columns: {}", join(header_)));
    headed_ = errors_.empty();
  }

  void read_row(const std::vector<std::string>& cells) {
    if (cells.size() != header_.size())
      return complain("", fmt::format("{} cells, the header has {}", cells.size(), header_.size()));
    const auto text = [&](const char* name) {
      const std::size_t at = column_.at(name);
      return at == kNoColumn ? std::string() : cells[at];
    };
    if (!text("objective").empty()) {
      const auto objective = parse_objective(lower(text("objective")));
      if (!objective)
        return complain("objective", fmt::format("'{}', must be {}", text("objective"), join(objective_names(), "or")));
      if (*objective != objective_) return;
    }
    ExternalResult row{text("machine"), text("layer"), text("mapper"), 0, {}, {}};
    if (row.machine.empty() || row.layer.empty() || row.mapper.empty())
      return complain("", "machine, layer and mapper must not be empty");
    if (!text("setting").empty()) row.mapper += " (" + text("setting") + ")";
    if (!text("seconds").empty()) row.seconds = number("seconds", text("seconds"));
    if (!text("evaluated").empty())
      if (const auto n = number("evaluated", text("evaluated"), kMostEvaluated)) row.evaluated = static_cast<u64>(*n);
    if (const auto value = value_of(text("value"), text("energy_pj"), text("cycles"))) {
      row.value = *value;
      rows_.push_back(std::move(row));
    }
  }

  std::optional<double> value_of(const std::string& value, const std::string& energy, const std::string& cycles) {
    if (!value.empty()) return number("value", value);
    if (info(objective_).area_power != 0 || info(objective_).per_operation) {
      complain("value", fmt::format("is not given, and {} does not follow from energy and cycles", name(objective_)));
      return std::nullopt;
    }
    const auto pj = number("energy_pj", energy), time = number("cycles", cycles);
    if (!pj || !time) return std::nullopt;
    return objective_number(objective_, *pj, *time);
  }

  std::optional<double> number(const char* name, const std::string& text, double most = kMostValue) {
    const std::optional<double> value = parse_number<double>(text);
    if (value && *value > 0 && *value <= most) return value;
    complain(name, fmt::format("'{}', must be a number above 0 and at most {:g}", text, most));
    return std::nullopt;
  }

  const std::string& path_;
  Objective objective_;
  int line_ = 0;
  bool headed_ = false;
  std::vector<std::string> header_;
  std::map<std::string, std::size_t> column_;
  std::vector<ExternalResult> rows_;
  Diagnostics errors_;
};

}  // namespace

Result<std::vector<ExternalResult>> load_external_results(const std::string& path, Objective objective) {
  const Result<std::string> text = read_text_file(path);
  if (!text) return text.errors();
  return RowsReader(path, objective).run(*text);
}

// A mapper of `heliolite bench` that is a command: it finds the machine and the layer in files, and answers with a
// mapping (docs/evaluator.md).

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

// Runs `command` by /bin/sh with these in place of words in braces, paths quoted: {machine} and {workload}, files in
// our formats; {mapping}, a file that it is to write; {seconds}, that it may take; {objective}; {suite}, the folder
// `suite`. Without {mapping} the answer is what it says on its standard output. The answer is anything that `eval -m`
// reads. The files are gone when it has ended.
ForeignMapper command_mapper(const std::string& command, const std::string& suite) {
  const std::string line = replaced(command, "{suite}", shell_quoted(suite.empty() ? "." : suite));
  return [command = line](const Workload& workload, const Architecture& machine, const SearchOptions& options) {
    return run_command(command, workload, machine, options);
  };
}

}  // namespace

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
