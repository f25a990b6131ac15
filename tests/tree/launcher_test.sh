#!/usr/bin/env bash
# ./heliolite in a sandbox: a tree with stand-ins for apt-get, dpkg-query, sudo, cmake, ninja and ctest that note
# how they were called. Usage: launcher_test.sh <source root>
# shellcheck disable=SC2016,SC2317  # the stand-ins' texts; conditions called through expect
set -u
source_root=$(cd "$1" && pwd) || exit 1
sandbox=$(mktemp -d) || exit 1
trap 'rm -rf "$sandbox"' EXIT
failures=0
real_path=$PATH

expect() {  # expect WHAT CONDITION...
  local what=$1
  shift
  if "$@"; then return; fi
  printf 'FAILED in "%s": %s\n  stdout: %s\n  stderr: %s\n  calls:\n%s\n' "$scenario" "$what" "$(cat "$sandbox/out")" \
    "$(cat "$sandbox/err")" "$(sed 's/^/    /' "$sandbox/calls")"
  failures=$((failures + 1))
}
called() { grep -q -e "$1" "$sandbox/calls"; }
not_called() { ! called "$1"; }
calls_of() { grep -c "^$1" "$sandbox/calls"; }
says() { grep -q -e "$1" "$sandbox/err"; }
is() { [ "$1" = "$2" ]; }

stand_in() {
  { printf '#!/bin/bash\nsandbox=%q\necho "%s $*" >>"$sandbox/calls"\n' "$sandbox" "$1"; cat; } >"$sandbox/bin/$1"
  chmod +x "$sandbox/bin/$1"
}

