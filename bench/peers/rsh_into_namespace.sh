#!/usr/bin/env bash
# Serves as a remote shell for mpirun: rsh_into_namespace.sh NAMESPACE COMMAND... The namespace gets its own host name,
# because OpenMPI would otherwise regard all namespaces as one machine.
set -euo pipefail
namespace=$1
exec ip netns exec "$namespace" unshare --uts bash -c "hostname $namespace; ${*:2}"
