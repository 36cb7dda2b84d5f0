#!/usr/bin/env bash
# Installs a build that has a component, and builds a user's program for it with find_package(troupe COMPONENTS ...) and
# with pkg-config. Runs both programs: cuda.cpp computes on a CUDA device, or reports that the machine has none, and
# torch.cpp trains a module of libtorch.
#   component.sh BUILD_DIR CXX cuda|torch [CMAKE_OPTION...]
set -euo pipefail

build=$1
cxx=$2
component=$3
shift 3
source=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$build/${component}_consumer
rm -rf "$work"

cmake --install "$build" --prefix "$work/prefix" >/dev/null
cmake -S "$source" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER="$cxx" \
  -DWAY=find_package -DCOMPONENT="$component" -DCMAKE_PREFIX_PATH="$work/prefix" "$@"
cmake --build "$work/build"

PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name "troupe-$component.pc")")
export PKG_CONFIG_PATH
# The flags are a list of words.
# shellcheck disable=SC2046
"$cxx" -std=c++20 "$source/$component.cpp" -o "$work/by_pkg_config" $(pkg-config --cflags --libs "troupe-$component")

for program in "$work/build/consumer" "$work/by_pkg_config"; do
  said=$("$program")
  echo "$said"
  case $component in
    cuda)
      grep -q -e 'a step on CUDA devices' -e 'unsupported: there is no NVIDIA driver' \
        -e 'unsupported: there is no CUDA device' <<<"$said"
      ;;
    torch) grep -q 'a step of a module' <<<"$said" ;;
  esac
done

if [[ $component == cuda ]]; then  # the `troupe` program of that build has CUDA devices, too
  { "$work/prefix/bin/troupe" devices 2>&1 || true; } | grep -q -e 'driver for CUDA' -e 'there is no NVIDIA driver' \
    -e 'there is no CUDA device'
fi
