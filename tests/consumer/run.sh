#!/usr/bin/env bash
# Builds and runs a user's program in each way to use Troupe. Installed Troupe is used through find_package, and through
# pkg-config with plain g++. Troupe as a part of the user's build is used through add_subdirectory and FetchContent. To
# compile Troupe twice more would take minutes, so the last two ways link the libraries of BUILD_DIR as their own builds
# would link them.
#   run.sh BUILD_DIR CXX
set -euo pipefail

build=$1
cxx=$2
source=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$source/../.." && pwd)
work=$build/consumer
rm -rf "$work"

configure() {
  local way=$1
  shift
  cmake -S "$source" -B "$work/$way" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER="$cxx" -DWAY="$way" "$@" \
    >"$work/$way.log" || { cat "$work/$way.log" && exit 1; }
}

fail() {
  echo "consumer: $1" >&2
  exit 1
}

mkdir "$work"
cmake --install "$build" --prefix "$work/prefix" >"$work/install.log"

# Only troupe::cuda may call CUDA, so that programs without troupe::cuda do not need CUDA.
for library in $(find "$work/prefix" -name 'libtroupe_*.a' -not -name libtroupe_cuda.a); do
  if nm --undefined-only "$library" 2>/dev/null | grep -E ' U (cuda[A-Z]|cudnn|cublas)'; then
    fail "$library calls CUDA"
  fi
done

configure find_package -DCMAKE_PREFIX_PATH="$work/prefix"
cmake --build "$work/find_package"
"$work/find_package/consumer"

# The way through pkg-config compiles the same program; only the paths of headers and libraries differ.
PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name troupe.pc)")
export PKG_CONFIG_PATH
mkdir "$work/pkg-config"
# The flags are a list of words.
# shellcheck disable=SC2046
"$cxx" -std=c++20 "$source/main.cpp" -o "$work/pkg-config/consumer" $(pkg-config --cflags --libs troupe)
"$work/pkg-config/consumer"
[[ $(pkg-config --modversion troupe) == "$("$work/pkg-config/consumer" | sed 's/troupe \(.*\):.*/\1/')" ]] ||
  fail "pkg-config and the header differ in the version"
# shellcheck disable=SC2046
"$cxx" -std=c++20 -O2 -Wall -Wextra -Werror -c "$source/warnings.cpp" -o /dev/null $(pkg-config --cflags troupe) ||
  fail "headers cause warnings in users' programs"
{ "$cxx" -std=c++17 -fsyntax-only $(pkg-config --cflags troupe) "$source/main.cpp" 2>&1 || true; } |
  grep -q -e '-std=c++20' ||
  fail "the error of a C++17 compiler does not mention -std=c++20"

# link_as_part WAY: compiles the program's object with CMake, copies Troupe's libraries to the paths where that build
# would put them, and links.
link_as_part() {
  local way=$1 library object=CMakeFiles/consumer.dir/main.cpp.o command
  configure "$way" -DTROUPE_SOURCE="$root"
  cmake --build "$work/$way" --target "$object"
  command=$(ninja -C "$work/$way" -t commands consumer | tail -1)
  for library in $(grep -o '[^ ]*libtroupe_[a-z]*\.a' <<<"$command"); do
    mkdir -p "$work/$way/$(dirname "$library")"
    cp "$(find "$build" -path "$work" -prune -o -name "${library##*/}" -print -quit)" "$work/$way/$library"
  done
  (cd "$work/$way" && bash -c "$command")
  "$work/$way/consumer"
  if ninja -C "$work/$way" -t targets all | grep -q -e test_ -e example_ -e 'bin/troupe'; then
    fail "$way builds more than the library"
  fi
}
link_as_part add_subdirectory
link_as_part FetchContent

# Runs the same program as two nodes and a driver. Status 77: network namespaces cannot be created on this machine.
status=0
"$root/scripts/local-cluster.sh" 2 --troupe "$work/find_package/consumer" || status=$?
((status == 0 || status == 77)) || fail "the cluster of the program ended with status $status"
