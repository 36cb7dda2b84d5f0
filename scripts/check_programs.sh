#!/usr/bin/env bash
# Compiles each complete program (a C++ block with a main function) that the Markdown pages show, without linking it:
#   check_programs.sh COMPILER
# Programs that use libtorch are left out if it is not installed.
# The programs of docs/guide.md and docs/tutorial.md are examples, which scripts/check_guide.sh compares with the pages.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

libtorch=/usr/include/torch/csrc/api/include
found=0
while IFS= read -r page; do
  number=0
  while IFS= read -r -d '' program; do
    number=$((number + 1))
    [[ $program == *"int main("* ]] || continue
    includes=(-Iinclude)
    if [[ $program == *"<troupe/torch.hpp>"* ]]; then
      [[ -d $libtorch ]] || continue
      includes+=(-Imodels/torch/include -isystem "$libtorch")
    fi
    found=$((found + 1))
    "$1" -std=c++20 -fsyntax-only "${includes[@]}" -x c++ - <<<"$program" || { echo "$page: C++ block $number does not compile" >&2; exit 1; }
  done < <(awk '/^```cpp$/ { inside = 1; next } inside && /^```$/ { inside = 0; printf "%c", 0 } inside' "$page")
done < <(git ls-files '*.md' ':!docs/guide.md' ':!docs/tutorial.md')
echo "$found programs"
((found > 0))
