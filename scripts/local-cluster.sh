#!/usr/bin/env bash
# Creates a cluster on one machine: N network namespaces with a node each, joined by a bridge, and a driver's namespace
# in which COMMAND runs. The machine's own network is not changed. Everything is removed at the end.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

usage() {
  cat <<MESSAGE
usage: $0 N [OPTION...] [-- COMMAND...]
  N               nodes, 1 to 200; one network namespace each, and one for the driver
  --rate RATE     rate of each node's link in each direction, such as 1gbit (default: no limit); the driver's
                  link has no limit
  --only-network  start no nodes and create no certificates: COMMAND uses the namespaces itself
  --troupe FILE   the program of the nodes and of the driver: a user's program that calls troupe::init, or troupe
                  (default: build/release/bin/troupe). The certificates are created by troupe: this program,
                  build/release/bin/troupe, or the one in PATH
  --node FILE     another program for the nodes
Without COMMAND, a user's program runs without arguments, and troupe trains the reference CNN for 100 steps with one
worker per node. COMMAND runs in the driver's namespace. In its arguments {listen}, {nodes} and {certs} are replaced by
the values of the driver's --listen, --nodes and --certs. Its environment has
  TROUPE_LISTEN             ADDRESS:PORT for the driver
  TROUPE_NODES              N
  TROUPE_CERTS              the folder of credentials: driver/, n0/ to n(N-1)/ for the nodes, and a spare node/
  TROUPE_PROGRAM            the program
  TROUPE_HUB                the namespace of the bridge, whose ports port0 to port(N-1) lead to the nodes
                            and driver to the driver
  TROUPE_NAMESPACES         the nodes' namespaces, separated by spaces
  TROUPE_ADDRESSES          the nodes' addresses on their interfaces eth0, separated by spaces
  TROUPE_NODE_PIDS          the nodes' process ids, separated by spaces
Exits with COMMAND's exit status, or with 77 (skipped) if namespaces cannot be created.
MESSAGE
}

fail() {
  echo "local-cluster: $1" >&2
  exit "${2:-2}"
}

rate='' only_network='' nodes='' troupe=$root/build/release/bin/troupe node=''
command=()
while (($#)); do
  case $1 in
    --rate | --troupe | --node)
      (($# > 1)) || fail "$1 needs a value"
      declare "${1#--}=$2"
      shift
      ;;
    --only-network) only_network=yes ;;
    --help)
      usage
      exit
      ;;
    --)
      command=("${@:2}")
      break
      ;;
    *)
      [[ $1 =~ ^[1-9][0-9]{0,2}$ && -z $nodes ]] || fail "unexpected '$1'; see --help"
      nodes=$1
      ;;
  esac
  shift
