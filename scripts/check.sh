#!/usr/bin/env bash
# Formatting, folder rules and static analysis, in the order of their cost.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

./scripts/install-deps.sh --dev

timed() {
  local start=$SECONDS
  echo "check: $1"
  "${@:2}" || {
    echo "check: $1 failed" >&2
    exit 1
  }
  echo "check: $1 passed in $((SECONDS - start)) s"
}

format() {
  git ls-files -z --cached --others --exclude-standard -- '*.hpp' '*.cpp' '*.cu' |
    xargs -0 clang-format --dry-run -Werror
}

# The sources that are shipped: tests lean on macros. The compiler's commands come from a tree of its own, where each file
# is compiled by itself: clang cannot read g++'s precompiled headers, and what a file does not include is seen.
tidy() {
  cmake --preset release -B build/tidy -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DCMAKE_UNITY_BUILD=OFF >/dev/null || return 1
  local log=build/tidy/clang-tidy.log
  run-clang-tidy -quiet -p build/tidy -j "$(nproc)" \
    "^$(pwd -P)/(runtime|models|collectives|actors|cli|bench|examples)/.*\.cpp$" >"$log" 2>&1 || {
    sed -E 's/\x1b\[[0-9;]*m//g' "$log" | grep -E '^[^ ]+:[0-9]+:[0-9]+: (warning|error):' | sort -u || tail -n 40 "$log"
    echo "the whole of it: $log"
    return 1
  }
}

timed folders ./scripts/check_folders.sh
timed format format
timed clang-tidy tidy
