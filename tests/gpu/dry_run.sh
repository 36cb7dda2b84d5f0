#!/usr/bin/env bash
# Runs every part of scripts/gpu/check.sh without a GPU: with programs linked with the double of CUDA's libraries, and
# with stand-ins for NVIDIA's tools and PyTorch, in a folder with a blank in its path. Then runs parts of the script
# without these tools, and all of it with a program that finds no device: each part must print a reason.
#   dry_run.sh FOLDER TROUPE     FOLDER/bin has the programs on the double; TROUPE has no CUDA devices
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
packed="$1/packed for a trial/troupe-gpu"
rm -rf "${packed%/*}"
mkdir -p "$packed/scripts" "$packed/data" "$packed/bin"
ln -s "$1/bin/"troupe* "$packed/bin/"
ln -s "$1/bin/gpu_on_double" "$packed/bin/test_gpu"
cp -r "$root/bench" "$packed/"
cp -r "$root/scripts/gpu" "$packed/scripts/"
echo trial >"$packed/revision"

# Some images of each set, in the original file format.
python3 - "$packed/data" <<'PYTHON'
import gzip, struct, sys
for part, size, magic in (("images-idx3", 784, (28, 28)), ("labels-idx1", 1, ())):
    with gzip.open(f"/usr/share/datasets/fashion-mnist/t10k-{part}-ubyte.gz") as file:
        content = file.read()
    head = 8 + 4 * len(magic)
    for name, count in (("train", 128), ("t10k", 20)):
        with gzip.open(f"{sys.argv[1]}/{name}-{part}-ubyte.gz", "wb") as file:
            file.write(content[:4] + struct.pack(f">{1 + len(magic)}I", count, *magic)
                       + content[head:head + count * size])
PYTHON

run() { # NAME ASSIGNMENT... of the environment
  env OUT="$packed/$1" CHECK_SMALL=1 CHECK_SECONDS=100000 "${@:2}" "$packed/scripts/gpu/check.sh" "${chosen[@]}" >"$packed/$1.log" 2>&1
}
fail() {
  echo "$1" >&2
  head -n 100 "$packed/$2"/*.txt "$packed/$2.log" >&2
  exit 1
}
parts=(devices kernels networks runs modules bits train profile memcheck compare)
chosen=()

run all PATH="$here/stand_ins:$PATH" CHECK_PYTHON="$here/stand_ins/python" || fail "a part failed" all
for part in "${parts[@]}"; do
  expected=passed
  [[ $part != modules ]] || expected='skipped: bin/test_torch is missing.*'  # libtorch has no double
  grep -q "^$part .* $expected$" "$packed/all/summary.txt" || fail "$part has another result than: $expected" all
done
(($(find "$packed/all" -type f | wc -l) <= 8)) || fail "more than 8 result files" all
! grep ' failed' "$packed/all/compare-notes.txt" || fail "a comparison failed" all
grep -q '| bf16 | 4 | [0-9]' "$packed/all/compare.md" || fail "no figures of batch 4" all
grep -q '| tf32 | 2 | [0-9]' "$packed/all/compare.md" || fail "no figures of TensorFloat-32" all
grep -q 'cnn, bf16, loss of step 11: cuda [0-9.]*, cpu [0-9]' "$packed/all/training.txt" || fail "no losses" all
grep -q '^| cutlass__5x_cudnn::Kernel<cutlass_tensorop_bf16_dgrad<(int)4>> | 2 | .* | - |$' "$packed/all/profile.txt" ||
  fail "no kernels" all
grep -q '^| Cut<float> | 1 | ' "$packed/all/profile.txt" || fail "no kernel of ours" all
grep -q 'a copy moves [0-9.]* TB/s' "$packed/all/profile.txt" || fail "no rates" all

chosen=(profile memcheck)
run bare PATH=/usr/bin:/bin CHECK_PYTHON=python3 || fail "a part failed without tools" bare
grep -q '^memcheck .* skipped: compute-sanitizer is not here$' "$packed/bare/summary.txt" || fail "no reason" bare
grep -q '^ncu is not here$' "$packed/bare/profile.txt" || fail "no reason" bare
grep -q '^all  *[0-9]' "$packed/bare/profile.txt" || fail "no seconds of layers" bare

chosen=()
ln -sf "$2" "$packed/bin/troupe"
run nothing CHECK_PYTHON=/nonexistent || fail "a part failed that had to be skipped" nothing
for part in "${parts[@]}"; do
  grep -q "^$part .* skipped: troupe: unsupported: " "$packed/nothing/summary.txt" || fail "$part gives no reason" nothing
done
status=0
"$packed/scripts/gpu/check.sh" kernel >"$packed/unknown.log" 2>&1 || status=$?
if ((status != 2)) || ! grep -q 'no part kernel: choose from devices' "$packed/unknown.log"; then
  fail "took an unknown part" nothing
fi