done
((${nodes:-0} >= 1 && nodes <= 200)) || fail "the number of nodes must be 1 to 200; see --help"
[[ -z $only_network ]] || ((${#command[@]})) || fail "--only-network needs a command"
if [[ -z $only_network ]]; then
  [[ -x $troupe ]] || fail "$troupe is missing: build it, or select another program with --troupe"
  node=${node:-$troupe}
  [[ -x $node ]] || fail "$node is missing: build it, or select another program with --node"
  authority=$troupe
  [[ ${troupe##*/} == troupe ]] || authority=$root/build/release/bin/troupe
  [[ -x $authority ]] || authority=$(command -v troupe) || fail "troupe creates the certificates, but is missing: build it"
fi
((EUID == 0)) || fail "skipped: network namespaces need root" 77
for tool in ip tc; do
  command -v "$tool" >/dev/null || fail "skipped: $tool is missing (Debian: iproute2)" 77
done

prefix=troupe-$$
hub=$prefix-hub
driver=$prefix-driver
network=10.77.0
folder='' job=''
names=() addresses=() pids=()

# Ends the processes in our namespaces: SIGTERM first, SIGKILL after two seconds.
# shellcheck disable=SC2317  # called by a trap
end_processes() {
  local signal name tries
  for signal in TERM KILL; do
    for ((tries = 0; tries < 20; ++tries)); do
      local running=()
      for name in "${names[@]}" "$driver" "$hub"; do
        mapfile -t -O "${#running[@]}" running < <(ip netns pids "$name" 2>/dev/null)
      done
      ((${#running[@]})) || return 0
      ((tries)) || kill -s "$signal" "${running[@]}" 2>/dev/null
      sleep 0.1
    done
  done
}

# shellcheck disable=SC2317  # called by a trap
clean_up() {
  local name
  trap '' INT TERM HUP
  set +e
  end_processes
  for name in "${names[@]}" "$driver" "$hub"; do ip netns del "$name" 2>/dev/null; done
  [[ -z $folder ]] || rm -rf "$folder"
}

# Removes namespaces of runs that were killed before they could clean up.
remove_stale() {
  local name pid
  ip netns list | while read -r name _; do
    [[ $name =~ ^troupe-([0-9]+)-(n[0-9]+|hub|driver)$ ]] || continue
    pid=${BASH_REMATCH[1]}
    [[ -d /proc/$pid ]] && continue
    ip netns pids "$name" | xargs --no-run-if-empty kill -KILL 2>/dev/null || true
    ip netns del "$name" 2>/dev/null || true
  done
}

# Selects loss-based congestion control, which is Debian's default. With BBR the machine would pace links without a
# limit. Only Reno can be selected everywhere; without loss it behaves like CUBIC.
plain_tcp() {
  ip netns exec "$1" sh -c \
    'cd /proc/sys/net/ipv4 && { grep -q cubic tcp_congestion_control || echo reno >tcp_congestion_control; }'
}

# connect NAMESPACE ADDRESS PORT: creates a namespace with an interface eth0, whose other end is PORT of the bridge.
connect() {
  ip netns add "$1"
  plain_tcp "$1"
  ip -n "$hub" link add "$3" type veth peer name eth0 netns "$1"
  ip -n "$hub" link set "$3" master bridge up
  ip -n "$1" link set lo up
  ip -n "$1" address add "$2/24" dev eth0
  ip -n "$1" link set eth0 up
}

# limit NAMESPACE INTERFACE ARGUMENTS...: limits the outgoing rate. The bucket contains 1.5 milliseconds at 1 Gbit/s,
# more than the largest packet of TCP. The queue is long enough that a few senders to one node lose no packets.
limit() {
  ip netns exec "$1" tc qdisc add dev "$2" root "${@:3}"
}

make_network() {
  ip netns add "$hub"
  ip -n "$hub" link add name bridge type bridge stp_state 0
  ip -n "$hub" link set bridge up
  connect "$driver" "$network.1" driver
  local i
  for ((i = 0; i < nodes; ++i)); do
    names+=("$prefix-n$i") addresses+=("$network.$((i + 2))")
    connect "${names[i]}" "${addresses[i]}" "port$i"
    if [[ -n $rate ]]; then
      limit "${names[i]}" eth0 tbf rate "$rate" burst 192kb limit 8mb
      limit "$hub" "port$i" tbf rate "$rate" burst 192kb limit 8mb
    fi
  done
}

make_certificates() {
  local name
  "$authority" certs init "$folder/certs" >/dev/null
  for name in node "${names[@]#"$prefix"-}"; do "$authority" certs node "$folder/certs" "$name" >/dev/null; done
}

start_nodes() {
  local i
  for ((i = 0; i < nodes; ++i)); do
    ip netns exec "${names[i]}" "$node" --troupe-join="$TROUPE_LISTEN" --troupe-certs="$folder/certs/n$i" \
      --troupe-listen="${addresses[i]}" < /dev/null > >(sed -u "s/^/n$i: /" >&2) 2>&1 &
    pids+=($!)
    disown # otherwise the shell would report a node that COMMAND has killed
  done
}

trap clean_up EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
remove_stale
folder=$(mktemp -d)
ip netns add "$driver" 2>"$folder/refused" || fail "skipped: $(<"$folder/refused")" 77
ip netns del "$driver"
make_network

export TROUPE_LISTEN=$network.1:7070 TROUPE_NODES=$nodes TROUPE_CERTS=$folder/certs TROUPE_PROGRAM=$troupe
export TROUPE_HUB=$hub TROUPE_NAMESPACES="${names[*]}" TROUPE_ADDRESSES="${addresses[*]}"
if [[ -z $only_network ]]; then
  make_certificates
  start_nodes
fi
export TROUPE_NODE_PIDS="${pids[*]}"
if ((!${#command[@]})) && [[ ${troupe##*/} != troupe ]]; then command=("$troupe"); fi
((${#command[@]})) || command=("$troupe" train --model cnn --workers "$nodes" --steps 100 --placement cluster
  --listen '{listen}' --nodes '{nodes}' --certs '{certs}')
command=("${command[@]//'{listen}'/$TROUPE_LISTEN}")
command=("${command[@]//'{nodes}'/$nodes}")
command=("${command[@]//'{certs}'/$folder/certs/driver}")

# In the background, because a shell that waits for a foreground program does not handle signals.
ip netns exec "$driver" "${command[@]}" <&0 &
job=$!
status=0
wait "$job" || status=$?
exit "$status"
