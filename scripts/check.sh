#!/usr/bin/env bash
# Folder rules, links of the pages, formatting, the reference of the headers and static analysis, in the order of their
# cost.
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

# What scripts/planted_bugs.sh plants still has its place.
planted() { patch -s -F0 -p1 --dry-run <tests/planted_bugs.patch; }

# Doxygen's warnings of the public headers.
reference() {
  cmake --preset release >/dev/null && cmake --build --preset release --target reference
}

# run-clang-tidy over the shipped sources (tests lean on macros), as a tree of its own tells how they are compiled: clang
# cannot read g++'s precompiled headers.
# linted TREE ON|OFF CHECKS: whether sources are bundled
linted() {
  cmake --preset release -B "$1" -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DCMAKE_UNITY_BUILD="$2" >/dev/null || return 1
  local log=$1/clang-tidy.log
  run-clang-tidy -quiet -p "$1" -j "$(nproc)" -checks="$3" \
    "^$(pwd -P)/($1/)?(runtime|models|collectives|actors|cli|bench|examples)/.*\.(cpp|cxx)$" >"$log" 2>&1 || {
    sed -E 's/\x1b\[[0-9;]*m//g' "$log" | grep -E '^[^ ]+:[0-9]+:[0-9]+: (warning|error):' | sort -u || tail -n 40 "$log"
    echo "the whole of it: $log"
    return 1
  }
}

# Each file by itself: what it does not include is seen.
alone() { linted build/alone OFF '-*,clang-diagnostic-*,readability-duplicate-include'; }

# In the bundles of the build, which read the same headers once.
tidy() { linted build/tidy ON -bugprone-suspicious-include; }

# The CUDA devices' own code by nvcc, and a program that is linked with it; what runs, runs where there is a GPU.
cuda() {
  local log=build/cuda-configure.log
  # AUTO says why it is off.
  cmake --preset cuda -DTROUPE_CUDA=AUTO -DTROUPE_CUDA_WERROR=ON >"$log" || {
    cat "$log"
    return 1
  }
  if grep -q 'Without CUDA devices' "$log"; then
    echo "check: cuda skipped: $(grep 'Without CUDA devices' "$log")"
    return
  fi
  cmake --build --preset cuda && ctest --preset cuda
}

timed folders ./scripts/check_folders.sh
timed links ./scripts/check_links.py
timed format format
timed "planted bugs" planted
timed reference reference
timed includes alone
timed clang-tidy tidy
timed cuda cuda
