#!/usr/bin/env bash
# Installs a build, and builds and runs a user's program against it through CMake and through pkg-config.
#   run.sh BUILD_DIR CXX
set -euo pipefail

build=$1
cxx=$2
source=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$build/consumer
rm -rf "$work"

cmake --install "$build" --prefix "$work/prefix" >"$build/consumer-install.log"

cmake -S "$source" -B "$work/cmake" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER="$cxx" \
  -DCMAKE_PREFIX_PATH="$work/prefix"
cmake --build "$work/cmake"
"$work/cmake/consumer"

export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name troupe.pc)")
mkdir "$work/pkg-config"
# The flags are a list of words.
# shellcheck disable=SC2046
"$cxx" -std=c++20 -O2 "$source/main.cpp" -o "$work/pkg-config/consumer" $(pkg-config --static --cflags --libs troupe)
"$work/pkg-config/consumer"
