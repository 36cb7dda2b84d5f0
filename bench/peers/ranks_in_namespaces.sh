#!/usr/bin/env bash
# Runs COMMAND once in each of scripts/local-cluster.sh's namespaces, with the variables of torch.distributed's env://,
# and prints the output of rank 0: scripts/local-cluster.sh 4 --only-network -- bench/peers/ranks_in_namespaces.sh
# COMMAND...
set -euo pipefail

read -ra namespaces <<<"${TROUPE_NAMESPACES:?run this by scripts/local-cluster.sh}"
export WORLD_SIZE=${#namespaces[@]} MASTER_ADDR=${TROUPE_ADDRESSES%% *} MASTER_PORT=29500 GLOO_SOCKET_IFNAME=eth0
ranks=()
exec {nowhere}>/dev/null
for rank in "${!namespaces[@]}"; do
  output=1
  ((rank == 0)) || output=$nowhere
  RANK=$rank ip netns exec "${namespaces[rank]}" "$@" >&"$output" &
  ranks+=($!)
done
status=0
for rank in "${ranks[@]}"; do wait "$rank" || status=$?; done
exit "$status"
