#!/usr/bin/env bash
# Installs a build that has CUDA, builds a user's program with find_package(troupe COMPONENTS cuda), and runs the
# program. The program computes on a CUDA device, or reports that the machine has none.
#   cuda.sh BUILD_DIR CXX [CMAKE_OPTION...]
set -euo pipefail

build=$1
cxx=$2
shift 2
source=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$build/cuda_consumer
rm -rf "$work"

cmake --install "$build" --prefix "$work/prefix" >/dev/null
cmake -S "$source" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER="$cxx" \
  -DWAY=find_package -DDEVICES=cuda -DCMAKE_PREFIX_PATH="$work/prefix" "$@"
cmake --build "$work/build"
said=$("$work/build/consumer")
echo "$said"
grep -q -e 'a step on CUDA devices' -e 'unsupported: there is no NVIDIA driver' -e 'unsupported: there is no CUDA device' \
  <<<"$said"
# The `troupe` program of that build has CUDA devices, too.
{ "$work/prefix/bin/troupe" devices 2>&1 || true; } | grep -q -e 'driver for CUDA' -e 'there is no NVIDIA driver' \
  -e 'there is no CUDA device'
