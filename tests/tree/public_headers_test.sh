#!/usr/bin/env bash
# The installed headers: they are those of include/heliolite and no others, and each compiles alone, with the example in
# its comment, with no other include folder. What they declare is used as heliolite::.., by any source alone.
# Usage: public_headers_test.sh <build folder> <C++ compiler>
set -u
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
failures=0
complain() {
  printf '%s\n' "$1"
  failures=$((failures + 1))
}

source=$(cd "$(dirname "$0")/../.." && pwd)
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
rm -f alone

# All of them are in the header of everything, and nothing else is there.
(cd "$source/include" && find . -name '*.h' | sort) >"$scratch/public"
find . -type f | sort | diff "$scratch/public" - || complain "public (<) and installed (>) headers differ"
for header in heliolite/*.h; do
  [ "$header" = heliolite/heliolite.h ] || grep -qF "<$header>" heliolite/heliolite.h ||
    complain "heliolite/heliolite.h lacks $header"
done

[ "$failures" = 0 ] && echo "public headers: each of $(wc -l <"$scratch/public") compiles alone"
exit "$((failures > 0))"
