#!/usr/bin/env bash
# Runs GPU tests of kernels and networks with compute-sanitizer, which detects accesses outside allocated memory.
# Skipped (77) if the machine has no GPU.
#   sanitize.sh COMPUTE_SANITIZER TEST_GPU
set -euo pipefail

"$2" --count || exit $?
"$1" --error-exitcode 1 --report-api-errors no "$2" "--source-file-exclude=*test_device_runs.cpp"
"$1" --error-exitcode 1 --report-api-errors no "$2" unfolded "--source-file-exclude=*_kernels.cpp,*test_device_runs.cpp"
