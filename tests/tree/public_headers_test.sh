#!/usr/bin/env bash
# The installed headers: every one of include/heliolite compiles alone, with the example in its comment, and needs no
# other include folder; and nothing is installed that they do not include.
# Usage: public_headers_test.sh <build folder> <C++ compiler>
set -u
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
failures=0
complain() {
  printf '%s\n' "$1"
  failures=$((failures + 1))
}

cmake --install "$1" --component headers --prefix "$scratch" >/dev/null || exit 1
cd "$scratch/include" || exit 1

# The example: the lines of the first comment that are indented.
for header in heliolite/*.h; do
  {
    printf '#include <%s>\n#include <cstdio>\nvoid example();\nvoid example() {\n' "$header"
    sed -n '/^#include/q; s|^//   ||p' "$header"
    printf '}\n'
  } >alone
  grep -q 'heliolite::' alone || complain "$header shows no example"
  "$2" -std=c++20 -fsyntax-only -I. -x c++ alone || complain "$header does not compile alone"
done

# What the compiler opens for all of them, against what is there.
printf '#include <%s>\n' heliolite/*.h >all
"$2" -std=c++20 -MM -I. -x c++ all | grep -oE 'heliolite/[A-Za-z0-9_/.]+\.h' | sort -u >opened
find heliolite -type f | sort >installed
diff opened installed || complain "installed headers (>) and those that the public ones include (<) differ"
[ "$(grep -c '^heliolite/internal/' installed)" -gt 20 ] || complain "no internal headers are installed"
! grep -q 'search/exact/expand\.h' installed || complain "the inside of the exact search is installed"

[ "$failures" = 0 ] && echo "public headers: each compiles alone, $(wc -l <installed) files are installed"
exit "$((failures > 0))"
