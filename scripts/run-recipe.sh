#!/usr/bin/env bash
# Runs the commands of a page, the indented lines of its text, as one script in the current folder:
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

# Indented lines that are not part of a fenced block. A command may continue in the next line, after a backslash.
commands=$(sed -e '/^```/,/^```/d' "$recipe" | sed -n 's/^    //p' | sed -e ':more' -e '/\\$/{N;s/\\\n *//;b more' -e '}')
[[ -n $short ]] && commands=$(sed -E "$(comment short)" <<<"$commands")
[[ -n $commands ]] || { echo "run-recipe: $recipe has no commands" >&2; exit 1; }

[[ -e scripts ]] || ln -s "$root/scripts" scripts
output=$(mktemp)
trap 'rm -f "$output"' EXIT
bash -exo pipefail -c "$commands" </dev/null 2>&1 | tee "$output"

while IFS= read -r pattern; do
  [[ -z $pattern ]] || grep -qE -- "$pattern" "$output" || { echo "run-recipe: no line matches: $pattern" >&2; exit 1; }
done <<<"$(comment "expect${short:+ in short}")"
