#!/usr/bin/env bash
# No two headers of the engine define types of the same name: the linker would silently take one for the other. Nor do
# two sources of a library in the same namespace, which may come to stand in one source of a unity build.
# Usage: one_definition_test.sh <source root>
set -u
cd "$1" || exit 1

twice=$(grep -rhoE '^(struct|class|enum|enum class) [A-Z][A-Za-z0-9]+( final)?( :[^:]| \{)' engine arch workloads --include='*.h' |
  sed -E 's/^(struct|class|enum class|enum) ([A-Za-z0-9]+).*/\2/' | sort | uniq -d)
for name in $twice; do
  echo "$name is defined more than once:"
  grep -rnE "^(struct|class|enum|enum class) $name( final)?( :[^:]| \{)" engine arch workloads --include='*.h'
done

# The types of a library's sources: "namespace type".
types_of_sources() {
  find "$1" -name '*.cpp' -exec awk '
    FNR == 1 { space = "" }
    /^namespace [a-z_:]+ / && space == "" { space = $2 }
    /^(struct|class|enum class|enum) [A-Z][A-Za-z0-9]+( final)?( :[^:]| \{)/ {
      print space, $1 == "enum" && $2 == "class" ? $3 : $2
    }' {} +
}

for library in engine/*/ arch/ workloads/ cli/; do
  while read -r name; do
    echo "$library: $name is defined in two sources"
    twice+=" $name"
  done < <(types_of_sources "$library" | sort | uniq -d)
done
[ -z "$twice" ] && echo "types: every name is defined once"
[ -z "$twice" ]
