#!/usr/bin/env bash
# Runs the commands that stand in README.md ("$ map ..") and compares what they print with what stands below them there.
# Usage: check.sh <folder of the programs>
set -u
programs=$(cd "$1" && pwd) || exit 1
cd "$(dirname "$0")" || exit 1
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

# Each block that begins with a command: the command in N.command, the rest in N.expected.
awk -v folder="$scratch" '
  /^```/ { inside = !inside; begins = inside; next }
  inside && begins { shown = sub(/^\$ /, ""); begins = 0
    if (shown) { ++n; print > (folder "/" n ".command"); printf "" > (folder "/" n ".expected"); next } }
  inside && shown { print > (folder "/" n ".expected") }' README.md
cp ./*.yaml "$scratch"
cd "$scratch" || exit 1

commands=0 failures=0
for file in [0-9]*.command; do
  [ -f "$file" ] || break
  commands=$((commands + 1))
  read -r command <"$file"
  # shellcheck disable=SC2086  # words
  "$programs"/$command >printed 2>complaints && diff -u "${file%.command}.expected" printed && continue
  echo "README.md shows something else for: $command"
  cat complaints
  failures=$((failures + 1))
done
[ "$commands" -ge 4 ] || { echo "README.md shows only $commands commands"; exit 1; }
[ "$failures" = 0 ] && echo "examples: $commands commands print what README.md shows"
exit "$((failures > 0))"
