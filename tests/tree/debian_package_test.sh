#!/usr/bin/env bash
# The Debian package: what `cmake --install` installs is in it, and unpacked in an empty folder it works by itself.
# Usage: debian_package_test.sh <build folder, with everything built> <empty folder, or one that does not exist yet>
# Leaves the unpacked package in <folder>/root.
set -u
public=$(cd "$(dirname "$0")/../../include" && find . -name '*.h' | sort) || exit 1
build=$(cd "$1" && pwd) && mkdir -p "$2" && scratch=$(cd "$2" && pwd) || exit 1
failures=0
complain() {
  printf '%s\n' "$1"
  failures=$((failures + 1))
}
# expect WHAT PATTERN COMMAND...: the command succeeds and prints the pattern.
expect() {
  local what=$1 pattern=$2
  shift 2
  "$@" >"$scratch/output" 2>&1 || complain "$what: exit code $?: $(tail -n 3 "$scratch/output")"
  grep -qE -- "$pattern" "$scratch/output" || complain "$what: does not print '$pattern': $(head -n 3 "$scratch/output")"
}
files_of() { (cd "$1" && find . \( -type f -o -type l \) | sort); }

# cpack writes into the folder of its configuration, too: here all of it goes to the scratch folder.
(cd "$scratch" && cpack -G DEB --config "$build/CPackConfig.cmake" -B "$scratch/package" >log 2>&1) ||
  { cat "$scratch/log"; exit 1; }
package=("$scratch"/package/heliolite_*.deb)
[ -f "${package[0]}" ] || { echo "cpack made no package heliolite_*.deb"; exit 1; }
root=$scratch/root
dpkg-deb -x "${package[0]}" "$root" || exit 1

cmake --install "$build" --prefix "$scratch/installed" >/dev/null || exit 1
{ files_of "$scratch/installed"; echo ./share/doc/heliolite/copyright; } | sort >"$scratch/expected"
files_of "$root/usr" >"$scratch/packed"
diff "$scratch/expected" "$scratch/packed" || complain "installed (<) and packed (>) files differ"
[ "$(files_of "$root/usr/include")" = "$public" ] || complain "other headers than the public ones are packed"
find "$root" \( -type d ! -perm 755 -o -type f ! -perm 644 ! -perm 755 \) >"$scratch/modes"
[ -s "$scratch/modes" ] && complain "neither 644 nor 755: $(head -n 3 "$scratch/modes")"
depends=$(dpkg-deb -f "${package[0]}" Depends)
needed=(libc6 libyaml-cpp libtbb libsqlite3)
python=$root/usr/lib/python3/dist-packages
if [ -d "$python" ]; then needed+=("python3 (>= "); fi
for library in "${needed[@]}"; do
  [[ ", $depends" == *", $library"* ]] || complain "does not depend on $library: $depends"
done

# As on another machine: nothing of the build is on a path, no home, an empty folder to be in.
mkdir -p "$scratch/home" && cd "$scratch/home" || exit 1
# shellcheck disable=SC2317  # expect calls it
clean() { env -i HOME="$scratch/home" PATH=/usr/bin:/bin "$@"; }
program=$root/usr/bin/heliolite
expect "--version" '^heliolite 0\.' clean "$program" --version
expect "show" 'resnet18' clean "$program" show
expect "map" 'optimal' clean "$program" map -a eyeriss -w gemm:64x64x64
presets=$root/usr/share/heliolite
expect "map with copies of presets" 'optimal' \
  clean "$program" map -a "$presets/architectures/eyeriss.yaml" -w "$presets/workloads/conv_pair.yaml"
for preset in "$presets"/architectures/*.yaml "$presets"/workloads/*.yaml; do
  schema=$(sed -n '1s/^# yaml-language-server: .schema=//p' "$preset")
  # The config of a language model is in the format of model hubs.
  if [[ -z $schema ]] && grep -q '^model_type:' "$preset"; then continue; fi
  [[ -f ${preset%/*}/$schema && $schema == *.json ]] || complain "$preset names no schema that is there: '$schema'"
done
expect "completion" "^_heliolite_commands='map " cat "$root/usr/share/bash-completion/completions/heliolite"
expect "manual page" '^.TH HELIOLITE.*MAP 1 ' cat "$root/usr/share/man/man1/heliolite-map.1"
expect "ldd" 'libtbb' clean ldd "$program"
grep 'not found' "$scratch/output" && complain "the program misses libraries"
if [ -d "$python" ]; then
  expect "import heliolite" "^$python/heliolite/__init__.py [0-9]+\$" \
    clean PYTHONPATH="$python" PYTHONDONTWRITEBYTECODE=1 python3 -c '
import heliolite as hl
print(hl.__file__, hl.map("gemm:64x64x64", "eyeriss").cycles)'
fi

[ "$failures" = 0 ] && echo "Debian package: $(basename "${package[0]}"), $(files_of "$root" | wc -l) files, works unpacked"
exit "$((failures > 0))"
