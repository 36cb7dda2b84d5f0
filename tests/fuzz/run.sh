#!/usr/bin/env bash
# Builds the fuzz targets with clang and runs each for a while: run.sh BUILD_DIR [SECONDS [TARGET...]]. SECONDS (60) is
# the time for all targets together. "admission" gets the same time again, because CAF trusts all that it admits. Fails
# on a crash, a leak, too much memory or an input that takes too long, and prints where the input is stored. Add such an
# input to corpus/TARGET. Exits with 77 (skipped) if clang or libFuzzer is missing.
set -euo pipefail

build=$1
seconds=${2:-60}
source=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
jobs=2

skip() {
  echo "fuzz: skipped: $1" >&2
  exit 77
}

for clang in clang++ clang++-14; do
  command -v "$clang" >/dev/null && break
  clang=''
done
[[ -n $clang ]] || skip 'clang is missing (Debian: clang)'
mkdir -p "$build"
echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' >"$build/probe.cpp"
"$clang" -fsanitize=fuzzer,address,undefined "$build/probe.cpp" -o "$build/probe" 2>"$build/probe.log" ||
  skip "$clang has no libFuzzer (Debian: libclang-rt-14-dev)"

start=$SECONDS
cmake -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_COMPILER="$clang" >"$build/configure.log"
cmake --build "$build" --target fuzz_targets -j "$jobs"
echo "fuzz: built in $((SECONDS - start)) s"

targets=("${@:3}")
((${#targets[@]})) || mapfile -t targets <"$build/targets.txt"
each=$((seconds / ${#targets[@]}))
((each > 0)) || each=1

# The committed corpus is read and never written.
run_target() {
  local work=$build/run/$1
  rm -rf "$work"
  mkdir -p "$work/found"
  local status=0 each=$each
  [[ $1 != admission ]] || each=$seconds
  "$build/fuzz_$1" -seed=1 -max_total_time="$each" -timeout=25 -rss_limit_mb=1024 -malloc_limit_mb=256 -max_len=8192 \
    -artifact_prefix="$work/" "$work/found" "$source/corpus/$1" >"$work/log" 2>&1 || status=$?
  if ((status)); then
    echo "fuzz: $1 failed ($status): $work"
    grep -vE '^#[0-9]+\s+(NEW|REDUCE|pulse|RELOAD)' "$work/log" | tail -n 60
    return 1
  fi
  echo "fuzz: $1: $(grep -oE 'Done [0-9]+ runs in [0-9]+ second' "$work/log")s, $(ls "$source/corpus/$1" | wc -l) first inputs"
}

failed=0
running=0
for target in "${targets[@]}"; do
  if ((running == jobs)); then
    wait -n || failed=1
    running=$((running - 1))
  fi
  run_target "$target" &
  running=$((running + 1))
done
for ((; running; --running)); do wait -n || failed=1; done
exit "$failed"
