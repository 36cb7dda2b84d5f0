#!/usr/bin/env bash
# Checks folder rules, links in the pages, formatting, the reference of the headers, and runs static analysis. Cheap
# checks run first.
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

# Checks that the patch of scripts/planted_bugs.sh still applies.
planted() { patch -s -F0 -p1 --dry-run <tests/planted_bugs.patch; }

# Checks that Doxygen has no warnings about the public headers.
reference() {
  cmake --preset release >/dev/null && cmake --build --preset release --target reference
}

# Runs run-clang-tidy over the shipped sources (tests use many macros). A separate build tree provides the compile
# commands, because clang cannot read g++'s precompiled headers.
# linted TREE ON|OFF CHECKS; ON or OFF selects whether sources are bundled. models/torch is left out, because clang 14
# cannot compile headers of libtorch 1.13.
linted() {
  cmake --preset release -B "$1" -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DCMAKE_UNITY_BUILD="$2" >/dev/null || return 1
  local log=$1/clang-tidy.log
  run-clang-tidy -quiet -p "$1" -j "$(nproc)" -checks="$3" \
    "^$(pwd -P)/($1/)?(runtime|models(?!/torch)|collectives|actors|cli|bench|examples)/.*\.(cpp|cxx)$" >"$log" 2>&1 || {
    sed -E 's/\x1b\[[0-9;]*m//g' "$log" | grep -E '^[^ ]+:[0-9]+:[0-9]+: (warning|error):' | sort -u || tail -n 40 "$log"
    echo "full log: $log"
    return 1
  }
}

# Checks each file separately, so that missing includes are found.
alone() { linted build/alone OFF '-*,clang-diagnostic-*,readability-duplicate-include'; }

# Checks the bundles of the build, which read shared headers once.
tidy() { linted build/tidy ON -bugprone-suspicious-include; }

# Compiles the code of CUDA devices with nvcc and links a program with it. Its tests run on a GPU if there is one.
cuda() {
  local log=build/cuda-configure.log
  # With AUTO the output states why CUDA is off.
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
