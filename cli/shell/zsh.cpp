// The completion of zsh: the options of every command as _arguments takes them.
#include <fmt/format.h>

#include <string_view>

#include "cli/shell/command_table.h"
#include "engine/formats/load_architecture.h"
#include "engine/formats/load_network.h"
#include "workloads/workload_yaml.h"

namespace heliolite::cli {
namespace {

constexpr const char* kZshLayers = R"zsh(
# The layers of the workload that the line names, by an option or as an argument.
_heliolite_layers() {
  local -a names given=(${opt_args[-w]-} ${opt_args[--workload]-})
  local workload
  (( $#given )) || given=(${words[2,-1]:#-*})
  for workload in $given; do
    workload=${(Q)workload}
    names=(${(f)"$(HELIOLITE_BUILD=no ${~${(Q)_heliolite_program}} show -w ${workload/#\~\//$HOME/} --layers \
      2>/dev/null)"}) && break
  done
  compadd -a names
}

)zsh";

// The text with a backslash before each of these characters.
std::string escaped(const std::string& text, const std::string& characters) {
  std::string out;
  for (const char c : text) {
    if (characters.find(c) != std::string::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// What completes a value: the third part of an _arguments specification.
std::string action(const OptionRow& row) {
  const std::string names = fmt::format("{}", fmt::join(row.choices, " "));
  if (!row.choices.empty() && row.offers.any()) return fmt::format("_heliolite_values files {}", names);
  if (!row.choices.empty()) return row.list ? fmt::format("_values -s , {} {}", row.value, names) : "(" + names + ")";
  if (row.offers.machines && row.offers.workloads)
    return "_heliolite_values files $_heliolite_machines $_heliolite_workloads";
  if (row.offers.machines) return "_heliolite_values files $_heliolite_machines";
  if (row.offers.workloads) return "_heliolite_values files $_heliolite_workloads";
  if (row.offers.layers) return "_heliolite_layers";
  if (row.offers.files) return "_files";
  return row.offers.folders ? "_files -/" : " ";
}

std::string specification(const OptionRow& row) {
  const std::string value = row.value.empty() ? "" : ":" + escaped(row.value, "\\:[]") + ":" + action(row);
  if (row.names.empty())
    return quoted((row.many ? "*" : row.required ? ":" : "::") + (row.many ? value : value.substr(1)));
  const std::string help = "[" + escaped(row.help, "\\[]") + "]";
  std::string text;
  for (const std::string& name : row.names) {
    const std::string others = row.list ? "*" : fmt::format("({})", fmt::join(row.names, " "));
    const std::string_view equals = name.starts_with("--") && !value.empty() ? "=" : "";
    if (!text.empty()) text += " ";
    text += quoted(fmt::format("{}{}{}{}{}", others, name, equals, help, value));
  }
  return text;
}

std::string arguments(const CommandRow& row, const std::string& indent) {
  std::string text;
  for (const OptionRow& option : row.options) text += " \\\n" + indent + specification(option);
  return text;
}

}  // namespace

std::string zsh_completion(const CommandTable& table) {
  std::string described, cases;
  for (const CommandRow& command : table.commands) {
    described += "      " + quoted(escaped(command.name, "\\:") + ":" + command.help) + "\n";
    cases += fmt::format("    {})\n      _arguments -s{} ;;\n", command.name, arguments(command, "        "));
  }
  return fmt::format(
      "#compdef heliolite\n"
      "# Completion of heliolite for zsh, written by `heliolite completion zsh`.\n\n"
      "_heliolite_machines=({})\n_heliolite_workloads=({})\n\n"
      "# files NAME..: one of the names, or a file.\n"
      "_heliolite_values() {{\n  local -a names=(\"${{@:2}}\")\n"
      "  _alternative 'names:name:compadd -a names' 'files:file:_files'\n}}\n{}"
      "_heliolite() {{\n  local _heliolite_program=$words[1]\n  local context state state_descr line\n  local -a "
      "commands\n  typeset -A opt_args\n"
      "  _arguments -C{} \\\n    '1:command:->command' '*::argument:->argument'\n"
      "  if [[ $state == command ]]; then\n    commands=(\n{}    )\n    _describe command commands\n    return\n  fi\n"
      "  [[ $state == argument ]] || return\n  case $words[1] in\n{}  esac\n}}\n\n_heliolite \"$@\"\n",
      fmt::join(architecture_preset_names(), " "), fmt::join(workload_preset_names(), " "), kZshLayers,
      arguments(table.program, "    "), described, cases);
}

}  // namespace heliolite::cli
