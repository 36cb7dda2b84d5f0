#!/usr/bin/env bash
# Creates the packages of a build and tests them. Installs the Debian package under a separate root, links a user's
# program with the installed files, and removes the package; no file may remain. Then unpacks the archive in another
# folder, runs the archive's program under a root that contains only glibc of this system, and links a user's program
# with the archive's files. NVIDIA's libraries, which a build with CUDA needs, are in neither package, so the program of
# such a build does not run under that root.
#   package.sh BUILD_DIR CXX
set -euo pipefail

build=$1
cxx=$2
source=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$build/package
rm -rf "$work"
mkdir -p "$work/root/var/lib/dpkg/"{info,updates} "$work/root/usr/share"
touch "$work/root/var/lib/dpkg/status"

(cd "$work" && cpack --config "$build/CPackConfig.cmake" >"$work/cpack.log")
packages=("$work"/troupe*.deb)
nvidia='/lib(cuda|cublas|cudnn|nv)[^/]*$'
# The dependencies of the package are installed under the usual root. Scripts of the package would need another root,
# but the package has no scripts.
dpkg=(dpkg --root="$work/root" --force-depends --force-not-root --force-bad-path --force-unsafe-io
  --log="$work/dpkg.log")
"${dpkg[@]}" --install "${packages[0]}" >"$work/install.log" 2>&1

version=$("$work/root/usr/bin/troupe" --version)
[[ $(dpkg-deb --field "${packages[0]}" Version) == "$version-1~"* ]]

# The package must depend on all shared libraries of the program, directly or indirectly.
declare -A known=()
mapfile -t queue < <(dpkg-deb --field "${packages[0]}" Depends | tr ',' '\n')
while ((${#queue[@]} > 0)); do
  name=$(sed 's/(.*//; s/|.*//; s/:any//; s/ //g' <<<"${queue[0]}")
  queue=("${queue[@]:1}")
  [[ -z $name || -n ${known[$name]:-} ]] && continue
  known[$name]=1
  mapfile -t -O "${#queue[@]}" queue < <(dpkg-query --show --showformat '${Depends}, ${Pre-Depends}' "$name" \
    2>/dev/null | tr ',' '\n')
done
while read -r library; do
  [[ $library =~ $nvidia ]] && continue
  library=${library#/usr}  # packages list the path that was valid before /lib and /usr/lib were merged
  owner=$({ dpkg-query --search "$library" || dpkg-query --search "/usr$library"; } 2>/dev/null | cut -d : -f 1 || true)
  if [[ -z ${known[${owner:-none}]:-} ]]; then
    echo "the program needs $library of ${owner:-no package}, which the package does not depend on" >&2
    exit 1
  fi
done < <(ldd "$work/root/usr/bin/troupe" | awk '$2 == "=>" { print $3 }')

export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$(find "$work/root" -name troupe.pc)")
# The flags are a list of words.
# shellcheck disable=SC2046
"$cxx" -std=c++20 "$source/main.cpp" -o "$work/consumer" $(pkg-config --static --cflags --libs troupe)
"$work/consumer"

"${dpkg[@]}" --purge "$(dpkg-deb --field "${packages[0]}" Package)" >"$work/remove.log" 2>&1
if left=$(find "$work/root/usr" -mindepth 1 -not -path "$work/root/usr/share" | grep .); then
  echo "the package has left behind: $left" >&2
  exit 1
fi

mkdir "$work/another place"
tar -xzf "$work/troupe-$version"-*.tar.gz -C "$work/another place" --strip-components=1

# A root with the same glibc and no other packages.
mkdir -p "$work/bare/"{proc,tmp}
mv "$work/another place" "$work/bare/another place"
"$work/bare/another place/bin/troupe" --version >/dev/null
libraries=$(ldd "$work/bare/another place/bin/troupe")
if grep 'not found' <<<"$libraries" >&2; then
  exit 1
fi
with_nvidia=
while read -r library; do
  if [[ $library =~ $nvidia ]]; then
    with_nvidia=yes
    continue
  fi
  case $library in
    "$work/bare"/*) ;;
    */ld-linux*.so.* | */libc.so.* | */libm.so.* | */libdl.so.* | */librt.so.* | */libpthread.so.* | */libresolv.so.*)
      mkdir -p "$work/bare$(dirname "$library")"
      cp -L "$library" "$work/bare$library"
      ;;
    *)
      echo "the archive's program needs $library of this system" >&2
      exit 1
      ;;
  esac
done < <(grep -o '/.*\.so[^ ]*' <<<"$libraries")
namespaces=(unshare --user --map-root-user --mount --pid --fork)
if ((EUID == 0)); then
  namespaces=(unshare --mount --pid --fork)
fi
if [[ -n $with_nvidia ]]; then
  echo "not run under another root: the program needs NVIDIA's libraries"
elif "${namespaces[@]}" sh -c 'mount -t proc proc "$1/proc"' - "$work/bare" 2>/dev/null; then
  # shellcheck disable=SC2016
  "${namespaces[@]}" sh -c 'mount -t proc proc "$1/proc" && exec chroot "$1" "/another place/bin/troupe" train --quiet \
    --model linear --workers 2 --placement processes --steps 3' - "$work/bare" >"$work/archive.log"
else
  echo "not run under another root: this system does not allow namespaces"
fi
mv "$work/bare/another place" "$work/another place"
cmake -S "$source" -B "$work/archive" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER="$cxx" -DWAY=find_package \
  -DCMAKE_PREFIX_PATH="$work/another place" >>"$work/archive.log"
cmake --build "$work/archive" >>"$work/archive.log"
"$work/archive/consumer"
