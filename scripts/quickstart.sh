#!/usr/bin/env bash
# From a fresh Debian 12 or 13 to a trained network: installs missing packages, builds, trains a CNN on Fashion-MNIST,
# and shows its predictions for ten images.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

./scripts/install-deps.sh
cmake --preset release
cmake --build --preset release --target troupe_cli
./build/release/bin/troupe train --model cnn --data fashion-mnist --workers 2 --batch-size 64 \
  --learning-rate 0.05 --momentum 0.9 --epochs 2 --save build/fashion-mnist-cnn.safetensors
exec ./build/release/bin/troupe predict --load build/fashion-mnist-cnn.safetensors --data fashion-mnist --count 10 --pictures
