#!/usr/bin/env bash
# Runs the commands of a recipe, which are the indented lines of its text, one after the other in the current folder:
#   run-recipe.sh docs/recipes/NAME.md [--short]
# --short, for tests, first applies the sed commands in the recipe's comment "<!-- short: ... -->". Fails if a command
# fails, or if no line of the output matches the pattern of an "<!-- expect: ... -->" comment (with --short: "<!--
# expect in short: ... -->"). Exits with 77 (skipped) if a command does, because the machine lacks a requirement.
set -euo pipefail

recipe=$(realpath "$1")
short=${2:-}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

comment() { # KIND: prints the texts of these comments, one per line
  sed -n "s/^<!-- $1: \(.*\) -->\$/\1/p" "$recipe"
}

# A backslash at the end of a line continues the command in the next line.
commands=$(sed -n 's/^    //p' "$recipe" | sed -e ':more' -e '/\\$/{N;s/\\\n *//;b more' -e '}')
[[ -n $short ]] && commands=$(sed -E "$(comment short)" <<<"$commands")
[[ -n $commands ]] || { echo "run-recipe: $recipe has no commands" >&2; exit 1; }

[[ -e scripts ]] || ln -s "$root/scripts" scripts
output=$(mktemp)
trap 'rm -f "$output"' EXIT
while IFS= read -r command; do
  echo "+ $command"
  status=0
  bash -o pipefail -c "$command" </dev/null 2>&1 | tee -a "$output" || status=$?
  ((status == 0)) || { echo "run-recipe: status $status of: $command" >&2; exit "$status"; }
done <<<"$commands"

while IFS= read -r pattern; do
  [[ -z $pattern ]] || grep -qE -- "$pattern" "$output" || { echo "run-recipe: no line matches: $pattern" >&2; exit 1; }
done <<<"$(comment "expect${short:+ in short}")"
