#!/usr/bin/env bash
# Builds the tests from a copy of the sources with planted bugs (tests/planted_bugs.patch), and checks that the intended
# tests detect each bug: scripts/planted_bugs.sh [BUG...]. Prints how each bug was detected.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

source=build/planted/source
build=build/planted/build
patch=tests/planted_bugs.patch
schedules='*whatever dies*'
checkpoints='*checkpoint*'

# Prints the test program for a bug and the filter of the test cases that must detect the bug.
tests_of() {
  case $1 in
    no_fsync) echo test_models "$checkpoints" ;;
    *) echo test_actors "$schedules" ;;
  esac
}

run() { # BUG; empty for none
  local program cases
  read -r program cases <<<"$(tests_of "${1:-}")"
  TROUPE_PLANTED_BUG=$1 timeout 600 "$build/bin/$program" -tc="$cases" 2>&1
}

mapfile -t bugs < <(grep -oP '^\+  \K\w+(?=, +///<)' $patch)
(($#)) && bugs=("$@")

rm -rf "$source"
mkdir -p "$source"
git ls-files -z --cached --others --exclude-standard | tar -c --ignore-failed-read --null -T - 2>/dev/null |
  tar -x -C "$source"
patch -s -F0 -d "$source" -p1 <"$patch"
cmake -S "$source" --preset release -B "$build" \
  -DCMAKE_CXX_FLAGS="-include $PWD/$source/runtime/planted_bug.hpp" >/dev/null
cmake --build "$build" --target test_actors test_models -j 2

for program in actors models; do
  "$build/bin/test_$program" -tc="$([[ $program == models ]] && echo "$checkpoints" || echo "$schedules")" >/dev/null ||
    { echo "test_$program fails without a planted bug" >&2; exit 1; }
done

missed=0
for bug in "${bugs[@]}"; do
  told=$(run "$bug") || true
  if how=$(grep -m1 ERROR <<<"$told"); then
    echo "$bug: caught: $(cut -c1-200 <<<"$how")"
  else
    echo "$bug: NOT CAUGHT"
    missed=1
  fi
done
exit $missed
