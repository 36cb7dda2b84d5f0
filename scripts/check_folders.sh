#!/usr/bin/env bash
# Who may include whom, and how long a file may be: scripts/check_folders.sh [FILE...] (paths from the repository's
# root; all C++ sources without arguments). Prints file:line and the rule for each violation, and then fails.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

files=("$@")
if ((${#files[@]} == 0)); then
  mapfile -t files < <(git ls-files --cached --others --exclude-standard -- '*.hpp' '*.cpp' '*.cu')
fi

((${#files[@]})) || exit 0
awk '
BEGIN {
  # folder: the project folders whose headers it may include
  may["include"] = "troupe"
  may["runtime"] = "troupe runtime"
  may["models"] = "troupe runtime models"
  may["collectives"] = "troupe runtime collectives"
  may["actors"] = "troupe runtime models collectives actors"
  may["cli"] = may["actors"] " cli"
  may["tests"] = may["bench"] = may["cli"] " tests bench"
  may["examples"] = "troupe"

  # headers of others: the folders that may include them
  only["^caf/"] = "^actors/"
  only["^boost/"] = "^runtime/"
  only["^openssl/"] = "^(runtime|tests/cluster)/"  # attackers of the cluster speak TLS of their own
  only["^(oneapi/)?dnnl"] = "^(models/cpu|bench/peers)/"
  only["^Eigen/"] = "^models/"
  only["^CLI/"] = "^cli/"
  only["^nlohmann/"] = "^(runtime|models|collectives|actors|cli|bench)/"
  only["^(cuda|cudnn|cublas|nccl)"] = "/cuda/"
  only["^(doctest|doctest/.*)$"] = "^tests/"
}

function violation(line, rule) {
  printf "%s:%d: %s\n", FILENAME, line, rule
  failed = 1
}

function check_folder(header,    target) {
  target = header
  if (header ~ /^\.\.?\//) { violation(FNR, "include \"folder/file.hpp\", not \"" header "\""); return }
  if (!sub(/\/.*/, "", target)) return
  if (!(target in may) && target != "troupe") return
  if (!(folder in may)) { violation(FNR, "a folder without a rule: " folder "/"); return }
  if (index(" " may[folder] " ", " " target " ") == 0)
    violation(FNR, folder "/ must not include " target "/ (only: " may[folder] ")")
}

# Tests may use what the folder that they test uses; fuzz targets mirror the folders below tests/fuzz/.
function check_others(header,    prefix) {
  for (prefix in only)
    if (header ~ prefix && path !~ only[prefix] && FILENAME !~ only[prefix])
      violation(FNR, "<" header "> belongs only in folders like " only[prefix])
}

function check_length() {
  if (lines > 400 && previous !~ /^tests\//) {
    printf "%s:%d: longer than 400 lines\n", previous, lines
    failed = 1
  }
}

FNR == 1 {
  check_length()
  previous = FILENAME
  folder = path = FILENAME
  sub(/\/.*/, "", folder)
  sub(/^tests\/(fuzz\/)?/, "", path)
}
{ lines = FNR }
/^[ \t]*#[ \t]*include[ \t]*[<"]/ {
  header = $0
  sub(/^[^<"]*[<"]/, "", header)
  sub(/[>"].*/, "", header)
  check_folder(header)
  check_others(header)
}
END {
  check_length()
  exit failed
}
' "${files[@]}"
