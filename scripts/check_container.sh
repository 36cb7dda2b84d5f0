#!/usr/bin/env bash
# Performs the steps of the Containerfile without a container engine: the build stage in a release of Debian that
# chroot-test.sh keeps, and the run stage in a fresh one, where the program trains. Has the requirements of
# chroot-test.sh and exits with 77 (skipped) under the same conditions.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
[[ $(grep -c '^FROM debian:12-slim' Containerfile) == 2 ]] || { echo "the Containerfile has no two stages of Debian 12" >&2; exit 1; }

# Prints the RUN commands of a stage: steps 1|2
steps() {
  awk -v stage="$1" '/^FROM / { ++at } at == stage && /^RUN / { sub(/^RUN /, ""); print }' Containerfile
}

kept=${TROUPE_CHROOTS:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/troupe/chroots}
built=$kept/bookworm
rm -rf --one-file-system "$built/out"
# The build uses other options than the tests in this folder and is removed afterwards.
./scripts/chroot-test.sh bookworm bash -euxc "rm -rf build/release
$(steps 1)
rm -rf build/release" || exit $?

run=$kept/container
rm -rf --one-file-system "$run"
unshare --mount debootstrap --variant=minbase bookworm "$run" ${TROUPE_MIRROR:+"$TROUPE_MIRROR"} >"$run.log" 2>&1 ||
  { tail -n 5 "$run.log" >&2; exit 77; }
mkdir -p "$run/opt"
cp -r "$built/out" "$run/opt/troupe"
chroot "$run" bash -euxc "$(steps 2)"
mapfile -t entry < <(grep -oP '^ENTRYPOINT \["\K[^"]+' Containerfile)
unshare --mount --pid --fork bash -euc '
  mount -t proc proc "$1/proc"
  mount --rbind /dev "$1/dev"
  exec chroot --userspec=troupe "$1" env HOME=/home/troupe "$2" train --model mlp --data mock-images:8,10 --steps 20 \
    --workers 2 --placement processes' - "$run" "${entry[0]}"
echo "container: $(du -sh --exclude=proc --exclude=dev "$run" | cut -f 1) with Debian, $(du -sh "$run/opt/troupe" | cut -f 1) without"
rm -rf --one-file-system "$run"
