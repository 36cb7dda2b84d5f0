#!/usr/bin/env bash
# Runs an MPI program with one rank in each of scripts/local-cluster.sh's namespaces:
#   scripts/local-cluster.sh 4 --only-network -- bench/peers/mpirun_in_namespaces.sh [MPIRUN'S OPTION...] PROGRAM...
# By default every daemon would bind its rank to the same first core, and no rank would know that others share the
# cores. Therefore ranks are not bound, and they yield.
set -euo pipefail

read -ra namespaces <<<"${TROUPE_NAMESPACES:?run this by scripts/local-cluster.sh}"
hosts=$(printf '%s:1,' "${namespaces[@]}")
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
exec mpirun --host "${hosts%,}" --mca plm_rsh_agent "$(dirname "${BASH_SOURCE[0]}")/rsh_into_namespace.sh" \
  --mca plm_rsh_no_tree_spawn 1 --bind-to none --mca mpi_yield_when_idle 1 --mca pml ob1 --mca btl tcp,self \
  --mca btl_tcp_if_include eth0 --mca oob_tcp_if_include eth0 "$@"
