#!/usr/bin/env bash
# Runs MPI programs in which rank 1 returns, throws, is killed or stops while the other ranks add. Checks that the other
# ranks report an error that names rank 1, in time.
#   ends.sh MPIRUN TEST_MPI
set -euo pipefail

source "$(dirname "${BASH_SOURCE[0]}")/mpirun.sh"

skip_without_mpi
failed=0

# expect SCENARIO TIMES TEXT FLAG...: runs three ranks and checks that they end in time and that at least TIMES lines of
# the output match TEXT. Sets `status` to the exit status of mpirun.
expect() {
  local scenario=$1 times=$2 text=$3 start=$SECONDS output said
  shift 3
  status=0
  output=$(run_ranks 3 "$@" "$program" --scenario "$scenario" 2>&1) || status=$?
  said=$(grep -c -- "$text" <<<"$output" || true)
  ((said >= times && SECONDS - start < 40)) && return
  printf '%s: status %s after %s s, said by %s: %s\n%s\n' "$scenario" "$status" "$((SECONDS - start))" "$said" "$text" \
    "$output" >&2
  failed=1
}

fails() {
  expect "$@"
  ((status != 0)) && return
  echo "$1: mpirun ended with status 0, but an error was expected" >&2
  failed=1
}

fails returns 2 'rank error model_failed: all_reduce(10 f32, max) at scenarios.cpp:[0-9]*: rank 1 (.*) has returned'
fails throws 2 'rank error model_failed: all_reduce(1000000 f32, max) at .* rank 1 (.*) was left by an exception'
fails stopped 2 'rank error timeout: all_reduce(1.*, max) at scenarios.cpp:[0-9]*: rank 1 (.*) \(did not arrive\|made the same call\)'
# If a rank is killed, mpirun ends all ranks, unless a flag prevents this. Its output proves nothing in that case.
fails killed 0 ''
if is_open_mpi; then
  expect killed 2 'rank error worker_lost: all_reduce(1.*, max) at .* rank 1 (.*) was lost: its process has ended' \
    --enable-recovery
fi
exit "$failed"
