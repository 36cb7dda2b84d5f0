#!/usr/bin/env bash
# Runs a command in the working tree on another release of Debian, without touching this system:
#   chroot-test.sh RELEASE [COMMAND...]      such as chroot-test.sh trixie ./scripts/test.sh dev
# Without COMMAND, runs the two commands of README. The release lives in a folder of its own, made by debootstrap on the
# first call and kept: $TROUPE_CHROOTS/RELEASE, or ~/.cache/troupe/chroots/RELEASE (default). Remove that folder to begin
# with nothing installed again. COMMAND runs in a copy of the working tree. The build folders of that copy are kept, too.
# Needs root, debootstrap and a network that reaches a Debian mirror: $TROUPE_MIRROR, or debootstrap's own (default).
# Exits with 77 and a sentence if one of these is missing, else with the status of COMMAND.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

skip() {
  echo "chroot-test: skipped: $1" >&2
  exit 77
}

(($#)) || { sed -n '2,9s/^# //p' "${BASH_SOURCE[0]}" >&2; exit 2; }
release=$1
shift
(($#)) || set -- bash -c './scripts/quickstart.sh && ./scripts/test.sh'
[[ $release =~ ^[a-z]+$ ]] || { echo "chroot-test: $release is not the name of a release, such as trixie" >&2; exit 2; }
((EUID == 0)) || skip "a chroot needs root"
command -v debootstrap >/dev/null || skip "debootstrap is not installed"
unshare --mount true 2>/dev/null || skip "this system lets nobody make a mount namespace"

folder=${TROUPE_CHROOTS:-${XDG_CACHE_HOME:-$HOME/.cache}/troupe/chroots}/$release
tree=$folder/root/troupe
mkdir -p "$(dirname "$folder")"
exec 9>"$folder.lock"
flock --nonblock 9 || { echo "chroot-test: another run uses $folder" >&2; exit 1; }

# A folder with the final name is complete.
make_release() {
  [[ -d $folder ]] && return
  rm -rf "$folder.part"
  echo "Making $release in $folder"
  debootstrap --variant=minbase "$release" "$folder.part" ${TROUPE_MIRROR:+"$TROUPE_MIRROR"} >"$folder.log" 2>&1 || {
    tail -n 5 "$folder.log" >&2
    skip "debootstrap cannot make $release; its output is in $folder.log"
  }
  mv "$folder.part" "$folder"
}

# Only files that changed are written, so that the next build is as short as it would be here.
copy_tree() {
  local index=$folder/troupe.now
  rm -f "$index"
  mkdir -p "$tree"
  GIT_INDEX_FILE=$index git -C "$root" add --all
  local now
  now=$(GIT_INDEX_FILE=$index git -C "$root" write-tree)
  rm "$index"
  GIT_INDEX_FILE=$folder/troupe.index git -C "$root" --work-tree="$tree" read-tree --reset -u "$now"
}

make_release
copy_tree
cp /etc/resolv.conf "$folder/etc/resolv.conf"

# The mounts, and all processes, end with the namespaces. The release becomes the root of a mount namespace, so that tests
# can make namespaces of their own, which a chroot alone does not allow.
# shellcheck disable=SC2016
exec unshare --mount --pid --fork --kill-child bash -euc '
  folder=$1
  shift
  mount --bind "$folder" "$folder"
  cd "$folder"
  mount -t proc proc proc
  mount --rbind /sys sys
  mount --rbind /dev dev
  mount -t tmpfs tmpfs dev/shm
  pivot_root . mnt
  umount --lazy /mnt
  cd /root/troupe
  exec env -i HOME=/root LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    TERM="${TERM:-dumb}" ${CI:+CI="$CI"} "$@"' - "$folder" "$@"
