#!/usr/bin/env bash
# Installs what Troupe needs to build and run; does nothing, and needs no network, when all of it is there.
#   --dev    also clang-format, clang-tidy, ccache, and clang with libFuzzer, and iproute2
#   --peers  also PyTorch (with torchvision and OpenBLAS) and OpenMPI, which bench/ compares with
set -euo pipefail

packages=(g++ cmake ninja-build pkg-config libcaf-dev libssl-dev libeigen3-dev libboost-dev nlohmann-json3-dev
  doctest-dev libdnnl-dev zlib1g-dev libcli11-dev libxxhash-dev libpng-dev libjpeg62-turbo-dev dataset-fashion-mnist)
for option in "$@"; do
  case $option in
    --dev) packages+=(git clang-format clang-tidy ccache clang libclang-rt-14-dev iproute2) ;;
    --peers)
      # Without OpenBLAS, PyTorch multiplies matrices by reference loops, several times slower.
      packages+=(python3 python3-torch python3-torchvision python3-numpy libopenblas0-pthread openmpi-bin libopenmpi-dev)
      ;;
    *)
      echo "usage: $0 [--dev] [--peers]" >&2
      exit 2
      ;;
  esac
done

installed() {
  [[ $(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
}

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  cat >&2 <<MESSAGE
This machine has no apt-get. Install what these Debian packages hold, under the names of your system:
  ${packages[*]}
Then run: cmake --workflow --preset release
MESSAGE
  exit 1
fi

missing=()
for package in "${packages[@]}"; do
  installed "$package" || missing+=("$package")
done
((${#missing[@]})) || exit 0

as_root=()
if ((EUID != 0)); then
  if ! command -v sudo >/dev/null; then
    echo "Neither root nor sudo is here. As root, run: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi
echo "Installing: ${missing[*]}"
"${as_root[@]}" apt-get update
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends "${missing[@]}"
