#include <fcntl.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <iterator>

#include "actors/launch/launch.hpp"
#include "runtime/fork/successor.hpp"
#include "runtime/processes/kernel_file.hpp"
#include "runtime/processes/limits.hpp"
#include "runtime/processes/slurm.hpp"
#include "troupe/models.hpp"
#include "troupe/sgd.hpp"

namespace troupe {
namespace {

struct ProgramState {
  bool initialised = false;
  std::vector<std::string> arguments;
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
constexpr const char* kJoinTimeoutFlag = "--troupe-join-timeout=";
constexpr const char* kCutFlag = "--troupe-cut-after=";
constexpr const char* kOnceFlag = "--troupe-once";
/// The time in seconds for which the other tasks of a Slurm job wait for a driver in the job's first task.
constexpr int kSlurmJoinTimeout = 300;
constexpr const char* kWatchedFlag = "--troupe-watched";
constexpr const char* kLeavesFlag = "--troupe-leaves";
constexpr const char* kTrialFlag = "--troupe-trial=";
/// The environment variable with which Troupe passes arguments, separated by kBetween, to a process that it starts.
/// Troupe does not pass these arguments in argv, because the program's own parser might reject unknown arguments.
constexpr const char* kLaunchVariable = "TROUPE_LAUNCH";
constexpr char kBetween = '\x1f';

/// Returns the value of the last argument with the flag `flag`; std::nullopt if no argument has this flag. If `flag`
/// ends with "=", the value is in the same argument (FLAG=VALUE) or in the next argument (FLAG VALUE). Otherwise the
/// value is the empty string.
std::optional<std::string> value_of(const std::string& flag, const std::vector<std::string>& arguments) {
  std::optional<std::string> value;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    const bool takes_value = flag.back() == '=';
    if (takes_value ? argument.starts_with(flag) : argument == flag) value = argument.substr(flag.size());
    if (takes_value && argument + '=' == flag && i + 1 < arguments.size()) value = arguments[++i];
  }
  return value;
}

void refuse_unknown_flags(const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    if (!argument.starts_with("--troupe-")) continue;
    const char* known[] = {kWorkerFlag,     kSocketFlag, kJoinFlag,        kCertsFlag, kListenFlag,
                           kDriverNameFlag, kStoreFlag,  kJoinTimeoutFlag, kCutFlag,   kOnceFlag,
                           kWatchedFlag,    kLeavesFlag, kTrialFlag};
    const bool is_known = std::any_of(std::begin(known), std::end(known), [&](const std::string& flag) {
      return flag.back() == '=' ? argument.starts_with(flag) || argument + '=' == flag : argument == flag;
    });
    if (!is_known) throw Error(ErrorCode::invalid_argument, "unknown argument " + argument);
  }
}

/// Returns `text` as a number.
/// @param flag the flag before the number, for the error message
/// @throws Error invalid_argument if `text` is not a decimal number of at most `most_digits` digits
std::size_t parse_number(const std::string& flag, const std::string& text, std::size_t most_digits) {
  if (text.empty() || text.size() > most_digits || text.find_first_not_of("0123456789") != std::string::npos)
    throw Error(ErrorCode::invalid_argument, flag + text + " is not a valid number");
  return std::stoull(text);
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
    end = text.find(at, begin);
    parts.push_back(text.substr(begin, end - begin));
  }
  return parts;
}

/// Returns the arguments with which this process was started, including the program's name. Reads the arguments from
/// /proc/self/cmdline, because another parser may have removed arguments from `argv`. If /proc is not available,
/// returns `argv`.
std::vector<std::string> arguments_at_start(int argc, const char* const* argv) {
  std::string text = read_kernel_file("/proc/self/cmdline");
  if (text.empty()) return argc > 0 ? std::vector<std::string>(argv, argv + argc) : std::vector<std::string>{"troupe"};
  text.pop_back();  // the zero byte at the end of the last argument
  return split(text, '\0');
}

/// Returns the arguments in which `init` searches for Troupe's flags. If the environment variable kLaunchVariable is
/// set, returns its arguments and removes the variable. Otherwise returns all arguments in `argv`, without the
/// program's name.
std::vector<std::string> take_arguments(int argc, const char* const* argv) {
  const char* const variable = std::getenv(kLaunchVariable);
  if (variable == nullptr)
    return argc > 0 ? std::vector<std::string>(argv + 1, argv + argc) : std::vector<std::string>();
  std::vector<std::string> arguments = split(variable, kBetween);
  ::unsetenv(kLaunchVariable);  // processes that this process starts must not inherit the variable
  return arguments;
}

}  // namespace

std::string launch_variable(const std::vector<std::string>& arguments) {
  std::string text = std::string(kLaunchVariable) + '=';
  for (const std::string& argument : arguments) text += argument + kBetween;
  text.pop_back();
  return text;
}

std::vector<std::string> WorkerLaunch::arguments() const {
  return {kWorkerFlag + std::to_string(worker), kSocketFlag + socket};
}