# A fresh tree and a machine with nothing but a shell, apt and root.
start() {
  scenario=$1
  chmod -R u+w "$sandbox" 2>/dev/null
  rm -rf "${sandbox:?}"/*
  mkdir -p "$sandbox/bin" "$sandbox/my tree"/{engine/base,arch,workloads,cli,cmake,tests}
  tree="$sandbox/my tree"
  touch "$tree/CMakeLists.txt" "$tree/engine/base/a.cpp" "$tree/engine/base/b.cpp"
  echo bash >"$sandbox/installed"
  : >"$sandbox/calls"
  : >"$sandbox/out"
  : >"$sandbox/err"
  cp "$source_root/heliolite" "$source_root/packages.txt" "$tree/"
  local tool
  for tool in bash env sed sort tail touch mv cat mkdir find flock nproc readlink rm sleep grep chmod; do
    ln -s "$(PATH=$real_path command -v "$tool")" "$sandbox/bin/$tool"
  done
  echo 0 >"$sandbox/uid"
  stand_in id <<<'cat "$sandbox/uid"'
  stand_in dpkg-query <<<'sed "s/^/installed /" "$sandbox/installed"'
  stand_in apt-get <<'SH'
while [ $# -gt 0 ]; do
  case $1 in -o) shift ;; -*) ;; update | install) action=$1 ;; *) echo "$1" >>"$sandbox/new" ;; esac
  shift
done
[ ! -e "$sandbox/apt_fails" ] || { echo "E: no network"; exit 100; }
if [ "$action" = install ]; then cat "$sandbox/new" >>"$sandbox/installed"; fi
SH
  stand_in cmake <<'SH'
while [ $# -gt 0 ]; do
  case $1 in -S) from=$2 ;; -B) to=$2 ;; esac
  shift
done
mkdir -p "$to"
printf 'CMAKE_HOME_DIRECTORY:INTERNAL=%s\nCMAKE_GENERATOR:INTERNAL=Ninja\n' "$from" >"$to/CMakeCache.txt"
touch "$to/build.ninja"
SH
  stand_in ninja <<'SH'
[ ! -e "$sandbox/slow" ] || sleep 1
[ ! -e "$sandbox/broken" ] || { echo "error: expected ';'"; exit 1; }
mkdir -p "$2/cli"
printf '#!/bin/bash\nprintf "<%%s>" "$@"\nexit 7\n' >"$2/cli/heliolite"
chmod +x "$2/cli/heliolite"
SH
  stand_in ctest <<<'exit 8'
}

run() {  # run PROGRAM ARGUMENT...: sets status, out, err
  PATH="$sandbox/bin" HOME=/nonexistent "$@" >"$sandbox/out" 2>"$sandbox/err" </dev/null
  status=$?
}

start "nothing is built for a shell's completion"
run env HELIOLITE_BUILD=no "$tree/heliolite" show
expect "it fails" is "$status" 3
expect "and calls nothing" is "$(cat "$sandbox/calls")" ""

start "first use installs, builds and passes everything on"
run "$tree/heliolite" map "two words" "" --json -
expect "arguments reach the binary" is "$(cat "$sandbox/out")" "<map><two words><><--json><->"
expect "its exit code is passed on" is "$status" 7
expect "apt-get update comes first" is "$(grep -n 'apt-get.*update' "$sandbox/calls" | cut -d: -f1)" \
  "$(grep -n 'apt-get' "$sandbox/calls" | head -1 | cut -d: -f1)"
expect "what is missing is installed" called 'apt-get .*install .*libyaml-cpp-dev'
expect "and what some commands need" called 'apt-get .*install .*coinor-libcbc-dev .*libisl-dev'
expect "what only tests need is not" not_called 'libgtest-dev'
expect "what is there as a command is not" not_called 'install .*ninja-build'
expect "it says what it does" says 'not installed yet: .*libfmt-dev'
expect "and how long that takes" says 'building, this once: about [0-9]* minutes\? on [0-9]* cores\?'
expect "Release, without tests" called 'cmake .*CMAKE_BUILD_TYPE=Release .*HELIOLITE_TESTS=OFF'

scenario="later calls only exec"
: >"$sandbox/calls"
run "$tree/heliolite" space
expect "runs" is "$(cat "$sandbox/out")" "<space>"
expect "nothing else is called" is "$(cat "$sandbox/calls")" ""
expect "nothing is said" is "$(cat "$sandbox/err")" ""

scenario="a changed source is rebuilt, not reconfigured"
sleep 0.02
touch "$tree/engine/base/a.cpp"
run "$tree/heliolite" space
expect "ninja once" is "$(calls_of ninja)" 1
expect "no cmake" not_called '^cmake'
expect "no apt" not_called '^apt-get'
sleep 0.02
run env HELIOLITE_BUILD=no "$tree/heliolite" show
expect "HELIOLITE_BUILD=no runs what is there" is "$(cat "$sandbox/out")" "<show>"
sleep 0.02
touch "$tree/engine/base/a.cpp"
run env HELIOLITE_BUILD=no "$tree/heliolite" show
expect "also after a change" is "$(calls_of ninja)" 1
run "$tree/heliolite" space
expect "which a later call builds" is "$(calls_of ninja)" 2
rm "$tree/engine/base/b.cpp"
run "$tree/heliolite" space
expect "a source that went away counts" is "$(calls_of ninja)" 3
run "$tree/heliolite" space
expect "and then it is up to date" is "$(calls_of ninja)" 3

scenario="from another directory, through symbolic links"
mkdir -p "$sandbox/elsewhere/deep"
ln -s "$tree/heliolite" "$sandbox/elsewhere/absolute"
ln -s ../absolute "$sandbox/elsewhere/deep/relative"
cd "$sandbox/elsewhere/deep" || exit 1
run ./relative eval
expect "runs" is "$(cat "$sandbox/out")" "<eval>"
run bash ../absolute eval
expect "runs under bash FILE" is "$(cat "$sandbox/out")" "<eval>"
expect "without another build" is "$(calls_of ninja)" 3
cd "$source_root" || exit 1

scenario="a tree that was moved is configured afresh"
mv "$tree" "$sandbox/moved"
touch "$sandbox/moved/CMakeLists.txt"
: >"$sandbox/calls"
run "$sandbox/moved/heliolite" eval
expect "fresh" called 'cmake --fresh'
expect "runs" is "$(cat "$sandbox/out")" "<eval>"

start "everything installed"
sed 's/^\[.*//; s/#.*//; s/ .*//; /^$/d' "$source_root/packages.txt" >"$sandbox/installed"
run "$tree/heliolite" eval
expect "no apt" not_called '^apt-get'
expect "runs" is "$(cat "$sandbox/out")" "<eval>"

start "no apt"
rm "$sandbox/bin/apt-get"
run "$tree/heliolite" eval
expect "stops" is "$status" 3
expect "with the list" says 'no apt-get here; .*libyaml-cpp-dev'
expect "before building" not_called '^cmake'

start "no apt, and only what some commands need is missing"
sed -n '/^\[build\]/,/^\[report\]/p' "$source_root/packages.txt" | sed 's/^\[.*//; s/#.*//; s/ .*//; /^$/d' >"$sandbox/installed"
rm "$sandbox/bin/apt-get"
run "$tree/heliolite" eval
expect "says what" says 'no apt-get here; .*libisl-dev'
expect "and builds without" is "$(cat "$sandbox/out")" "<eval>"

start "neither dpkg nor apt, but the tools are there"
rm "$sandbox/bin/apt-get" "$sandbox/bin/dpkg-query"
touch "$sandbox/bin/c++" && chmod +x "$sandbox/bin/c++"
run "$tree/heliolite" eval
expect "tries" is "$(cat "$sandbox/out")" "<eval>"

start "not root, no sudo"
echo 1000 >"$sandbox/uid"
run "$tree/heliolite" eval
expect "stops" is "$status" 3
expect "with the list" says 'neither root nor sudo; .*libfmt-dev'
expect "without calling apt" not_called '^apt-get'

start "not root, sudo wants a password"
echo 1000 >"$sandbox/uid"
stand_in sudo <<<'exit 1'
run "$tree/heliolite" eval
expect "stops" is "$status" 3
expect "and says why" says 'sudo wants a password'

start "not root, sudo"
echo 1000 >"$sandbox/uid"
stand_in sudo <<<'[ "$1" != -n ] || shift; [ "$1" = true ] || "$@"'
run "$tree/heliolite" eval
expect "installs through it" called 'sudo env .*apt-get .*install .*libfmt-dev'
expect "runs" is "$(cat "$sandbox/out")" "<eval>"

start "apt fails"
touch "$sandbox/apt_fails"
run "$tree/heliolite" eval
expect "stops" is "$status" 3
expect "with apt's words" says 'E: no network'
expect "and what to install" says 'apt-get install failed; .*libfmt-dev'
rm "$sandbox/apt_fails"
run "$tree/heliolite" eval
expect "the next call succeeds" is "$(cat "$sandbox/out")" "<eval>"

start "the build fails"
touch "$sandbox/broken"
run "$tree/heliolite" eval
expect "stops" is "$status" 3
expect "with the compiler's words" says "error: expected"
expect "nothing on stdout" is "$(cat "$sandbox/out")" ""
rm "$sandbox/broken"
run "$tree/heliolite" eval
expect "the next call succeeds" is "$(cat "$sandbox/out")" "<eval>"

start "two first calls at once"
touch "$sandbox/slow"
PATH="$sandbox/bin" "$tree/heliolite" one >"$sandbox/out1" 2>"$sandbox/err1" </dev/null &
run "$tree/heliolite" two
wait $!
expect "first runs" is "$(cat "$sandbox/out1")" "<one>"
expect "second runs" is "$(cat "$sandbox/out")" "<two>"
expect "one build" is "$(calls_of ninja)" 1
expect "one says that it waits" grep -q "waiting for another" "$sandbox/err" "$sandbox/err1"

start "killed while building"
touch "$sandbox/slow"
PATH="$sandbox/bin" "$tree/heliolite" one >"$sandbox/out1" 2>"$sandbox/err1" </dev/null &
launcher=$!
sleep 0.5
kill -TERM "$launcher"
wait "$launcher"
expect "stopped" is "$?" 143
rm "$sandbox/slow"
run "$tree/heliolite" two
expect "the next call succeeds" is "$(cat "$sandbox/out")" "<two>"

start "a build folder that cannot be written"
HELIOLITE_BUILD_DIR=/proc/none run "$tree/heliolite" eval
expect "stops" is "$status" 3
expect "names the way out" says 'set HELIOLITE_BUILD_DIR'

start "a build folder elsewhere, options for cmake"
HELIOLITE_BUILD_DIR="$sandbox/other build" HELIOLITE_CMAKE_OPTIONS="-DA=1 -DB=2" run "$tree/heliolite" eval
expect "runs" is "$(cat "$sandbox/out")" "<eval>"
expect "options arrive" called 'cmake .*-DA=1 -DB=2'
expect "the tree is untouched" [ ! -e "$tree/build" ]

start "packages only"
run "$tree/heliolite" --packages bench ci
expect "installs those sections" called 'install .*clang-tidy .*libbenchmark-dev'
expect "and no other" not_called 'libgtest-dev'
expect "builds nothing" not_called '^cmake'
expect "succeeds" is "$status" 0
run "$tree/heliolite" eval
run "$tree/heliolite" --packages report
expect "what only some command needs" called 'install .*npm'
run "$tree/heliolite" eval
expect "the program is built again with it" is "$(calls_of ninja)" 2
run "$tree/heliolite" --packages cosa
expect "what only some strategy needs" called 'install .*coinor-libcbc-dev'
run "$tree/heliolite" --packages affine
expect "what only affine programs need" called 'install .*libisl-dev'
: >"$sandbox/calls"
run "$tree/heliolite" eval
expect "a library that came later is looked for" called '^cmake'
: >"$sandbox/calls"
run "$tree/heliolite" --packages affine
expect "what is there already is not installed again" not_called '^apt-get'
run "$tree/heliolite" eval
expect "but a library that was overlooked is looked for" called '^cmake'
expect "and the program is built with it" called '^ninja'

start "test"
run "$tree/heliolite" test
expect "installs the test packages too" called 'install .*libgtest-dev'
expect "but not those of CI" not_called 'install .*clang'
expect "builds the tests" called 'cmake .*HELIOLITE_TESTS=ON'
expect "leaves out the long ones" called 'ctest .*-LE long'
expect "an empty suite is a failure" called 'ctest .*--no-tests=error'
expect "ctest's exit code is passed on" is "$status" 8
run "$tree/heliolite" test --label long -R trie
expect "by label" called 'ctest .*-L ^long\$ -R trie'
expect "configured once" is "$(calls_of cmake)" 1
run "$tree/heliolite" test --label
expect "a label is needed" is "$status" 2
run "$tree/heliolite" test --help
expect "help" grep -q 'usage: ./heliolite test' "$sandbox/out"
: >"$sandbox/calls"
run "$tree/heliolite" map
expect "other commands need no rebuild after it" not_called '^ninja'

[ "$failures" = 0 ] && echo "launcher: all scenarios as expected"
exit "$((failures > 0))"
