#!/usr/bin/env bash
# One way for each: bits of masks are asked with contains(mask, i) and walked with `for (const int i : bits(mask))`,
# integers become indices with at(i) (engine/base/integers.h; the checker of proofs shares nothing with the engine). A
# comment says what it is about: it does not open with "Of .." or "The same ..". Tests of a folder are compiled as one
# source: each has a namespace of its own, so that no helper is taken for another's. Usage: idioms_test.sh <source root>
set -u
cd "$1" || exit 1
failures=0
folders=(engine arch workloads cli python)

# forbid PATTERN WHAT-INSTEAD
forbid() {
  local hit
  while IFS= read -r hit; do
    printf '%s: write %s\n' "$hit" "$2"
    failures=$((failures + 1))
  done < <(grep -rnE "$1" --include='*.h' --include='*.cpp' "${folders[@]}" | grep -v '^engine/base/integers\.h:')
}

forbid '>> [A-Za-z_.]+ & 1\b' 'contains(mask, i)'
forbid 'for \(.*[a-z_]+ &= [a-z_]+ - 1\) *\{?$' 'for (const int i : bits(mask))'
forbid '\[static_cast<std::size_t>' 'at(i)'
folders+=(include tools)
forbid '^ *// (Of|The same) ' 'what the comment is about'

for file in tests/*/*_test.cpp; do
  name=$(basename "$file" .cpp)
  if ! grep -qE "^namespace heliolite::(cli::)?$name \{\$" "$file"; then
    printf '%s: write namespace heliolite::%s\n' "$file" "$name"
    failures=$((failures + 1))
  fi
done

[ "$failures" = 0 ] && echo "idioms: one way for each"
exit "$((failures > 0))"
