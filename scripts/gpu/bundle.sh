#!/usr/bin/env bash
# Packs everything that scripts/gpu/check.sh needs on a machine with a GPU and without our packages into one archive,
# build/troupe-gpu.tar.gz: programs and tests for sm_90 (H100, H200), the shared libraries that they need except glibc's
# and NVIDIA's, bench/, the scripts, and the 10,000 test images of Fashion-MNIST. Needs nvcc, cuBLAS and cuDNN 9 here.
#   bundle.sh            builds in build/gpu and packs; fails if the archive is larger than 45 MiB
#   bundle.sh --prove    also unpacks the archive in a fresh Debian 13, which has a newer glibc than Debian 12 and none
#                        of our packages, and runs its program there; needs root, debootstrap and a Debian mirror
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root"
build=build/gpu
archive=build/troupe-gpu.tar.gz
most=$((45 << 20))  # bytes

prove=
case ${1:-} in
  '') ;;
  --prove) prove=yes ;;
  *)
    echo "usage: $0 [--prove]" >&2
    exit 2
    ;;
esac

# RPATH, unlike RUNPATH, also applies to the libraries that a library needs. check.sh finds NVIDIA's.
# shellcheck disable=SC2016
cmake --preset cuda -B $build -DCMAKE_CUDA_ARCHITECTURES="${TROUPE_GPU_ARCHITECTURES:-90}" -DTROUPE_MPI=OFF \
  -DCMAKE_BUILD_WITH_INSTALL_RPATH=ON -DCMAKE_INSTALL_RPATH='$ORIGIN/../lib/troupe' \
  -DCMAKE_INSTALL_RPATH_USE_LINK_PATH=OFF -DCMAKE_EXE_LINKER_FLAGS=-Wl,--disable-new-dtags
cmake --build $build --target test_gpu troupe_cli troupe_bench

packed=$build/packed/troupe-gpu
rm -rf $build/packed
mkdir -p $packed/bin $packed/data $packed/scripts
cmake --install $build --prefix $packed --component shared >/dev/null
for program in troupe troupe-bench test_gpu; do
  strip -o $packed/bin/$program $build/bin/$program
done
cp -r bench $packed/
cp -r scripts/gpu $packed/scripts/
find $packed -name __pycache__ -prune -exec rm -r {} +
images=/usr/share/datasets/fashion-mnist
for part in images-idx3 labels-idx1; do
  cp "$images/t10k-$part-ubyte.gz" $packed/data/
  ln -s "t10k-$part-ubyte.gz" "$packed/data/train-$part-ubyte.gz"  # training on these shows that the loss falls
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
[[ -z $prove ]] || ./scripts/gpu/prove.sh "$archive"
