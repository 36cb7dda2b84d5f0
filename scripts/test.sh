#!/usr/bin/env bash
# Installs missing packages, builds a preset and runs all tests: scripts/test.sh [release|dev|tsan|cuda]. With `cuda`
# runs only the tests that use a GPU.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset=${1:-release}
case $preset in
  release | dev | tsan | cuda) ;;
  *)
    echo "usage: $0 [release|dev|tsan|cuda]" >&2
    exit 2
    ;;
esac

if [[ $preset == cuda ]]; then
  ./scripts/install-deps.sh  # the packages of a user's build are enough
else
  ./scripts/install-deps.sh --dev
fi
case $preset in  # concurrent tests
  release) jobs=$(($(nproc) + 1)) ;;  # many tests wait
  cuda) jobs=1 ;;                     # there is one device
  *) jobs=$(nproc) ;;
esac
cmake --preset "$preset"
start=$SECONDS
cmake --build --preset "$preset"
echo "build: $((SECONDS - start)) s"
start=$SECONDS
ctest --preset "$preset" --no-tests=error -j "$jobs" || {
  status=$?
  echo "tests: failed after $((SECONDS - start)) s" >&2
  exit $status
}
echo "tests: $((SECONDS - start)) s"
