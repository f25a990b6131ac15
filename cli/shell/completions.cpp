// The completions of bash, fish and zsh, from the table of commands.
#include <fmt/format.h>

#include <string_view>

#include "cli/shell/command_table.h"
#include "engine/formats/load_architecture.h"
#include "workloads/workload_yaml.h"

namespace heliolite::cli {

// The completion of bash: tables of options and of what they take, as case statements, and one function that looks up
// what the word under the cursor may be.

namespace {

constexpr const char* kHead = R"bash(# Completion of heliolite for bash, written by `heliolite completion bash`.

)bash";

constexpr const char* kFunctions = R"bash(
# REPLY: the words of the line up to the cursor, which bash has cut at = and : too.
_heliolite_words() {
  local rest=$COMP_LINE part i
  REPLY=()
  for ((i = 0; i <= COMP_CWORD; ++i)); do
    part=${COMP_WORDS[i]}
    if [[ $i != 0 && -n $part && $rest == "$part"* ]]; then
      REPLY[${#REPLY[@]}-1]+=$part
    elif [[ $i != 0 && -z $part && ${REPLY[${#REPLY[@]}-1]} == *[=:] && $COMP_LINE == *[=:] ]]; then
      :
    else
      REPLY+=("$part")
    fi
    rest=${rest#*"$part"}
  done
}

# Names of the layers of the workloads in `given`, one a line. The words stand there as they were typed.
_heliolite_layers() {
  local workload
  for workload in "${given[@]}"; do
    workload=${workload//[\\\"\']/}
    [[ $workload != '~/'* ]] || workload=$HOME/${workload#'~/'}
    HELIOLITE_BUILD=no "${program/#'~/'/$HOME/}" show -w "$workload" --layers 2>/dev/null && return
  done
}

# VALUE KIND..: offers what begins with VALUE; `name` is a name, @list allows several with commas between them.
_heliolite_offer() {
  local value=$1 before= names= kind file list= files= folders=
  shift
  for kind; do
    case $kind in
      @machines) names+=" $_heliolite_machines" ;;
      @workloads) names+=" $_heliolite_workloads" ;;
      @files) files=1 ;;
      @folders) folders=1 ;;
      @layers) names+=" $(_heliolite_layers)" ;;
      @list) list=1 ;;
      *) names+=" $kind" ;;
    esac
  done
  if [[ -n $list && $value == *,* ]]; then
    before=${value%,*},
    value=${value##*,}
  fi
  COMPREPLY=($(compgen -P "$before" -W "$names" -- "$value"))
  [[ -n $files || -n $folders ]] || return 0
  compopt -o filenames 2>/dev/null
  while IFS= read -r file; do COMPREPLY+=("$before$file"); done < <(
    if [[ -n $files ]]; then compgen -f -- "$value"; else compgen -d -- "$value"; fi)
}

_heliolite() {
  local command= option= arguments=0 word last i REPLY
  COMPREPLY=()
  _heliolite_words
  local words=("${REPLY[@]}") program=${REPLY[0]} given=() workload=
  last=$((${#words[@]} - 1))
  for ((i = 1; i < last; ++i)); do
    word=${words[i]}
    if [[ -n $option ]]; then
      [[ $option != -w && $option != --workload ]] || workload=$word
      option=
    elif [[ $word == -?* ]]; then
      [[ $word != --workload=* ]] || workload=${word#*=}
      if [[ $word != *=* ]] && _heliolite_takes "$command" "$word"; then option=$word; fi
    elif [[ -z $command ]]; then
      command=$word
    else
      arguments=$((arguments + 1))
      given+=("$word")
    fi
  done
  [[ -z $workload ]] || given=("$workload")
  word=${words[last]}
  local start=
  if [[ -z $option && $word == --*=* ]]; then
    option=${word%%=*}
    start=$option=
  fi
  if [[ -n $option ]]; then
    if _heliolite_takes "$command" "$option"; then _heliolite_offer "${word#"$start"}" $REPLY; fi
  elif [[ $word == -* ]]; then
    _heliolite_options "$command"
    COMPREPLY=($(compgen -W "$REPLY" -- "$word"))
  elif [[ -z $command ]]; then
    COMPREPLY=($(compgen -W "$_heliolite_commands" -- "$word"))
  elif _heliolite_takes "$command" $((arguments + 1)); then
    _heliolite_offer "$word" $REPLY
  fi
  # Bash replaces what stands behind the last = or : only.
  local tail=${COMP_WORDS[COMP_CWORD]}
  [[ $tail == [=:] ]] && tail=
  local cut=${word%"$tail"}
  cut=${cut#"$start"}
  COMPREPLY=("${COMPREPLY[@]#"$cut"}")
}

complete -F _heliolite heliolite
)bash";

std::string words(const std::vector<std::string>& all) { return fmt::format("{}", fmt::join(all, " ")); }

std::string kinds(const OptionRow& row) {
  std::vector<std::string> all = row.choices;
  if (row.offers.machines) all.emplace_back("@machines");
  if (row.offers.workloads) all.emplace_back("@workloads");
  if (row.offers.files) all.emplace_back("@files");
  if (row.offers.folders) all.emplace_back("@folders");
  if (row.offers.layers) all.emplace_back("@layers");
  if (row.list && !all.empty()) all.emplace_back("@list");
  return words(all);
}

std::string options_line(const std::string& command, const CommandRow& row) {
  std::vector<std::string> all;
  for (const OptionRow& option : row.options) all.insert(all.end(), option.names.begin(), option.names.end());
  return fmt::format("    '{}') REPLY='{}' ;;\n", command, words(all));
}

std::string takes_lines(const std::string& command, const CommandRow& row) {
  std::string text;
  int argument = 0;
  for (const OptionRow& option : row.options) {
    if (option.value.empty()) continue;
    std::vector<std::string> patterns;
    for (const std::string& name : option.names) patterns.push_back(fmt::format("{}:{}", command, name));
    if (patterns.empty())
      patterns.push_back(fmt::format("{}:{}", command, option.many ? "[0-9]*" : std::to_string(++argument)));
    text += fmt::format("    {}) REPLY='{}' ;;\n", fmt::join(patterns, "|"), kinds(option));
  }
  return text;
}

}  // namespace

std::string bash_completion(const CommandTable& table) {
  std::vector<std::string> commands;
  std::string options = options_line("", table.program), takes = takes_lines("", table.program);
  for (const CommandRow& command : table.commands) {
    commands.push_back(command.name);
    options += options_line(command.name, command);
    takes += takes_lines(command.name, command);
  }
  std::string text = kHead;
  text += fmt::format("_heliolite_commands='{}'\n_heliolite_machines='{}'\n_heliolite_workloads='{}'\n",
                      words(commands), words(architecture_preset_names()), words(workload_preset_names()));
  text +=
      "\n# COMMAND: its options.\n_heliolite_options() {\n  case $1 in\n" + options + "    *) REPLY= ;;\n  esac\n}\n";
  text +=
      "\n# COMMAND OPTION, or COMMAND and the number of an argument: what may stand there. Fails if nothing may.\n"
      "_heliolite_takes() {\n  case $1:$2 in\n" +
      takes + "    *) return 1 ;;\n  esac\n}\n";
  return text + kFunctions;
}

// The completion of fish: a line for every option.

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

// The completion of zsh: the options of every command as _arguments takes them.

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
