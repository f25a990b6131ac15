#!/usr/bin/env bash
# Every header is complete: each that no source proves compiles alone, with the flags and warnings of its library. A
# header with a source is the first thing that source includes (include_arrows_test.sh).
# Usage: headers_alone_test.sh <source root> <build folder, configured without HELIOLITE_UNITY>
set -u
cd "$1" || exit 1
commands=$2/compile_commands.json
[ -f "$commands" ] || { echo "there is no $commands"; exit 1; }

# The compiler and the flags for sources of the header's library, less what names the source.
command_for() {
  local library
  case $1 in
    engine/*) library=$(cut -d / -f 1-2 <<<"$1") ;;
    *) library=${1%%/*} ;;
  esac
  sed -n "s|^ *\"command\": \"\(.*\) -o [^ ]* -c $PWD/$library/[^ ]*\",\$|\1|p" "$commands" | head -n 1 |
    sed 's|\\"|"|g'
}

compile() {
  local command
  command=$(command_for "$1")
  [ -n "$command" ] || { echo "$1: $commands has no source of its library"; return 1; }
  eval "$command -fsyntax-only -x c++ -" <<<"#include \"$1\"" || { echo "$1 does not compile alone"; return 1; }
}
export -f compile command_for
export commands

alone=$(git -c safe.directory="$PWD" ls-files 'engine/*.h' 'arch/*.h' 'workloads/*.h' 'cli/*.h' |
  while read -r header; do [ -f "${header%.h}.cpp" ] || echo "$header"; done)
xargs -r -P "$(nproc)" -I '{}' bash -c 'compile {}' <<<"$alone" && echo "headers: $(wc -w <<<"$alone") compile alone"
