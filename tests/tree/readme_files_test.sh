#!/usr/bin/env bash
# The READMEs of folders of sources end with the list of their files, each with the sentence that opens the file.
# Usage: readme_files_test.sh <source root> [--write], which writes the lists anew.
set -u
cd "$1" || exit 1
write=${2:-}
failures=0

# A file's opening sentence: the comment before its first #include, up to the first full stop. Not in a list are sources
# whose header is.
list() {
  local file
  printf '## Files\n\n'
  for file in "$1"/*.h "$1"/*.cpp; do
    [ -f "$file" ] || continue
    [[ $file == *.cpp && -f ${file%.cpp}.h ]] && continue
    awk -v name="${file##*/}" '
      /^#pragma once/ { next }
      !/^\/\// { exit }
      { sub("^// ?", ""); text = text (text == "" ? "" : " ") $0 }
      END {
        if (match(text, /[.:]( |$)/) && substr(text, RSTART, 1) == ".") text = substr(text, 1, RSTART - 1)
        else if (match(text, /\.( |$)/)) text = substr(text, 1, RSTART - 1)
        count = split("`" name "`: " (text == "" ? "?" : text), words, " ")
        line = "-"
        for (i = 1; i <= count; ++i) {
          if (length(line) + 1 + length(words[i]) > 120) { print line; line = " " }
          line = line " " words[i]
        }
        print line
      }' "$file"
  done
}

# Of every folder.
while IFS= read -r readme; do
  folder=$(dirname "$readme")
  wanted=$(list "$folder")
  if grep -q ': ?$' <<<"$wanted"; then
    printf '%s: files without an opening comment:\n%s\n' "$folder" "$(grep ': ?$' <<<"$wanted")"
    failures=$((failures + 1))
  fi
  [ "$(sed -n '/^## Files$/,$p' "$readme")" = "$wanted" ] && continue
  if [ "$write" = --write ]; then
    text=$(sed '/^## Files$/,$d' "$readme")
    printf '%s\n\n%s\n' "$text" "$wanted" >"$readme"
  else
    printf '%s: the list of files is not what the files say; %s . --write writes it anew\n' "$readme" "$0"
    failures=$((failures + 1))
  fi
done < <(find engine workloads arch cli tools -name README.md | sort)

[ "$failures" -eq 0 ] && echo "READMEs list the files of their folders"
[ "$failures" -eq 0 ]
