#!/usr/bin/env bash
# Installs the packages that Troupe needs to build and run. Does nothing, and needs no network, if all are installed.
#   --dev    also patch, Doxygen, Python, clang-format, clang-tidy, ccache, clang with libFuzzer, iproute2, Chromium with
#            a font, the packages for the texts and images of recipes, and OpenMPI
#   --torch  also libtorch with OpenBLAS (about 500 MB), for modules of libtorch and their tests
#   --peers  also the peers of bench/: OpenMPI, and PyTorch, torchvision, Ray and scikit-learn from PyPI in a virtual
#            environment under build/peers (about 8 GB). If PyPI cannot be reached, Debian's PyTorch with OpenBLAS
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
peers=

packages=(g++ cmake ninja-build pkg-config libcaf-dev libssl-dev libeigen3-dev libboost-dev nlohmann-json3-dev
  doctest-dev libdnnl-dev zlib1g-dev libcli11-dev libxxhash-dev libpng-dev libjpeg-dev libarchive-dev
  libcurl4-openssl-dev libpugixml-dev
  dataset-fashion-mnist)
for option in "$@"; do
  case $option in
    --dev) packages+=(git patch doxygen python3 clang-format clang-tidy ccache clang libclang-rt-dev iproute2 debootstrap chromium
      fonts-dejavu-core fonts-noto-color-emoji python3-pil openmpi-bin libopenmpi-dev bible-kjv) ;;
    --torch) packages+=(libtorch-dev libopenblas0-pthread) ;;
    --peers)
      peers=yes
      packages+=(python3 python3-venv openmpi-bin libopenmpi-dev bible-kjv)
      ;;
    *)
      echo "usage: $0 [--dev] [--peers] [--torch]" >&2
      exit 2
      ;;
  esac
done

installed() {
  [[ $(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
}

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  cat >&2 <<MESSAGE
This machine has no apt-get. Install the equivalents of these Debian packages:
  ${packages[*]}
Then run: cmake --workflow --preset release
MESSAGE
  exit 1
fi

install() { # PACKAGE... some may be installed already
  local missing=() package as_root=()
  for package in "$@"; do
    installed "$package" || missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  if ((EUID != 0)); then
    if ! command -v sudo >/dev/null; then
      echo "Installing packages needs root, and sudo is missing. Run as root: apt-get install ${missing[*]}" >&2
      exit 1
    fi
    as_root=(sudo)
  fi
  echo "Installing: ${missing[*]}"
  "${as_root[@]}" apt-get update
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends "${missing[@]}"
}

# The file `complete` marks a complete installation. An interrupted installation is repeated.
install_peers() {
  local folder=$root/build/peers
  [[ -e $folder/complete ]] && return
  if python3 -m venv --clear "$folder" &&
    "$folder/bin/pip" install --disable-pip-version-check torch torchvision 'ray[default,train]' scikit-learn; then
    touch "$folder/complete"
  else
    echo "PyPI cannot be reached: installing Debian's PyTorch" >&2
    rm -rf "$folder"
    # Without OpenBLAS it multiplies matrices with reference loops, several times slower.
    install python3-torch python3-torchvision python3-numpy libopenblas0-pthread
  fi
}

install "${packages[@]}"
[[ -z $peers ]] || install_peers
