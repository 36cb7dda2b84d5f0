#!/usr/bin/env bash
# Installs missing packages, builds a preset and runs all tests: scripts/test.sh [short|release|dev|tsan|cuda]. `short`
# is the preset release with the tests that a user needs: all tests but those with the label "long"
# (tests/CMakeLists.txt). With `cuda` runs only the tests that use a GPU.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset=${1:-release}
case $preset in
  short | release | dev | tsan | cuda) ;;
  *)
    echo "usage: $0 [short|release|dev|tsan|cuda]" >&2
    exit 2
    ;;
esac

if [[ $preset == cuda ]]; then
  ./scripts/install-deps.sh  # the packages of a user's build are enough
else
  ./scripts/install-deps.sh --dev
fi
build=() tests=()
if [[ $preset == short ]]; then
  preset=release build=(--target short_tests) tests=(--label-exclude long)
fi
case $preset in  # concurrent tests
  release) jobs=$(($(nproc) + 2)) ;;  # many tests wait
  cuda) jobs=1 ;;                     # there is one device
  *) jobs=$(nproc) ;;
esac
cmake --preset "$preset"
start=$SECONDS
cmake --build --preset "$preset" "${build[@]}"
echo "build: $((SECONDS - start)) s"
start=$SECONDS
ctest --preset "$preset" "${tests[@]}" --no-tests=error -j "$jobs" || {
  status=$?
  echo "tests: failed after $((SECONDS - start)) s" >&2
  exit $status
}
echo "tests: $((SECONDS - start)) s"
