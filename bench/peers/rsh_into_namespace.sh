#!/usr/bin/env bash
# What mpirun takes for a remote shell: rsh_into_namespace.sh NAMESPACE COMMAND... The namespace gets a host name of its
# own, without which OpenMPI would take all of them for one machine.
set -euo pipefail
namespace=$1
exec ip netns exec "$namespace" unshare --uts bash -c "hostname $namespace; ${*:2}"
