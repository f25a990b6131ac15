// The completion of fish: a line for every option.
#include <fmt/format.h>

#include "cli/shell/command_table.h"

namespace heliolite::cli {
namespace {

constexpr const char* kFishLayers = R"fish(
# Names of the layers of the workload that the line names, by an option or as an argument.
function __heliolite_layers
  set -l words (commandline -opc)
  set -l given
  set -l arguments
  set -l names
  for i in (seq 2 (count $words))
    switch $words[$i]
      case '--workload=*'
        set given (string replace -- '--workload=' '' $words[$i])
      case '-*'
      case '*'
        if contains -- $words[(math $i - 1)] -w --workload
          set given $words[$i]
        else
          set -a arguments $words[$i]
        end
    end
  end
  set -q given[1]; or set given $arguments
  for workload in $given
    set names (HELIOLITE_BUILD=no $words[1] show -w (string replace -r '^~/' $HOME/ -- $workload) --layers \
      2>/dev/null)
    and break
  end
  string join \n -- $names
end

)fish";

std::string fish_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

// What stands behind -a: the names that are offered.
std::string candidates(const OptionRow& row) {
  std::vector<std::string> names = row.choices;
  for (const std::string& preset : preset_names(row.offers)) names.push_back(preset);
  if (row.offers.layers) return " -a '(__heliolite_layers)'";
  if (names.empty()) return "";
  const std::string all = fmt::format("{}", fmt::join(names, " "));
  return " -a " + fish_quoted(row.list ? "(__fish_append , " + all + ")" : all);
}

std::string value_flags(const OptionRow& row) {
  std::string flags = row.names.empty() ? "" : " -r";
  if (row.offers.files) flags += " -F";
  else if (row.offers.folders) return flags + " -f -a '(__fish_complete_directories (commandline -ct))'";
  else flags += " -f";
  return flags + candidates(row);
}

std::string line(const std::string& condition, const OptionRow& row) {
  std::string text = "complete -c heliolite -n " + fish_quoted(condition);
  for (const std::string& name : row.names)
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (!row.value.empty()) text += value_flags(row);
  return text + " -d " + fish_quoted(row.help) + "\n";
}

}  // namespace

std::string fish_completion(const CommandTable& table) {
  std::string text = "# Completion of heliolite for fish, written by `heliolite completion fish`.\n";
  text += kFishLayers;
  text += "complete -c heliolite -f\n";
  for (const OptionRow& option : table.program.options) text += line("__fish_use_subcommand", option);
  for (const CommandRow& command : table.commands) {
    text += fmt::format("\ncomplete -c heliolite -n __fish_use_subcommand -a {} -d {}\n", command.name,
                        fish_quoted(command.help));
    for (const OptionRow& option : command.options) text += line("__fish_seen_subcommand_from " + command.name, option);
  }
  return text;
}

}  // namespace heliolite::cli
