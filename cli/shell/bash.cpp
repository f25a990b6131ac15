// The completion of bash: tables of options and of what they take, as case statements, and one function that looks up
// what the word under the cursor may be.
#include <fmt/format.h>

#include "cli/shell/command_table.h"
#include "engine/formats/load_architecture.h"
#include "engine/formats/load_network.h"
#include "workloads/workload_yaml.h"

namespace heliolite::cli {
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

}  // namespace heliolite::cli
