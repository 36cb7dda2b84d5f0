#!/usr/bin/env bash
# Runs `troupe train` while workers and the driver are killed at random, for a number of minutes:
# scripts/soak.sh [minutes] [seed]. The loss of every step and the weights must equal those of an undisturbed run, and
# no process, file or shared memory may be left behind. Before that, checkpoints are damaged in all ways that
# tests/models has. Needs a build (build/release, or TROUPE_BUILD).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

minutes=${1:-10}
seed=${2:-$(date +%s)}
[[ $minutes =~ ^[0-9]+([.][0-9]+)?$ && $seed =~ ^[0-9]+$ ]] || {
  echo "usage: $0 [minutes] [seed]" >&2
  exit 2
}
troupe=$(realpath "${TROUPE_BUILD:-build/release}")/bin/troupe
work=$(mktemp -d)
export TMPDIR=$work/tmp
mkdir "$TMPDIR"
trap 'rm -rf "$work"' EXIT

fail() {
  echo "soak: $1 (seed $seed)" >&2
  tail -n 5 "$work"/*.err >&2 || true
  exit 1
}

# Lists files and processes that our programs left behind. Their process group is that of this script.
left_behind() {
  find "$TMPDIR" -mindepth 1
  pgrep -g "$(ps -o pgid= $$ | tr -d ' ')" -x troupe || true
}

# Replaces the shell with `troupe train`.
train() {
  exec "$troupe" train --model mlp --data mock-images:12,4 --batch-size 8 --shards 8 --optimizer adam --learning-rate 0.001 \
    --clip-norm 1 --quiet --hash --placement processes --max-failures 1000000 "$@"
}

# Kills workers in every phase. A killed worker is replaced or left out.
kill_workers() {
  local kills=100 steps=400
  (train --workers 4 --steps $steps --seed "$seed" --report "$work/calm.jsonl") >"$work/calm" 2>"$work/calm.err" ||
    fail "an undisturbed run failed"
  (train --workers $((2 + seed % 4)) --steps $steps --seed "$seed" --report "$work/killed.jsonl" \
    --fault "random $kills kills of steps 2-$steps seed $seed") >"$work/killed" 2>"$work/killed.err" ||
    fail "a run whose workers were killed failed"
  "$troupe" diff "$work/calm.jsonl" "$work/killed.jsonl" >/dev/null || fail "a run whose workers were killed differs"
  killed=$((killed + $(grep -c 'was repaired: ' "$work/killed.err")))
}

# Kills the driver and resumes from the newest checkpoint with another number of workers.
kill_driver() {
  local run=$work/run rest=$work/rest.jsonl steps=400 status=1
  rm -rf "$run"
  while ((status != 0)); do
    train --workers $((1 + RANDOM % 4)) --steps $steps --seed "$seed" --checkpoint "$run" --checkpoint-every 7 --resume \
      --report "$rest" >"$work/driver" 2>"$work/driver.err" &
    local pid=$!
    sleep "0.$((RANDOM % 9))$((RANDOM % 10))"
    if ((RANDOM % 5 > 0)) && kill -9 "$pid" 2>/dev/null; then drivers=$((drivers + 1)); fi
    status=0
    wait "$pid" 2>/dev/null || status=$?
    ((status == 0 || status == 137)) || fail "a killed and resumed run failed with $status"
  done
  [[ $(tail -n 1 "$work/driver") == "$(tail -n 1 "$work/calm")" ]] || fail "a run whose driver was killed differs"
  "$troupe" diff "$work/calm.jsonl" "$rest" >/dev/null || fail "a step of a run whose driver was killed differs"
}

# Flips bits in a checkpoint, and simulates machines that stop during a write. Not part of a single round.
spoil_checkpoints() {
  local tests=${troupe%/*}/test_models
  [[ -x $tests && $minutes != 0 ]] || return 0
  TROUPE_SOAK=1 "$tests" -tc='*single bit*,*bits drawn*,*machine that stops*' >"$work/checkpoints.err" ||
    fail "damage of a checkpoint was not found"
}

spoil_checkpoints
killed=0
drivers=0
RANDOM=$((seed % 32768))
end=$(awk -v m="$minutes" -v now="$SECONDS" 'BEGIN { print int(now + 60 * m) }')
while :; do
  kill_workers
  kill_driver
  for _ in {1..20}; do
    [[ -z $(left_behind) ]] && break
    sleep 0.1
  done
  [[ -z $(left_behind) ]] || fail "something was left behind: $(left_behind)"
  seed=$((seed + 1))
  ((SECONDS < end)) || break
done
echo "soak: $killed workers and $drivers drivers were killed, and every run had the results of the undisturbed run"
