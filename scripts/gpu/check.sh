#!/usr/bin/env bash
# Runs Troupe on the GPU of this machine. On a machine that has the archive of scripts/gpu/bundle.sh:
#   tar -xf build/troupe-gpu.tar.gz -C /tmp && /tmp/troupe-gpu/scripts/gpu/check.sh
#
#   check.sh [PART...]
#     devices    the GPU, its driver, and NVIDIA's libraries that the programs find
#     kernels    tests of our kernels, compared with plain loops
#     networks   tests of whole networks: gradients, residual sums, batch-norm, dropout
#     runs       tests of runs: workers, replicas, processes, checkpoints
#     modules    tests of modules of libtorch on the device, with the libtorch of this machine's PyTorch
#     bits       1 and 2 workers, in threads and processes, and a second run give bitwise identical weights
#     train      the loss of the reference CNN and of ResNet-50 falls, and starts where the CPU's starts
#     profile    the ten most expensive kernels: their share of the copy rate, and of the time with busy matrix units
#     memcheck   compute-sanitizer on kernels and networks
#     compare    images/s, copies and memory compared with PyTorch (bench/compare.py cuda); 5 minutes or more
# Without PART, runs all parts in this order for $CHECK_SECONDS (default 300). With PART, the total time is unlimited
# unless $CHECK_SECONDS is set. A part that exceeds its own limit or the remaining time is ended, and its results so far
# are kept. Parts write at most 8 files to $OUT (default ./gpu-results). summary.txt has a line for each part. If a
# driver, library or tool is missing, summary.txt names it, and the other parts continue. Exits with 1 if a part failed.
# $CHECK_SMALL=1 makes every part small, for tests of the script without a GPU (tests/gpu/dry_run.sh). $CHECK_PYTHON
# selects a Python interpreter with PyTorch (default python3).
# shellcheck disable=SC2317,SC2086,SC2054
set -euo pipefail
script=$(realpath "${BASH_SOURCE[0]}")
here=$(cd "$(dirname "$script")/../.." && pwd)
troupe=$here/bin/troupe
python=${CHECK_PYTHON:-python3}
small=${CHECK_SMALL:-}
all=(devices kernels networks runs modules bits train profile memcheck compare)
declare -A limits=([devices]=60 [kernels]=60 [networks]=120 [runs]=60 [modules]=90 [bits]=90 [train]=90
  [profile]=240 [memcheck]=300 [compare]=580)  # seconds

skip() {
  echo "skipped: $1"
  exit 77
}

# PyTorch's copies of NVIDIA's libraries come first, so that both sides of a comparison use the same libraries.
find_libraries() {
  local folders
  folders=$("$python" -c '
import glob, importlib.util
spec = importlib.util.find_spec("nvidia")
for root in spec.submodule_search_locations if spec else []:
    for name in ("libcudart", "libcublas", "libcudnn", "libnvrtc"):
        for path in glob.glob(f"{root}/*/lib/{name}.so.*"):
            print(path.rpartition("/")[0])' 2>/dev/null | sort -u | tr '\n' ':') || true
  echo "$folders/usr/local/cuda/lib64:/usr/local/cuda/targets/x86_64-linux/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
}

# Ends the part with a message if the programs cannot start or find no device.
need_device() {
  local missing said
  missing=$(ldd "$troupe" | awk '/not found/ { print $1 }' | sort -u | tr '\n' ' ')
  [[ -z $missing ]] || skip "not found here: $missing(CUDA 13, cuBLAS and cuDNN 9 of the toolkit or of PyTorch)"
  said=$("$troupe" devices 2>&1) && return
  echo "$said"
  [[ $said != *'unsupported: '* ]] || skip "${said##*$'\n'}"
  echo "troupe devices failed"
  exit 1
}

need_torch() {
  "$python" -c 'import torch, torchvision' 2>/dev/null || skip "$python has no PyTorch with torchvision"
}

part_devices() {
  nvidia-smi || echo "nvidia-smi is not here, or fails"
  ldd "$troupe" | grep -E 'libcu|not found' || true
  local tool
  for tool in ncu compute-sanitizer; do
    command -v $tool || echo "$tool is not here"
  done
  "$python" -c 'import torch, torchvision; print("PyTorch", torch.__version__, "torchvision", torchvision.__version__,
    "cuDNN", torch.backends.cudnn.version())' 2>/dev/null || echo "$python has no PyTorch with torchvision"
  need_device
  "$troupe" devices
}

part_kernels() {
  need_device
  "$here/bin/test_gpu" '--source-file=*_kernels.cpp'
}

