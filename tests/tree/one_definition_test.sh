#!/usr/bin/env bash
# No two headers of the engine define types of the same name: the linker would silently take one for the other.
# Usage: one_definition_test.sh <source root>
set -u
cd "$1" || exit 1

twice=$(grep -rhoE '^(struct|class|enum|enum class) [A-Z][A-Za-z0-9]+( final)?( :[^:]| \{)' engine arch workloads --include='*.h' |
  sed -E 's/^(struct|class|enum class|enum) ([A-Za-z0-9]+).*/\2/' | sort | uniq -d)
for name in $twice; do
  echo "$name is defined more than once:"
  grep -rnE "^(struct|class|enum|enum class) $name( final)?( :[^:]| \{)" engine arch workloads --include='*.h'
done
[ -z "$twice" ] && echo "types: every name is defined once"
[ -z "$twice" ]
