#!/usr/bin/env bash
# Runs the test cases as so many ranks of mpirun.
#   run.sh MPIRUN TEST_MPI RANKS
# Where the build has no MPI, MPIRUN is empty; then the program is to say so, and that is all (77).
set -euo pipefail

source "$(dirname "${BASH_SOURCE[0]}")/mpirun.sh"

skip_without_mpi
run_ranks "$3" "$program"
