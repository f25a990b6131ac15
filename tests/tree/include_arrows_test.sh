#!/usr/bin/env bash
# The arrows of docs/design.md: which folder may include which, and where each library may be used and files opened. That
# every source includes its own header first, which shows that the header is complete. That every folder says in a
# README.md what lives there.
# Usage: include_arrows_test.sh <source root>
set -u
cd "$1" || exit 1
failures=0

# check FOLDER ALLOWED...: quoted includes of its files are of allowed folders, or of folders in them; "F/."
# are the files that stand directly in F.
check() {
  local who=$1 files=("$1") hit target allowed
  shift
  [[ $who == */. ]] && files=("${who%/.}" -maxdepth 1)
  while IFS= read -r hit; do
    target=${hit#*\"}
    target=${target%\"*}
    for allowed in "$@"; do
      case $allowed in
        */.) [ "${target%/*}" = "${allowed%/.}" ] && continue 2 ;;
        *) [[ $target == "$allowed"/* ]] && continue 2 ;;
      esac
    done
    printf '%s: %s may include only: %s\n' "$hit" "$who" "$*"
    failures=$((failures + 1))
  done < <(find "${files[@]}" \( -name '*.h' -o -name '*.cpp' \) -exec grep -nE '^ *# *include "[^"]*/' /dev/null {} +)
}

# may_include FOLDER ALLOWED-FOLDER...: of FOLDER and all folders in it.
may_include() { check "$1" "$@"; }

# room NAME ALLOWED...: of a folder in a folder, which its may_include sees as one. "F/." are the files directly in F.
room() { check "$1" "$@" "${below[@]}"; }

# only_in PATTERN REGEX-OF-FILES: angle-bracket includes of a library.
only_in() {
  local hit
  while IFS= read -r hit; do
    [[ ${hit%%:*} =~ ^($2)$ ]] && continue
    printf '%s: allowed only in %s\n' "$hit" "$2"
    failures=$((failures + 1))
  done < <(grep -rnE "^ *# *include [<\"]($1)" --include='*.h' --include='*.cpp' engine arch workloads cli python tests bench)
}

below=(engine/base)
may_include engine/base
may_include engine/inputs "${below[@]}"
below+=(engine/inputs)
may_include workloads "${below[@]}"
may_include arch "${below[@]}"
below+=(workloads arch)
may_include engine/model "${below[@]}"
room engine/model/true_counts engine/model/.
below+=(engine/model)
may_include engine/space "${below[@]}"

below+=(engine/space)
may_include engine/network "${below[@]}"
may_include engine/formats "${below[@]}"
formats=engine/formats
room $formats/timeloop
room $formats/onnx
room $formats/language_model
room $formats/accelforge
room $formats/. $formats/timeloop $formats/onnx $formats/language_model $formats/accelforge

may_include engine/bounds "${below[@]}"
bounds=engine/bounds
room $bounds/hbl $bounds/.
room $bounds/conv $bounds/. $bounds/hbl
room $bounds/segment $bounds/. $bounds/hbl $bounds/conv
room $bounds/tiling $bounds/. $bounds/segment
room $bounds/curve
room $bounds/fusion $bounds/curve
room $bounds/network $bounds/segment
room $bounds/published $bounds/. $bounds/conv

below+=(engine/bounds)
may_include engine/execution "${below[@]}"
below+=(engine/network)
may_include engine/search "${below[@]}"
search=engine/search
room $search/core
room $search/certify $search/core
room $search/exact $search/core $search/certify
room $search/uneven $search/core $search/exact
room $search/climb $search/core
room $search/sunstone $search/core $search/climb
room $search/baseline $search/core
room $search/cosa $search/core
room $search/all_tiles $search/core $search/certify $search/climb
room $search/bayes $search/core $search/baseline
room $search/network $search/core
room $search/. $search/core $search/certify $search/exact $search/uneven $search/sunstone $search/all_tiles \
  $search/baseline $search/bayes $search/cosa $search/network
room $search/sensitivity $search/. $search/core $search/bayes $search/baseline
room $search/co_search $search/. $search/core $search/exact $search/sunstone
room $search/fused $search/. $search/core $search/network
room $search/scheduling $search/. $search/core $search/network $search/fused
room $search/study $search/. $search/core $search/sunstone $search/network $search/fused $search/scheduling

may_include engine/proof "${below[@]}" engine/search

may_include engine/program "${below[@]}"
room engine/program/bound engine/program/.

below+=(engine/search engine/formats)
may_include engine/verify "${below[@]}"
may_include engine/sweep "${below[@]}"
below+=(engine/sweep)
may_include engine/report "${below[@]}"
may_include engine/api "${below[@]}"

below+=(engine/report engine/verify engine/program engine/execution engine/proof)
may_include cli "${below[@]}"
room cli/ui
room cli/map cli/ui
room cli/show cli/ui
room cli/verify cli/ui
room cli/bench cli/ui cli/map
room cli/space cli/ui cli/map
room cli/bound cli/ui cli/map
room cli/execute cli/ui
room cli/shell cli/ui
room cli/mcp cli/ui cli/shell
room cli/convert cli/ui cli/map cli/bench cli/bound
room cli/schema cli/ui cli/bench cli/bound cli/convert
room cli/sweep cli/ui cli/map

may_include python "${below[@]}" engine/api

# The checker of proofs shares nothing with what it checks, and needs nothing but the standard library.
may_include tools check_proof
while IFS= read -r hit; do
  printf '%s: the checker may include only itself and the standard library\n' "$hit"
  failures=$((failures + 1))
done < <(grep -rnE --include='*.h' --include='*.cpp' '^ *# *include' tools |
         grep -vE 'include (<[a-z_0-9]+>|"check_proof/[a-z_0-9]+\.h")')

# Public headers know each other and the standard library alone; examples are written with them.
may_include include
may_include examples
while IFS= read -r hit; do
  printf '%s: public headers may include only <heliolite/..> and the standard library\n' "$hit"
  failures=$((failures + 1))
done < <(grep -rnE --include='*.h' '^ *# *include' include | grep -vE 'include <(heliolite/[a-z_]+\.h|[a-z_]+)>')

for folder in engine/*/ workloads/ arch/ cli/ include/ examples/ python/; do
  grep -q "^may_include ${folder%/}\b" "$0" || { echo "${folder%/} has no rule here"; failures=$((failures + 1)); }
done
for folder in engine/search/*/ engine/bounds/*/ engine/formats/*/ engine/program/*/ cli/*/; do
  name=${folder%/}
  grep -qE "^room .?(engine/)?(${name#engine/})\b" "$0" || { echo "$name has no rule here"; failures=$((failures + 1)); }
done

for folder in engine/*/ engine/search/*/ engine/bounds/*/ engine/formats/*/ engine/program/*/ tools/*/ workloads/ arch/ cli/ cli/*/ include/ examples/ python/ tests/ bench/; do
  [ -f "$folder"README.md ] || { echo "${folder%/} has no README.md"; failures=$((failures + 1)); }
done

while IFS= read -r source; do
  header=${source%.cpp}.h
  [ ! -f "$header" ] || grep -m1 '^#include' "$source" | grep -qF "\"$header\"" || {
    echo "$source does not include its own header first"
    failures=$((failures + 1))
  }
done < <(find engine arch workloads cli python -name '*.cpp')

tests='tests/.*'
only_in 'yaml-cpp/' 'engine/base/yaml_builder\.cpp'
only_in '(Cbc|Cgl|Coin|Osi|Clp)' 'engine/search/cosa/cbc_solver\.cpp'
only_in '(tbb|oneapi)/' "engine/search/core/parallel.*|$tests"
only_in 'sqlite3' "engine/sweep/store.*"
only_in 'muParser' 'engine/sweep/design_points\.cpp'
only_in 'boost/graph/' "engine/space/dot_graph\.cpp|workloads/.*|engine/bounds/.*|$tests"
only_in 'nlohmann/' "cli/.*|engine/verify/.*|engine/sweep/.*|engine/report/.*|$tests"
only_in 'CLI/' 'cli/.*'
only_in 'Eigen/' "engine/search/bayes/.*|engine/search/exact/ordering_bound\.cpp|$tests"
only_in '(isl|ginac)/' "engine/program/.*|$tests"
only_in 'nlopt' 'engine/search/bayes/gaussian_process\.cpp'
only_in 'zlib' "engine/proof/proof_file\.cpp|$tests"
only_in '(gtest|gmock|rapidcheck)' "$tests"
only_in 'benchmark/' 'bench/.*'
only_in 'heliolite/result' "engine/base/result\.h|engine/api/.*|$tests"
only_in 'heliolite/version' "engine/base/version\.cpp|engine/api/.*|cli/.*|python/bindings/.*|$tests"
only_in 'heliolite/(re[^s]|[^rv])' "engine/api/.*|python/bindings/schedules\.cpp|$tests"
only_in 'pybind11/' 'python/bindings/.*'
# Who opens files asks FileClaims; the others go through them.
doors='engine/base/file_.*|engine/verify/json_record\.h|engine/sweep/store_.*|cli/ui/output\.cpp'
pipes='engine/base/child_process\.cpp'
only_in '(fstream|fcntl\.h)>' "$doors|$pipes|$tests|bench/.*"
while IFS= read -r hit; do
  [[ ${hit%%:*} =~ ^($doors)$ ]] && continue
  printf '%s: files are opened only in %s\n' "$hit" "$doors"
  failures=$((failures + 1))
done < <(grep -rnwE 'fopen|freopen|tmpfile|mkstemp' --include='*.h' --include='*.cpp' engine arch workloads cli python)

[ "$failures" = 0 ] && echo "includes: all arrows point the right way"
exit "$((failures > 0))"
