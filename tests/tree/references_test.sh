#!/usr/bin/env bash
# What code and documentation refer to can be opened: every page named is in the tree, every "rule N" is a rule of
# docs/cost_model.md, every rule of the searches named by letter and number is explained under docs/rules, every link of a
# page leads to a file. Usage: references_test.sh <source root>
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

[ "$failures" = 0 ] && echo "references: every page and rule can be opened"
exit "$((failures > 0))"
