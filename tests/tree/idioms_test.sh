#!/usr/bin/env bash
# One way for each: bits of masks are asked with contains(mask, i) and walked with `for (const int i : bits(mask))`,
# integers become indices with at(i) (engine/base/integers.h). Usage: idioms_test.sh <source root>
set -u
cd "$1" || exit 1
failures=0

# forbid PATTERN WHAT-INSTEAD
forbid() {
  local hit
  while IFS= read -r hit; do
    printf '%s: write %s\n' "$hit" "$2"
    failures=$((failures + 1))
  done < <(grep -rnE "$1" --include='*.h' --include='*.cpp' engine arch workloads cli | grep -v '^engine/base/integers\.h:')
}

forbid '>> [A-Za-z_.]+ & 1\b' 'contains(mask, i)'
forbid 'for \(.*[a-z_]+ &= [a-z_]+ - 1\) *\{?$' 'for (const int i : bits(mask))'
forbid '\[static_cast<std::size_t>' 'at(i)'

[ "$failures" = 0 ] && echo "idioms: one way for each"
exit "$((failures > 0))"
