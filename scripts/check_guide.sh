#!/usr/bin/env bash
# Checks that docs/guide.md shows its programs unchanged: the text of FILE.cpp (relative to examples/guide) follows each
# line `<!-- FILE.cpp -->`.
#   check_guide.sh [--write]   --write: updates the page
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

made=$(awk '
  /^<!-- .*\.cpp -->$/ {
    print $0 "\n\n```cpp"
    file = "examples/guide/" $2
    while ((got = (getline line < file)) > 0) print line
    if (got < 0) { print "check_guide: missing file: " file > "/dev/stderr"; exit 1 }
    print "```"
    old = "before"
    next
  }
  old == "inside" { if (/^```$/) old = ""; next }
  old == "before" && /^$/ { next }
  old == "before" && /^```cpp$/ { old = "inside"; next }
  old == "before" { old = ""; print "" }
  { print }' docs/guide.md)
if [[ ${1:-} == --write ]]; then
  printf '%s\n' "$made" >docs/guide.md
else
  diff -u docs/guide.md - <<<"$made" || { echo "run: $0 --write" >&2; exit 1; }
fi
