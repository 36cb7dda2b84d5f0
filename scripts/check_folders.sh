#!/usr/bin/env bash
# Checks the include rules of folders: scripts/check_folders.sh [FILE...] (paths relative to the root of the repository;
# without arguments all C++ sources and all folders). Prints file:line and the rule for each violation, and then fails.
# Also prints files of more than 400 lines and folders of more than 30 files, because they may contain several subjects.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

files=("$@")
tree=()
if ((${#files[@]} == 0)); then
  mapfile -t tree < <(comm -23 <(git ls-files --cached --others --exclude-standard | sort -u) <(git ls-files -d | sort))
  mapfile -t files < <(printf '%s\n' "${tree[@]}" | grep -E '\.(hpp|cpp|cu)$')
fi

((${#files[@]})) || exit 0
printf '%s\n' "${tree[@]}" | awk '
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

  # room: the other rooms of its folder that it may include. Files in no room of this table, such as the top of
  # runtime/, may include any room of their folder and be included by any.
  rooms["runtime/fork"] = ""
  rooms["runtime/files"] = rooms["runtime/processes"] = "runtime/fork"
  rooms["runtime/http"] = "runtime/files runtime/fork"
  rooms["runtime/store"] = "runtime/fork runtime/processes"
  rooms["runtime/net"] = "runtime/processes"
  rooms["runtime/net/certificates"] = "runtime/files runtime/net"
  rooms["runtime/net/tls"] = "runtime/net runtime/net/certificates"
  rooms["runtime/net/gate"] = "runtime/processes runtime/net runtime/net/tls"
  rooms["runtime/net/data"] = rooms["runtime/net/gate"] " runtime/net/certificates runtime/net/gate"
  rooms["models/files"] = rooms["models/layers"] = rooms["models/optimizers"] = ""
  rooms["models/data"] = "models/files"
  rooms["models/losses"] = "models/data"
  rooms["models/network"] = "models/data models/files models/losses"
  rooms["models/predictor"] = "models/data models/files models/losses models/network"
  rooms["models/cpu/memory"] = ""
  rooms["models/devices"] = "models/data models/network"
  rooms["models/cpu"] = "models/cpu/memory models/data models/devices models/losses models/network"
  rooms["models/cpu/layers"] = "models/cpu models/devices models/network"
  rooms["models/cuda/api"] = "models/devices models/network"
  rooms["models/cuda/kernels"] = "models/cuda/api models/devices"
  rooms["models/cuda"] = "models/cuda/api models/cuda/kernels models/data models/devices models/losses models/network"
  rooms["models/cuda/layers"] = "models/cuda models/cuda/api models/cuda/kernels models/devices models/network"
  rooms["models/torch"] = "models/devices models/files models/predictor"
  rooms["collectives/plan"] = ""
  rooms["collectives/state"] = "collectives/plan"
  rooms["collectives/exchange"] = "collectives/plan collectives/state"
  rooms["collectives/group"] = "collectives/plan collectives/state collectives/exchange"
  rooms["collectives/mpi"] = "collectives/plan collectives/group"
  rooms["actors/launch"] = rooms["actors/messages"] = rooms["actors/callbacks"] = ""
  rooms["actors/rounds"] = rooms["actors/servers"] = "actors/messages"
  rooms["actors/functions"] = "actors/callbacks actors/messages"
  rooms["actors/worker"] = "actors/functions actors/messages"
  rooms["actors/transport/admission"] = "actors/messages"
  rooms["actors/transport"] = "actors/messages actors/transport/admission"
  rooms["actors/node"] = "actors/launch actors/messages actors/servers actors/transport actors/worker"
  rooms["actors/placements"] = rooms["actors/node"] " actors/node actors/rounds actors/servers"
  rooms["actors/algorithms"] = "actors/messages actors/rounds"
  rooms["actors/trainer"] = "actors/callbacks actors/driver actors/functions actors/messages actors/placements actors/rounds"
  rooms["actors/driver"] = "actors/algorithms actors/messages actors/node actors/placements actors/rounds actors/servers actors/transport"

  # headers of other projects: the folders that may include them
  only["^caf/"] = "^(actors|bench/peers)/"
  only["^xxhash"] = "^runtime/"
  only["^boost/"] = "^runtime/"
  only["^openssl/"] = "^(runtime|tests/cluster)/"  # attackers in the tests of clusters use their own TLS
  only["^(oneapi/)?dnnl"] = "^(models/cpu|bench/peers)/"
  only["^(png|jpeglib|jerror)\\.h$"] = "^(models/files/images|tests)/"
  only["^archive(_entry)?\\.h$"] = "^(models/files/archives|tests)/"
  only["^(curl/|pugixml)"] = "^(runtime/http|tests/runtime)/"
  only["^mpi\\.h$"] = "^(collectives/mpi|bench/peers)/"
  only["^Eigen/"] = "^(models/|include/troupe/eigen)"
  only["^CLI/"] = "^(cli|bench)/"
  only["^nlohmann/"] = "^(include|runtime|models|collectives|actors|cli|bench)/"
  only["^(torch|ATen|c10)/"] = "^(models/torch|bench/torch|tests/torch)/"
  only["^(cuda|cudnn|cublas|nccl)"] = "/cuda/"
  only["^(doctest|doctest/.*)$"] = "^tests/"
}

function refuse(where, rule) {
  print where ": " rule
  failed = 1
}

function violation(line, rule) { refuse(FILENAME ":" line, rule) }

function folder_of(file) { return sub(/\/[^\/]*$/, "", file) ? file : "" }

# Returns the innermost room that contains a file, or "".
function room_of(file) {
  for (file = folder_of(file); file != "" && !(file in rooms);) file = folder_of(file)
  return file
}

function check_room(header,    room, target) {
  room = room_of(FILENAME)
  target = room_of(header)
  if (room == "" || target == "" || room == target || index(target, folder "/") != 1) return
  if (index(" " rooms[room] " ", " " target " ") == 0)
    violation(FNR, room "/ must not include " target "/ (only: " (rooms[room] == "" ? "none" : rooms[room]) ")")
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

# Tests may use the headers of the folder that they test. Fuzz targets mirror the folders below tests/fuzz/.
function check_others(header,    prefix) {
  for (prefix in only)
    if (header ~ prefix && path !~ only[prefix] && FILENAME !~ only[prefix])
      violation(FNR, "<" header "> belongs only in folders like " only[prefix])
}

function check_length() {
  if (lines > 400 && previous !~ /^tests\//) print previous ":" lines ": longer than 400 lines"
}

function check_sizes(    folder) {
  for (folder in held)
    if (held[folder] > 30 && folder !~ /^tests\/fuzz\/corpus\//)
      print folder "/: " held[folder] " files"
}

# Returns the path of a project header that is included by this name, or "" for headers of other projects.
function place_of(header, from) {
  if (header in includes) return header
  if (("include/" header) in includes) return "include/" header
  if (("tests/" header) in includes) return "tests/" header
  from = folder_of(from) "/" header
  return from in includes ? from : ""
}

# Visits the nodes that a node of the graph leads to. `trail` is the path so far. Each cycle is reported once.
function follow(graph, node, trail, what,    next_nodes, count, i, target) {
  state[node] = "open"
  count = split(graph[node], next_nodes, " ")
  for (i = 1; i <= count; ++i) {
    target = what == "headers" ? place_of(next_nodes[i], node) : next_nodes[i]
    if (!(target in graph)) continue
    if (state[target] == "open")
      refuse(node, "a cycle of " what ": " substr(trail " ", index(trail " ", " " target " ") + 1) "-> " target)
    else if (state[target] == "")
      follow(graph, target, trail " -> " target, what)
  }
  state[node] = "done"
}

function check_circles(graph, what,    node) {
  for (node in graph)
    if (state[node] == "") follow(graph, node, " " node, what)
}

listing { if ($0 != "") ++held[folder_of($0)]; next }
FNR == 1 {
  check_length()
  previous = FILENAME
  folder = path = FILENAME
  sub(/\/.*/, "", folder)
  sub(/^tests\/(fuzz\/)?/, "", path)
  if (FILENAME ~ /\.hpp$/) includes[FILENAME] = ""
}
{ lines = FNR }
/^[ \t]*#[ \t]*include[ \t]*[<"]/ {
  header = $0
  sub(/^[^<"]*[<"]/, "", header)
  sub(/[>"].*/, "", header)
  check_folder(header)
  check_room(header)
  check_others(header)
  if (FILENAME ~ /\.hpp$/) includes[FILENAME] = includes[FILENAME] " " header
}
END {
  check_length()
  check_sizes()
  check_circles(includes, "headers")
  check_circles(rooms, "rooms")
  exit failed
}
' listing=1 - listing=0 "${files[@]}"
