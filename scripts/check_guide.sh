#!/usr/bin/env bash
# Whether docs/guide.md and docs/tutorial.md show their programs as they are: after each line `<!-- NAME.cpp -->` comes
# examples/guide/NAME.cpp or examples/tutorial/NAME.cpp.
#   check_guide.sh [--write]   --write: makes it so
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

check() { # PAGE: guide or tutorial
  local made page=docs/$1.md
  made=$(awk -v folder="examples/$1/" '
  /^<!-- .*\.cpp -->$/ {
    print $0 "\n\n```cpp"
    file = folder $2
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
  { print }' "$page")
  if [[ $write == --write ]]; then
    printf '%s\n' "$made" >"$page"
  else
    diff -u "$page" - <<<"$made" || { echo "run: $0 --write" >&2; return 1; }
  fi
}

write=${1:-}
check guide
check tutorial
