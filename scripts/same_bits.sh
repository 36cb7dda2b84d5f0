#!/bin/bash
# Checks that results are bitwise identical to those of another commit, on this machine: scripts/same_bits.sh COMMIT
# tests/bits defines the compared runs; that commit must contain them, too. Exits with 1 if results differ.
set -euo pipefail
cd "$(dirname "$0")/.."
commit=$(git rev-parse --verify "$1^{commit}")
folder=build/same-bits
before=$folder/$commit
mkdir -p "$folder"
git worktree prune
[ -d "$before" ] || git worktree add --detach "$before" "$commit"
for tree in "$before" .; do
  (cd "$tree" && cmake --preset release > /dev/null && cmake --build --preset release --target test_bits)
done
"$before/build/release/bin/test_bits" --write "$folder/before.txt"
build/release/bin/test_bits --write "$folder/after.txt"
git worktree remove --force "$before"
if ! diff "$folder/before.txt" "$folder/after.txt"; then
  echo "results differ from those of $commit" >&2
  exit 1
fi
echo "$(wc -l < "$folder/after.txt") results are bitwise identical to those of $commit"
