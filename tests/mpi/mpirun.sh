# For the scripts in this folder. Their first two arguments are MPIRUN and TEST_MPI.
# shellcheck shell=bash
mpirun=$1
program=$2

skip_without_mpi() {
  local said
  [[ -n $mpirun ]] && return
  said=$("$program" --scenario returns || true)
  echo "$said"
  [[ $said == *'unsupported: this build has no MPI'* ]] || exit 1
  echo "skipped: this build has no MPI, which scripts/install-deps.sh --dev installs"
  exit 77
}

is_open_mpi() { [[ $("$mpirun" --version 2>&1) =~ (Open MPI|OpenRTE) ]]; }

# run_ranks RANKS FLAG... PROGRAM ARGUMENT...: runs RANKS ranks on this machine. Works for root, and with fewer cores
# than ranks.
run_ranks() {
  local ranks=$1 flags=()
  shift
  if is_open_mpi; then
    flags=(--allow-run-as-root --oversubscribe --bind-to none)
  fi
  timeout --kill-after=5 300 "$mpirun" "${flags[@]}" -n "$ranks" "$@"
}
