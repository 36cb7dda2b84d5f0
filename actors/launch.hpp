#pragma once

#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// How a process that was started as a worker knows it: `--troupe-worker=INDEX` and `--troupe-socket=PATH`. Its
/// connection to the object store is an inherited descriptor.
struct WorkerLaunch {
  int worker = 0;
  std::string socket;

  static constexpr int kStoreSocket = 3;

  std::vector<std::string> arguments(const std::string& program) const;
  /// None for a user's own process. @throws Error invalid_argument for other `--troupe-...` arguments or half of these.
  static std::optional<WorkerLaunch> parse(int argc, const char* const* argv);
};

/// True once `init` was called in this process: then, and only then, this program may be started anew as a worker.
bool is_initialised();
/// The name under which this program was started.
const std::string& program_name();

/// Serves the driver until it goes, then ends the process.
[[noreturn]] void run_worker_process(const WorkerLaunch& launch);

}  // namespace troupe
