#!/usr/bin/env bash
# sbatch slurm.sh: trains the reference CNN on four nodes. There is one task more: the first leads and computes nothing,
# the others become nodes and find it by Slurm's environment.
#
# Before, once, where all machines see it, a certificate for each task but the first:
#   troupe certs init ~/troupe-certs && troupe certs node ~/troupe-certs node-{1..4}
# They are good for 90 days: `troupe certs renew ~/troupe-certs node-1`, and so on, also while jobs run.
#SBATCH --job-name=troupe
#SBATCH --ntasks=5
#SBATCH --cpus-per-task=4
#SBATCH --mem-per-cpu=2G
#SBATCH --time=01:00:00
#SBATCH --output=troupe-%j.log
set -euo pipefail

export TROUPE_CERTS=${TROUPE_CERTS:-$HOME/troupe-certs} # holds driver/ and node-RANK/
# A task that fails ends the others, and its output says which it was.
srun --kill-on-bad-exit=1 --label troupe train --model cnn --data fashion-mnist --workers 4 --epochs 5 \
  --placement cluster --save "troupe-$SLURM_JOB_ID.safetensors" --report "troupe-$SLURM_JOB_ID.jsonl"
