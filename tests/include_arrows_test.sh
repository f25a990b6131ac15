#!/usr/bin/env bash
# The arrows of docs/design.md: which folder may include which, and where each library may be used and files opened. And
# that every source includes its own header first, which shows that the header is complete.
# Usage: include_arrows_test.sh <source root>
set -u
cd "$1" || exit 1
failures=0

# may_include FOLDER ALLOWED-FOLDER...: quoted includes of FOLDER's files.
may_include() {
  local folder=$1 hit target allowed
  shift
  while IFS= read -r hit; do
    target=${hit#*\"}
    target=${target%\"*}
    target=${target%/*}
    for allowed in "$folder" "$@"; do
      [ "$target" = "$allowed" ] && continue 2
    done
    printf '%s: %s may include only: %s\n' "$hit" "$folder" "$folder $*"
    failures=$((failures + 1))
  done < <(grep -nE '^ *# *include "[^"]*/' "$folder"/*.h "$folder"/*.cpp /dev/null 2>/dev/null)
}

# only_in PATTERN REGEX-OF-FILES: angle-bracket includes of a library.
only_in() {
  local hit
  while IFS= read -r hit; do
    [[ ${hit%%:*} =~ ^($2)$ ]] && continue
    printf '%s: allowed only in %s\n' "$hit" "$2"
    failures=$((failures + 1))
  done < <(grep -rnE "^ *# *include [<\"]($1)" --include='*.h' --include='*.cpp' engine arch workloads cli tests bench)
}

may_include engine/base
may_include workloads engine/base
may_include arch engine/base
may_include engine/model engine/base workloads arch
may_include engine/space engine/base workloads arch engine/model
may_include engine/search engine/base workloads arch engine/model engine/space engine/bounds
may_include engine/verify engine/base workloads arch engine/model engine/space engine/bounds engine/search
may_include engine/bounds engine/base workloads arch engine/model engine/space
may_include engine/sweep engine/base workloads arch engine/model engine/space engine/search engine/bounds
may_include engine/report engine/base workloads arch engine/model engine/space engine/search engine/bounds engine/sweep

for folder in engine/*/ workloads/ arch/; do
  grep -q "^may_include ${folder%/}\b" "$0" || { echo "${folder%/} has no rule here"; failures=$((failures + 1)); }
done

for source in engine/*/*.cpp arch/*.cpp workloads/*.cpp cli/*.cpp; do
  header=${source%.cpp}.h
  [ ! -f "$header" ] || grep -m1 '^#include' "$source" | grep -qF "\"$header\"" || {
    echo "$source does not include its own header first"
    failures=$((failures + 1))
  }
done

tests='tests/.*'
only_in 'yaml-cpp/' 'engine/base/yaml_node\.cpp'
only_in '(tbb|oneapi)/' "engine/search/parallel.*|$tests"
only_in 'sqlite3' "engine/sweep/store.*"
only_in 'muParser' 'engine/sweep/expression\.cpp'
only_in 'boost/graph/' "engine/space/dot_graph\.cpp|workloads/.*|engine/bounds/.*|$tests"
only_in 'nlohmann/' "cli/.*|engine/verify/.*|engine/sweep/.*|engine/report/.*|$tests"
only_in 'CLI/' 'cli/.*'
only_in '(gtest|gmock|rapidcheck)' "$tests"
only_in 'benchmark/' 'bench/.*'
# Who opens files asks FileClaims; the others go through them.
doors='engine/base/file_.*|engine/verify/line_reader\.h|engine/sweep/store_.*|cli/file_writer\.cpp'
only_in '(fstream|fcntl\.h)>' "$doors|$tests|bench/.*"
while IFS= read -r hit; do
  [[ ${hit%%:*} =~ ^($doors)$ ]] && continue
  printf '%s: files are opened only in %s\n' "$hit" "$doors"
  failures=$((failures + 1))
done < <(grep -rnwE 'fopen|freopen|tmpfile|mkstemp' --include='*.h' --include='*.cpp' engine arch workloads cli)

[ "$failures" = 0 ] && echo "includes: all arrows point the right way"
exit "$((failures > 0))"