part_networks() {
  need_device
  local status=0 networks='--source-file-exclude=*_kernels.cpp,*test_device_runs.cpp'
  "$here/bin/test_gpu" "$networks" ${small:+--last=20} || status=1
  "$here/bin/test_gpu" unfolded "$networks" ${small:+--last=20} || status=1
  return $status
}

part_runs() {
  need_device
  "$here/bin/test_gpu" '--source-file=*test_device_runs.cpp'
}

part_modules() {
  local program=$here/bin/test_torch built present folder status=0 log
  need_device
  [[ -x $program ]] || skip "bin/test_torch is missing: TROUPE_TORCH_ROOT was not set for bundle.sh"
  read -r present folder < <("$python" -c 'import os, torch
print(torch.__version__.partition("+")[0], os.path.join(os.path.dirname(torch.__file__), "lib"))' 2>/dev/null) ||
    skip "$python has no PyTorch"
  built=$(<"$here/torch-version")
  [[ $present == "$built" ]] || skip "the tests need PyTorch $built, but $python has $present"
  log=$(mktemp)
  LD_LIBRARY_PATH=$folder:$LD_LIBRARY_PATH "$program" '--source-file=*test_torch_on_devices.cpp' 2>&1 | tee "$log" || status=1
  ((status)) || ! grep -q 'skipped: ' "$log" || skip "$(sed -n 's/.*skipped: //p' "$log" | head -n 1)"
  return $status
}

hash_of() { # OPTION...
  "$troupe" train --quiet --device cuda --shards 2 --no-precision-check --steps 3 "$@" | awk '/sha256/ { print $NF }'
}

part_bits() {
  need_device
  local model=(--model resnet50 --data mock-images:224,100,64 --batch-size 16) status=0 precision
  [[ -z $small ]] || model=(--model cnn-bn --data mock-images:16,10,8 --batch-size 2)
  for precision in f32 bf16; do
    local run=("${model[@]}" --precision "$precision") hashes
    hashes=$(
      hash_of "${run[@]}" --workers 1
      hash_of "${run[@]}" --workers 1
      hash_of "${run[@]}" --workers 2
      hash_of "${run[@]}" --workers 2 --placement processes
    )
    if [[ $(wc -l <<<"$hashes") == 4 && $(sort -u <<<"$hashes" | wc -l) == 1 ]]; then
      echo "${model[1]}, $precision: 4 runs, bitwise identical: ${hashes%%$'\n'*}"
    else
      echo "${model[1]}, $precision: 1 worker, again, 2 workers, 2 processes give different weights:"$'\n'"$hashes"
      status=1
    fi
  done
  return $status
}

losses_of() { # FILE: of a report
  sed -n 's/^{"step".*"loss":\([^,}]*\).*/\1/p' "$1"
}

# Prints every tenth loss of both runs. Fails unless the loss on the device falls by a fifth and starts near the CPU's
# loss.
compare_losses() { # NAME OF_CUDA OF_CPU
  local near=0.001
  [[ $1 != *bf16 ]] || near=0.05
  paste <(losses_of "$2") <(losses_of "$3") | awk -v name="$1" -v near=$near '
    NR == 1 { first = $1; away = ($1 - $2) / $2 }
    NR % 10 == 1 { printf "%s, loss of step %d: cuda %.5f, cpu %s\n", name, NR, $1, (NF > 1) ? sprintf("%.5f", $2) : "-" }
    { last = $1 }
    END {
      falls = last < 0.8 * first; agrees = away * away < near * near
      printf "%s: the loss goes from %.5f to %.5f, first loss %.5f %% from the CPU'"'"'s: %s\n", name, first, last,
        100 * away, NR && falls && agrees ? "right" : "WRONG"
      exit !(NR && falls && agrees)
    }'
}

part_train() {
  need_device
  local status=0 precision cnn=(--model cnn --data "fashion-mnist:$here/data" --shards 1 --workers 1)
  local steps=150 resnet_steps=150 resnet_cpu_steps=20
  local resnet=(--model resnet50 --data mock-images:64,10,64 --batch-size 16 --shards 2 --workers 2 --learning-rate 0.002)
  if [[ -n $small ]]; then
    steps=24 resnet_steps=12 resnet_cpu_steps=2
    cnn+=(--batch-size 16)
    resnet=(--model cnn-bn --data mock-images:16,4,16 --batch-size 8 --shards 1 --workers 1 --learning-rate 0.01)
  fi
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT  # not a local variable, because the trap runs outside the function
  "$troupe" train --quiet "${cnn[@]}" --steps $steps --report "$work/cnn.cpu"
  "$troupe" train --quiet "${resnet[@]}" --steps $resnet_cpu_steps --report "$work/resnet.cpu" >/dev/null
  for precision in f32 bf16; do
    local on_device=(--device cuda --precision "$precision" --no-precision-check)
    "$troupe" train --quiet "${cnn[@]}" "${on_device[@]}" --steps $steps --report "$work/cnn.cuda"
    compare_losses "cnn, $precision" "$work/cnn.cuda" "$work/cnn.cpu" || status=1
    "$troupe" train --quiet "${resnet[@]}" "${on_device[@]}" --steps $resnet_steps --report "$work/resnet.cuda" >/dev/null
    compare_losses "${resnet[1]}, $precision" "$work/resnet.cuda" "$work/resnet.cpu" || status=1
  done
  ((status == 0)) || echo "a loss is WRONG: see above"
  return $status
}

part_compare() {
  need_device
  need_torch
  "$here/bench/compare.py" cuda ${small:+--small} --build "$here" --python "$(command -v "$python")" --rounds 2 \
    2>>"$results/compare-notes.txt"
}

part_profile() {
  need_device
  "$(command -v "$python" || echo python3)" "$here/scripts/gpu/dearest_kernels.py" ${small:+--small} "$troupe"
}

part_memcheck() {
  need_device
  command -v compute-sanitizer >/dev/null || skip "compute-sanitizer is not here"
  local log status=0
  log=$(mktemp)
  local checked=(compute-sanitizer --error-exitcode 1 --report-api-errors no "$here/bin/test_gpu")
  {
    "${checked[@]}" '--source-file-exclude=*test_device_runs.cpp' &&
      "${checked[@]}" unfolded '--source-file-exclude=*_kernels.cpp,*test_device_runs.cpp'
  } 2>&1 | tee "$log" || status=1
  if grep -q -i 'device not supported' "$log"; then
    skip "compute-sanitizer refuses this device"
  fi
  return $status
}

file_of() { # PART
  case $1 in
    kernels | networks | runs | modules) echo tests.txt ;;
    bits | train) echo training.txt ;;
    compare) echo compare.md ;;
    *) echo "$1.txt" ;;
  esac
}