std::optional<WorkerLaunch> WorkerLaunch::parse(const std::vector<std::string>& arguments) {
  const auto worker = value_of(kWorkerFlag, arguments);
  const auto socket = value_of(kSocketFlag, arguments);
  if (!worker && !socket) return std::nullopt;
  if (!worker || !socket)
    throw Error(ErrorCode::invalid_argument, std::string(kWorkerFlag) + " and " + kSocketFlag + " go together");
  return WorkerLaunch{static_cast<int>(parse_number(kWorkerFlag, *worker, 6)), *socket};
}

std::vector<std::string> NodeLaunch::arguments() const {
  std::vector<std::string> arguments{kJoinFlag + join.text(), kCertsFlag + certs};
  if (!listen.host.empty()) arguments.push_back(kListenFlag + listen.text());
  if (!driver_name.empty()) arguments.push_back(kDriverNameFlag + driver_name);
  if (store_bytes > 0) arguments.push_back(kStoreFlag + std::to_string(store_bytes));
  if (join_timeout > 0) arguments.push_back(kJoinTimeoutFlag + std::to_string(join_timeout));
  arguments.push_back(kCutFlag + std::to_string(cut_after.count()));
  if (once) arguments.emplace_back(kOnceFlag);
  if (watched) arguments.emplace_back(kWatchedFlag);
  if (leaves) arguments.emplace_back(kLeavesFlag);
  return arguments;
}

std::optional<NodeLaunch> NodeLaunch::parse(const std::vector<std::string>& arguments) {
  const auto join = value_of(kJoinFlag, arguments);
  const auto certs = value_of(kCertsFlag, arguments);
  const auto listen = value_of(kListenFlag, arguments);
  const bool once = value_of(kOnceFlag, arguments).has_value();
  if (!join && !certs && !listen && !once) return std::nullopt;
  if (!join || !certs)
    throw Error(ErrorCode::invalid_argument, std::string("a node needs ") + kJoinFlag + "HOST:PORT and " + kCertsFlag +
                                                 "FOLDER (see `troupe certs`)");
  NodeLaunch launch;
  launch.join = Address::parse(*join, 1);
  launch.certs = *certs;
  if (listen) launch.listen = parse_listen(*listen);
  launch.driver_name = value_of(kDriverNameFlag, arguments).value_or("");
  if (const auto bytes = value_of(kStoreFlag, arguments)) launch.store_bytes = parse_number(kStoreFlag, *bytes, 15);
  if (const auto seconds = value_of(kJoinTimeoutFlag, arguments))
    launch.join_timeout = static_cast<int>(parse_number(kJoinTimeoutFlag, *seconds, 6));
  if (const auto cut = value_of(kCutFlag, arguments))
    launch.cut_after = std::chrono::milliseconds(parse_number(kCutFlag, *cut, 9));
  launch.once = once;
  launch.watched = value_of(kWatchedFlag, arguments).has_value();
  launch.leaves = value_of(kLeavesFlag, arguments).has_value();
  return launch;
}

std::vector<std::string> TrialLaunch::arguments() const { return {kTrialFlag + folder}; }

std::optional<TrialLaunch> TrialLaunch::parse(const std::vector<std::string>& arguments) {
  const auto folder = value_of(kTrialFlag, arguments);
  return folder ? std::optional(TrialLaunch{*folder}) : std::nullopt;
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
  launch.join_timeout = kSlurmJoinTimeout;  // so that the job ends if no driver starts in its first task
  return launch;
}

namespace {

/// Opens /dev/null for each of the descriptors 0, 1 and 2 that is closed. Without this, the next socket would get such
/// a descriptor, and printed text would be sent into the socket. Descriptor 0 is opened only for writing, and
/// descriptors 1 and 2 only for reading. So reading from standard input and printing still fail, as on closed
/// descriptors.
void keep_standard_streams() {
  for (int fd = 0; fd <= 2; ++fd)
    if (::fcntl(fd, F_GETFD) < 0) ::open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

/// Ignores the signal SIGXFSZ, unless the program has set its own handler. If SIGXFSZ is ignored, a write beyond the
/// limit RLIMIT_FSIZE fails with an error, instead of ending the program silently.
void keep_from_file_size_signal() {
  struct sigaction action {};
  if (::sigaction(SIGXFSZ, nullptr, &action) == 0 && action.sa_handler == SIG_DFL) ::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace

bool is_initialised() { return program().initialised; }
const std::vector<std::string>& program_arguments() { return program().arguments; }

void init(int argc, char** argv) {
  if (program().initialised) return;
  keep_standard_streams();
  keep_from_file_size_signal();
  raise_file_limit();
  models::register_builtin_models();
  program().arguments = arguments_at_start(argc, argv);
  const std::vector<std::string> arguments = take_arguments(argc, argv);
  Successor::settle();
  refuse_unknown_flags(arguments);
  if (const auto worker = WorkerLaunch::parse(arguments)) {
    std::setvbuf(stdout, nullptr, _IOLBF, 0);  // printed lines are written at once, because the process may be killed
    run_worker_process(*worker);
  }
  if (const auto node = NodeLaunch::parse(arguments)) run_node(*node);
  if (const auto node = slurm_node()) run_node(*node);
  program().initialised = true;
  if (const auto trial = TrialLaunch::parse(arguments)) run_trial(*trial);
}

}  // namespace troupe
