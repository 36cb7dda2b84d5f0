#!/usr/bin/env bash
# Packs everything that scripts/gpu/check.sh needs on a machine with a GPU and without our packages into one archive,
# build/troupe-gpu.tar.gz: programs and tests for sm_90 (H100, H200), the shared libraries that they need except glibc's
# and NVIDIA's, bench/, the scripts, and the 10,000 test images of Fashion-MNIST. Needs nvcc, cuBLAS and cuDNN 9 here.
#   bundle.sh            builds in build/gpu and packs; fails if the archive is larger than 60 MiB.
#                        $TROUPE_GPU_ARCHITECTURES selects other architectures, in the format of
#                        CMAKE_CUDA_ARCHITECTURES (default 90)
#                        $TROUPE_TORCH_ROOT, the folder `torch` of PyPI's PyTorch in the version that the other machine
#                        has, adds the tests of modules of libtorch
#   bundle.sh --prove    also unpacks the archive in a fresh Debian 13, which has a newer glibc than Debian 12 and none
#                        of our packages, and runs its program there; needs root, debootstrap and a Debian mirror
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root"
build=build/gpu
archive=build/troupe-gpu.tar.gz
most=$((60 << 20))  # bytes

# Runs the archive's programs in a fresh Debian 13: without NVIDIA's libraries, and with those of this system.
prove_elsewhere() {
  local chroots=$root/build/bare toolkit
  toolkit=$(realpath "$(dirname "$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)")/..")
  rm -rf --one-file-system "$chroots/trixie"
  TROUPE_CHROOTS=$chroots ./scripts/chroot-test.sh trixie true
  # shellcheck disable=SC2016
  unshare --mount --pid --fork bash -euc '
    folder=$1 archive=$2 toolkit=$3
    place="/opt/a place with blanks"
    mount -t proc proc "$folder/proc"
    mount --rbind /dev "$folder/dev"
    mkdir -p "$folder$place" "$folder/usr/local/cuda"
    tar -xf "$archive" -C "$folder$place"
    inside() { # PROGRAM ASSIGNMENT...
      chroot "$folder" /usr/bin/env -i HOME=/root PATH=/usr/bin:/bin "${@:2}" "$place/troupe-gpu/$1" "${arguments[@]}"
    }
    check() { # WHAT REASON: every part is skipped for that reason
      arguments=()
      inside scripts/gpu/check.sh OUT="/tmp/$1" >/dev/null
      [[ $(grep -c "skipped: .*$2" "$folder/tmp/$1/summary.txt") == 10 ]] || { cat "$folder/tmp/$1/summary.txt"; exit 1; }
      echo "check.sh with $1: every part is skipped: $(sed -n "1s/.*skipped: //p" "$folder/tmp/$1/summary.txt")"
    }
    check no-libraries "not found here: .*libcudnn"
    mount --bind "$toolkit" "$folder/usr/local/cuda"
    check no-driver "there is no NVIDIA driver"
    arguments=(train --model cnn --data "fashion-mnist:$place/troupe-gpu/data" --epochs 1 --placement processes --quiet)
    inside bin/troupe LD_LIBRARY_PATH=/usr/local/cuda/lib64
    arguments=(first-step --model linear --steps 3)
    inside bin/troupe-bench LD_LIBRARY_PATH=/usr/local/cuda/lib64
    arguments=()
    status=0
    inside bin/test_gpu LD_LIBRARY_PATH=/usr/local/cuda/lib64 || status=$?
    ((status == 77))
    ' - "$chroots/trixie" "$root/$archive" "$toolkit"
  echo "The archive runs in a fresh Debian 13."
}

prove=
case ${1:-} in
  '') ;;
  --prove) prove=yes ;;
  *)
    echo "usage: $0 [--prove]" >&2
    exit 2
    ;;
esac

# RPATH, unlike RUNPATH, also applies to the dependencies of libraries. check.sh finds NVIDIA's libraries.
# shellcheck disable=SC2016
cmake --preset cuda -B $build -DCMAKE_CUDA_ARCHITECTURES="${TROUPE_GPU_ARCHITECTURES:-90}" -DTROUPE_MPI=OFF \
  -DCMAKE_BUILD_WITH_INSTALL_RPATH=ON -DCMAKE_INSTALL_RPATH='$ORIGIN/../lib/troupe' \
  -DCMAKE_INSTALL_RPATH_USE_LINK_PATH=OFF -DCMAKE_EXE_LINKER_FLAGS=-Wl,--disable-new-dtags \
  -DTROUPE_TORCH_ROOT="${TROUPE_TORCH_ROOT:-}"
programs=(troupe troupe-bench test_gpu)
targets=(test_gpu troupe_cli troupe_bench)
if [[ -n ${TROUPE_TORCH_ROOT:-} ]]; then
  programs+=(test_torch)
  targets+=(test_torch)
fi
cmake --build $build --target "${targets[@]}"

packed=$build/packed/troupe-gpu
rm -rf $build/packed
mkdir -p $packed/bin $packed/data $packed/scripts
cmake --install $build --prefix $packed --component shared >/dev/null
for program in "${programs[@]}"; do
  strip -o "$packed/bin/$program" "$build/bin/$program"
done
[[ -z ${TROUPE_TORCH_ROOT:-} ]] ||
  sed -n "s/^__version__ = '\([0-9.]*\).*/\1/p" "$TROUPE_TORCH_ROOT/version.py" >$packed/torch-version
cp -r bench $packed/
cp -r scripts/gpu $packed/scripts/
find $packed -name __pycache__ -prune -exec rm -r {} +
images=/usr/share/datasets/fashion-mnist
for part in images-idx3 labels-idx1; do
  cp "$images/t10k-$part-ubyte.gz" $packed/data/
  ln -s "t10k-$part-ubyte.gz" "$packed/data/train-$part-ubyte.gz"  # with equal data the loss visibly falls
done
git describe --always --dirty >$packed/revision

tar --create --owner=0 --group=0 --directory=$build/packed troupe-gpu | gzip -9 >$archive.part
mv $archive.part $archive
size=$(stat --format %s $archive)
echo "$archive: $((size >> 20)) MiB, from $(cat $packed/revision)"
if ((size > most)); then
  echo "$archive is larger than $((most >> 20)) MiB" >&2
  exit 1
fi
[[ -z $prove ]] || prove_elsewhere
