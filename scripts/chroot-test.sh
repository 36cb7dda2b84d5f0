#!/usr/bin/env bash
# Runs a command in a copy of the working tree on another release of Debian:
#   chroot-test.sh RELEASE [COMMAND...]      such as chroot-test.sh trixie ./scripts/test.sh dev
# Without COMMAND, runs the two commands of README. debootstrap creates the release on the first call in its own folder,
# $TROUPE_CHROOTS/RELEASE or ~/.cache/troupe/chroots/RELEASE (default). The folder is kept; remove it to start with a
# fresh system. The copy has no .git, and its build folders are kept. COMMAND runs as root, with the network and the
# devices of this system and nothing else of it.
# Needs root, debootstrap and a network that reaches a Debian mirror: $TROUPE_MIRROR, or debootstrap's own (default).
# Prints "chroot-test: skipped: REASON" and exits with 77 if one of these is missing. Exits with 1 if COMMAND fails.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

skip() {
  echo "chroot-test: skipped: $1" >&2
  exit 77
}

(($#)) || { sed -n '2,10s/^# //p' "${BASH_SOURCE[0]}" >&2; exit 2; }
release=$1
shift
(($#)) || set -- bash -c './scripts/quickstart.sh && ./scripts/test.sh short'
[[ $release =~ ^[a-z]+$ ]] || { echo "chroot-test: $release is not the name of a release, such as trixie" >&2; exit 2; }
((EUID == 0)) || skip "a chroot needs root"
command -v debootstrap >/dev/null || skip "debootstrap is not installed"
unshare --mount --pid --fork sh -c 'mount -t proc proc /proc && mount --bind /dev /dev' 2>/dev/null ||
  skip "this system refuses mount namespaces"

folder=$(realpath -m "${TROUPE_CHROOTS:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/troupe/chroots}/$release")
tree=$folder/root/troupe
mkdir -p "$(dirname "$folder")"
exec 9>"$folder.lock"
flock --timeout 1800 9 || skip "another run uses $folder"

# A folder with the final name is complete. The mounts of debootstrap end with its mount namespace.
make_release() {
  [[ -d $folder ]] && return
  rm -rf --one-file-system "$folder.part"
  echo "Making $release in $folder"
  unshare --mount debootstrap --variant=minbase "$release" "$folder.part" ${TROUPE_MIRROR:+"$TROUPE_MIRROR"} \
    >"$folder.log" 2>&1 || {
    tail -n 5 "$folder.log" >&2
    skip "debootstrap cannot make $release; its output is in $folder.log"
  }
  mv "$folder.part" "$folder"
}

# Writes only the files that changed, so that the next build is as short as it would be here. The objects and the index
# that git needs for that are the copy's own: the user's repository is only read.
copy_tree() {
  local git=(git -C "$root" -c "safe.directory=$root") now
  GIT_ALTERNATE_OBJECT_DIRECTORIES=$("${git[@]}" rev-parse --path-format=absolute --git-path objects)
  export GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_OBJECT_DIRECTORY=$folder/troupe.objects
  mkdir -p "$tree" "$GIT_OBJECT_DIRECTORY"
  rm -f "$folder/troupe.now" "$folder"/troupe.*.lock
  GIT_INDEX_FILE=$folder/troupe.now "${git[@]}" read-tree HEAD
  GIT_INDEX_FILE=$folder/troupe.now "${git[@]}" add --all
  now=$(GIT_INDEX_FILE=$folder/troupe.now "${git[@]}" write-tree)
  GIT_INDEX_FILE=$folder/troupe.index "${git[@]}" --work-tree="$tree" read-tree --reset -u "$now"
}

make_release
copy_tree
rm -f "$folder/etc/resolv.conf"
cp /etc/resolv.conf "$folder/etc/resolv.conf" || true
[[ -e $folder/etc/hosts ]] || printf '127.0.0.1 localhost\n::1 localhost\n' >"$folder/etc/hosts"  # bookworm has none

# The release becomes the root of a mount namespace. Tests can then make namespaces, which the kernel forbids in a
# chroot. All mounts and processes end with the namespaces.
# shellcheck disable=SC2016
unshare --mount --pid --fork --kill-child bash -euc '
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
  settings=(HOME=/root LANG=C.UTF-8 TERM="${TERM:-dumb}"
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin)
  for name in CI http_proxy https_proxy no_proxy; do
    [[ -z ${!name:-} ]] || settings+=("$name=${!name}")
  done
  env -i "${settings[@]}" dpkg --configure -a  # if the last run was interrupted during an installation
  exec env -i "${settings[@]}" "$@"' - "$folder" "$@" &
inside=$!
trap 'kill -KILL "$inside"' INT TERM
status=0
wait "$inside" || status=$?
((status == 0)) || { echo "chroot-test: failed with status $status: $*" >&2; exit 1; }
