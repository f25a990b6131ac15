#!/usr/bin/env bash
# What code and documentation refer to can be opened: every page named is in the tree, every "rule N" is a rule of
# docs/cost_model.md, every rule of the searches named by letter and number is explained under docs/rules, every link of a
# page and every source named leads to a file. Lines of pages have at most 120 columns.
# Usage: references_test.sh <source root>
set -u
cd "$1" || exit 1
failures=0
complain() {
  printf '%s\n' "$1"
  failures=$((failures + 1))
}

texts() { find . \( -name build -o -name 'build-*' -o -name .git -o -name node_modules \) -prune -o -type f "$@" -print; }
mapfile -t sources < <(texts \( -name '*.h' -o -name '*.cpp' -o -name '*.js' -o -name '*.sh' -o -name '*.yaml' \
  -o -name CMakeLists.txt \) | sed 's|^\./||')
mapfile -t pages < <(texts -name '*.md' | sed 's|^\./||')

# Pages: as a path from the root, or as the name of a file anywhere in the tree.
while IFS=: read -r file line page; do
  page=${page#/../}
  [ -f "$page" ] && continue
  [[ $page != */* ]] && find . -name "$page" -not -path './build*' | grep -q . && continue
  complain "$file:$line: there is no page $page"
done < <(grep -noE '[A-Za-z0-9_/.]+\.md\b' "${sources[@]}")

# Rules by number: "rule 7", "rules 9-11", "Rules 19, 20 and 23".
while IFS=: read -r file line text; do
  while read -r number; do
    grep -q "^\*\*Rule $number\. " docs/cost_model.md || complain "$file:$line: docs/cost_model.md has no rule $number"
  done < <(grep -oE '[0-9]+' <<<"$text")
done < <(grep -noE "\b[Rr]ules? [0-9]+((, | and | to |-)[0-9]+)*" "${sources[@]}" "${pages[@]}")

# Rules of the searches: O1 (orders), T1 (tiles), S1a (spatial), A1 (alpha-beta), M1 (memories).
while IFS=: read -r file line rule; do
  grep -qE "\b${rule##* }\b" docs/rules/*.md || complain "$file:$line: no page of docs/rules explains ${rule##* }"
done < <(grep -noE '\b[Rr]ule [A-Z][0-9]\b' "${sources[@]}")

# Links of pages.
while IFS=: read -r file line link; do
  target=${link#*(}
  target=${target%%[)#]*}
  [ -z "$target" ] || [[ $target == http* ]] || [ -e "$(dirname "$file")/$target" ] || complain "$file:$line: $target does not exist"
done < <(grep -noE '\]\([^) ]+\)' "${pages[@]}")

# Sources, by path or by the end of one: "engine/search/map.h", "core/answer.h", "map.h". Not those of libraries, which
# stand in <>, nor patterns such as "store_*.h"; CMake looks after its own.
while IFS= read -r complaint; do
  complain "$complaint"
done < <(
  {
    texts \( -name '*.h' -o -name '*.cpp' -o -name '*.h.in' -o -name '*.cpp.in' \)
    echo
    printf '%s\0' "${sources[@]}" "${pages[@]}" | grep -zv CMakeLists |
      xargs -0 grep -HnoE "(^|[^<>A-Za-z0-9_/.*{}\$-])(\.\./)*[A-Za-z0-9_][A-Za-z0-9_/-]*\.(h|cpp)\b"
  } | awk '
    /^$/ { hits = 1; next }
    !hits { sub("\\.in$", ""); while (sub("^[^/]*/", "")) known[$0] = 1; next }
    { split($0, part, ":"); name = $0; sub("^[^:]*:[^:]*:", "", name); sub("^[^A-Za-z0-9_.]", "", name)
      gsub("\\.\\./", "", name)
      if (!(name in known)) printf "%s:%s: there is no source %s\n", part[1], part[2], name }'
)

# Lines of pages. Rows of tables cannot be broken, nor can a line that is one word, such as a link.
while IFS=: read -r file line text; do
  complain "$file:$line: more than 120 columns"
done < <(LC_ALL=C.UTF-8 grep -nE '^.{121,}$' /dev/null "${pages[@]}" | grep -vE '^[^:]*:[0-9]*: *(\||[^ ]+$)')

[ "$failures" = 0 ] && echo "references: every page, rule and source can be opened"
exit "$((failures > 0))"
