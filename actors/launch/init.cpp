#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <iterator>

#include "actors/launch/launch.hpp"
#include "runtime/processes/limits.hpp"
#include "runtime/processes/slurm.hpp"
#include "troupe/models.hpp"
#include "troupe/sgd.hpp"

namespace troupe {
namespace {

struct ProgramState {
  bool initialised = false;
  std::string name;
};

ProgramState& program() {
  static ProgramState state;
  return state;
}

constexpr const char* kWorkerFlag = "--troupe-worker=";
constexpr const char* kSocketFlag = "--troupe-socket=";
constexpr const char* kJoinFlag = "--troupe-join=";
constexpr const char* kCertsFlag = "--troupe-certs=";
constexpr const char* kListenFlag = "--troupe-listen=";
constexpr const char* kDriverNameFlag = "--troupe-driver-name=";
constexpr const char* kStoreFlag = "--troupe-store-bytes=";
constexpr const char* kPatienceFlag = "--troupe-patience=";
constexpr const char* kCutFlag = "--troupe-cut-after=";
constexpr const char* kOnceFlag = "--troupe-once";
/// Seconds that a task of Slurm's waits for its leader to make a cluster.
constexpr int kSlurmPatience = 300;
constexpr const char* kWatchedFlag = "--troupe-watched";

/// What follows a flag in the last argument that begins with it.
std::optional<std::string> value_of(const std::string& flag, int argc, const char* const* argv) {
  std::optional<std::string> value;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const bool takes_value = flag.back() == '=';
    if (takes_value ? argument.starts_with(flag) : argument == flag) value = argument.substr(flag.size());
    if (takes_value && argument + '=' == flag && i + 1 < argc) value = argv[++i];
  }
  return value;
}

void refuse_unknown_flags(int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (!argument.starts_with("--troupe-")) continue;
    const char* known[] = {kWorkerFlag, kSocketFlag,   kJoinFlag, kCertsFlag, kListenFlag, kDriverNameFlag,
                           kStoreFlag,  kPatienceFlag, kCutFlag,  kOnceFlag,  kWatchedFlag};
    const bool is_known = std::any_of(std::begin(known), std::end(known), [&](const std::string& flag) {
      return flag.back() == '=' ? argument.starts_with(flag) || argument + '=' == flag : argument == flag;
    });
    if (!is_known) throw Error(ErrorCode::invalid_argument, "unknown argument " + argument);
  }
}

std::size_t parse_number(const std::string& flag, const std::string& text, std::size_t most_digits) {
  if (text.empty() || text.size() > most_digits || text.find_first_not_of("0123456789") != std::string::npos)
    throw Error(ErrorCode::invalid_argument, flag + text + " is no number that can be");
  return std::stoull(text);
}

}  // namespace

std::vector<std::string> WorkerLaunch::arguments(const std::string& program) const {
  return {program, kWorkerFlag + std::to_string(worker), kSocketFlag + socket};
}

std::optional<WorkerLaunch> WorkerLaunch::parse(int argc, const char* const* argv) {
  const auto worker = value_of(kWorkerFlag, argc, argv);
  const auto socket = value_of(kSocketFlag, argc, argv);
  if (!worker && !socket) return std::nullopt;
  if (!worker || !socket)
    throw Error(ErrorCode::invalid_argument, std::string(kWorkerFlag) + " and " + kSocketFlag + " go together");
  return WorkerLaunch{static_cast<int>(parse_number(kWorkerFlag, *worker, 6)), *socket};
}

std::vector<std::string> NodeLaunch::arguments(const std::string& program) const {
  std::vector<std::string> arguments{program, kJoinFlag + join.text(), kCertsFlag + certs};
  if (!listen.host.empty()) arguments.push_back(kListenFlag + listen.text());
  if (!driver_name.empty()) arguments.push_back(kDriverNameFlag + driver_name);
  if (store_bytes > 0) arguments.push_back(kStoreFlag + std::to_string(store_bytes));
  if (patience > 0) arguments.push_back(kPatienceFlag + std::to_string(patience));
  arguments.push_back(kCutFlag + std::to_string(cut_after.count()));
  if (once) arguments.emplace_back(kOnceFlag);
  if (watched) arguments.emplace_back(kWatchedFlag);
  return arguments;
}

std::optional<NodeLaunch> NodeLaunch::parse(int argc, const char* const* argv) {
  const auto join = value_of(kJoinFlag, argc, argv);
  const auto certs = value_of(kCertsFlag, argc, argv);
  const auto listen = value_of(kListenFlag, argc, argv);
  const bool once = value_of(kOnceFlag, argc, argv).has_value();
  if (!join && !certs && !listen && !once) return std::nullopt;
  if (!join || !certs)
    throw Error(ErrorCode::invalid_argument, std::string("a node needs ") + kJoinFlag + "HOST:PORT and " + kCertsFlag +
                                                 "FOLDER (see `troupe certs`)");
  NodeLaunch launch;
  launch.join = Address::parse(*join, 1);
  launch.certs = *certs;
  if (listen) launch.listen = parse_listen(*listen);
  launch.driver_name = value_of(kDriverNameFlag, argc, argv).value_or("");
  if (const auto bytes = value_of(kStoreFlag, argc, argv)) launch.store_bytes = parse_number(kStoreFlag, *bytes, 15);
  if (const auto seconds = value_of(kPatienceFlag, argc, argv))
    launch.patience = static_cast<int>(parse_number(kPatienceFlag, *seconds, 6));
  if (const auto cut = value_of(kCutFlag, argc, argv))
    launch.cut_after = std::chrono::milliseconds(parse_number(kCutFlag, *cut, 9));
  launch.once = once;
  launch.watched = value_of(kWatchedFlag, argc, argv).has_value();
  return launch;
}

std::optional<SlurmCluster> find_slurm_cluster() {
  const char* certs = std::getenv("TROUPE_CERTS");
  if (certs == nullptr) return std::nullopt;
  const auto task = find_slurm_task(slurm_environment());
  if (!task || task->tasks < 2) return std::nullopt;
  return SlurmCluster{*task, certs};
}

std::optional<NodeLaunch> slurm_node() {
  const auto cluster = find_slurm_cluster();
  if (!cluster || cluster->task.rank == 0) return std::nullopt;
  NodeLaunch launch;
  launch.join = {cluster->task.leader, cluster->task.port};
  launch.certs = cluster->certs + "/node-" + std::to_string(cluster->task.rank);
  launch.patience = kSlurmPatience;  // the job is not to last because its leader made no cluster
  return launch;
}

bool is_initialised() { return program().initialised; }
const std::string& program_name() { return program().name; }

void init(int argc, char** argv) {
  if (program().initialised) return;
  raise_file_limit();
  models::register_builtin_models();
  refuse_unknown_flags(argc, argv);
  program().name = argc > 0 ? argv[0] : "troupe";
  if (const auto worker = WorkerLaunch::parse(argc, argv)) run_worker_process(*worker);
  if (const auto node = NodeLaunch::parse(argc, argv)) run_node(*node);
  if (const auto node = slurm_node()) run_node(*node);
  program().initialised = true;
}

}  // namespace troupe