run_part() { # PART SECONDS
  local file start=$SECONDS status=0 verdict
  file=$results/$(file_of "$1")
  echo "== $1" >>"$file"
  CHECK_PART=$1 timeout --kill-after 5 "$2" "$script" >>"$file" 2>&1 &
  local group=$!  # timeout leads a process group
  wait $group || status=$?
  kill -KILL -- -$group 2>/dev/null || true  # programs of the part that are still running
  (($(stat --format %s "$file") <= 8 << 20)) || truncate --size 8M "$file"
  case $status in
    0) verdict=passed ;;
    77) verdict=$(tail -n 1 "$file") ;;
    124) verdict="cut off after $2 s" ;;
    137) verdict="FAILED: killed, for want of memory or after $2 s" ;;
    *) verdict="FAILED with $status: $(tail -n 1 "$file")" ;;
  esac
  printf '%-9s %4d s  %s\n' "$1" $((SECONDS - start)) "$verdict" | tee -a "$results/summary.txt"
  ((status == 0 || status == 77 || status == 124))
}

results=${OUT:-$PWD/gpu-results}
if [[ -n ${CHECK_PART:-} ]]; then
  LD_LIBRARY_PATH=$(find_libraries)
  for folder in /usr/local/cuda/bin /opt/nvidia/nsight-compute/*; do
    [[ ! -d $folder ]] || PATH=$PATH:$folder
  done
  export PATH LD_LIBRARY_PATH CUDA_DEVICE_ORDER=PCI_BUS_ID
  "part_$CHECK_PART"
  exit
fi

for part in "$@"; do
  [[ " ${all[*]} " == *" $part "* ]] || { echo "no part $part: choose from ${all[*]}" >&2; exit 2; }
done
mkdir -p "$results"
most=${CHECK_SECONDS:-300}
(($#)) && most=${CHECK_SECONDS:-100000}
failed=0
for part in "${@:-${all[@]}}"; do
  if ((SECONDS + 5 > most)); then
    printf '%-9s    0 s  skipped: %d s have passed\n' "$part" $SECONDS | tee -a "$results/summary.txt"
  else
    left=$((most - SECONDS))
    limit=$((small ? most : limits[$part]))
    run_part "$part" $((left < limit ? left : limit)) || failed=1
  fi
done
echo "Results are in $results"
exit $failed
