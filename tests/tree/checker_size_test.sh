#!/usr/bin/env bash
# The checker of proofs stays a program for an afternoon: at most 2,000 lines of sources, comments and blank ones
# included, of nothing but the standard library. Usage: checker_size_test.sh <source root>
set -u
cd "$1/tools/check_proof" || exit 1
failures=0

# fail WHAT
fail() {
  printf 'tools/check_proof: %s\n' "$1"
  failures=$((failures + 1))
}

mapfile -t sources < <(find . -type f ! -name README.md ! -name CMakeLists.txt)
lines=$(cat "${sources[@]}" | wc -l)
[ "$lines" -le 2000 ] || fail "$lines lines, 2000 at most"
while IFS= read -r other; do fail "nothing but the standard library: $other"; done \
  < <(grep -nE '^ *#' "${sources[@]}" | grep -vE '#pragma once|#include (<[a-z_]+>|"check_proof/[a-z]+\.h")$')

[ "$failures" = 0 ] && echo "checker: $lines lines"
exit "$((failures > 0))"
