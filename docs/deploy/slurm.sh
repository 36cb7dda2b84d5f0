#!/usr/bin/env bash
# Trains the reference CNN on four nodes: sbatch slurm.sh. After reading this file you can run Troupe on Slurm.
# The job has five tasks. The first task is the driver and computes nothing. The others are nodes; they find the driver
# by Slurm's environment.
#
# Once, in a folder that all machines share, make a certificate for each task except the first:
#   troupe certs init ~/troupe-certs && troupe certs node ~/troupe-certs node-{1..4}
# Certificates are valid for 90 days. Renew them, also while jobs run: `troupe certs renew ~/troupe-certs node-1` and so
# on.
#SBATCH --job-name=troupe
#SBATCH --ntasks=5
#SBATCH --cpus-per-task=4
#SBATCH --mem-per-cpu=2G
#SBATCH --time=01:00:00
#SBATCH --output=troupe-%j.log
set -euo pipefail

export TROUPE_CERTS=${TROUPE_CERTS:-$HOME/troupe-certs} # contains driver/ and node-RANK/
# The run begins with two nodes; the others join it. If a node's task fails, the run continues with the other nodes, as
# long as two remain (--nodes 2:4), with the same results. --label marks the output of each task with its number.
srun --kill-on-bad-exit=0 --label troupe train --model cnn --data fashion-mnist --workers 2:16 --shards 16 --epochs 5 \
  --placement cluster --nodes 2:4 --save "troupe-$SLURM_JOB_ID.safetensors" --report "troupe-$SLURM_JOB_ID.jsonl"
