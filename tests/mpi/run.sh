#!/usr/bin/env bash
# Runs the test cases on RANKS ranks of mpirun.
#   run.sh MPIRUN TEST_MPI RANKS
# If the build has no MPI, MPIRUN is empty. Then the script checks that the program reports the missing MPI, and exits
# with 77.
set -euo pipefail

source "$(dirname "${BASH_SOURCE[0]}")/mpirun.sh"

skip_without_mpi
run_ranks "$3" "$program"
