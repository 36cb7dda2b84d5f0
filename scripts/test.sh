#!/usr/bin/env bash
# Installs what is missing, builds a preset and runs all tests: scripts/test.sh [release|dev|tsan|cuda]; of `cuda`
# the tests that run on a GPU
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
  ./scripts/install-deps.sh  # no more than a user's build needs
else
  ./scripts/install-deps.sh --dev
fi
case $preset in  # tests at once
  release) jobs=$(($(nproc) + 1)) ;;  # many wait
  cuda) jobs=1 ;;                     # of one device
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
