#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "actors/launch/launch.hpp"
#include "actors/launch/process_end.hpp"
#include "actors/trainer/trainer_checkpoints.hpp"
#include "actors/tune/trial_reports.hpp"
#include "actors/tune/trial_task.hpp"
#include "runtime/log.hpp"
#include "runtime/processes/limits.hpp"
#include "troupe/tune.hpp"

// The code that runs in the process of a trial.
namespace troupe::tune {
namespace {

/// The environment variable that contains the path of the trial's folder. If the trial's workers are child processes,
/// they inherit the variable.
constexpr const char* kFolderVariable = "TROUPE_TRIAL_FOLDER";

/// The connection of a trial's process to the search. Sends lines of JSON, and receives the answers to reports. If the
/// search has ended, ends this process.
class ToSearch {
 public:
  explicit ToSearch(int socket) : socket_(socket) {}

  void tell(const Json& said) const {
    tell(said.dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace));
  }
  /// Blocks until the search has processed the last report. If the search has decided that the trial must end, this
  /// process has received SIGTERM before this function returns.
  void await_answer() const {
    char answer = 0;
    ssize_t came = 0;
    do {
      came = ::recv(socket_, &answer, 1, 0);
    } while (came < 0 && errno == EINTR);
    if (came != 1) leave(1);
  }

 private:
  void tell(const std::string& said) const {
    const std::string line = said + '\n';
    for (std::string_view left = line; !left.empty();) {
      const ssize_t sent = ::send(socket_, left.data(), left.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent < 0) leave(1);
      left.remove_prefix(static_cast<std::size_t>(sent));
    }
  }

  int socket_;
};

/// Writes the reports of the trial's function to the trial's file, and sends them to the search.
class TellsSearch : public Callback {
 public:
  TellsSearch(const ToSearch& search, const TrialFiles& files, const TrainerCheckpoints& checkpoints)
      : search_(search), checkpoints_(checkpoints), reports_(files.reports()) {}

  void on_start(const RunStart& /*run*/) override {
    reports_.rewind(checkpoints_.newest());
    search_.tell({{"kept", reports_.count()}});
  }
  void on_report(const Report& report) override {
    const Report added = reports_.add(report);
    search_.tell({{"iteration", added.iteration}, {"seconds", added.seconds}, {"metrics", added.metrics}});
    search_.await_answer();
  }
  void on_checkpoint(const CheckpointInfo& checkpoint) override {
    reports_.add_checkpoint(checkpoint.number, checkpoint.iteration);
  }

 private:
  const ToSearch& search_;
  const TrainerCheckpoints& checkpoints_;
  TrialReports reports_;
};

/// Makes the metrics of each report that this callback receives a report of the function that runs on the calling
/// thread (`here()`).
class PassesOn : public Callback {
 public:
  void on_report(const Report& report) override { here().report(report.metrics); }
};

/// Limits the private memory of this process to `bytes`; 0: no limit. Also raises the out-of-memory score of this
/// process. So if the machine runs out of memory, the kernel kills this process before it kills the search.
void limit_memory(std::size_t bytes) {
  // If the kernel does not permit a higher out-of-memory score, the score stays unchanged.
  const FileDescriptor score(::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC));
  if (score) static_cast<void>(::write(score.get(), "500", 3) == 3);
  if (bytes == 0) return;
  const rlimit limit{bytes, bytes};
  if (::setrlimit(RLIMIT_DATA, &limit) != 0) throw_refused("setrlimit", errno);
}

/// Runs the trial's function on the trial's workers, and returns the JSON result of rank 0.
Json run_task(const TrialFiles& files, const ToSearch& search) {
  ::setenv(kFolderVariable, files.folder.c_str(), 1);
  const TrialTask task = task_from_json(read_json(files.task()), files.task());
  limit_memory(task.memory);
  const Trainable& trainable = task.trainable;
  RunOptions options;
  options.dataset = datasets_of(trainable.dataset, task.config);
  options.reports = trainable.reports;
  options.reports.awaited = true;
  options.checkpoints = {files.checkpoints(), trainable.keep_checkpoints, /*resume=*/true};
  const TrainerCheckpoints checkpoints(options.checkpoints);
  options.callbacks = {std::make_shared<TellsSearch>(search, files, checkpoints)};
  Trainer trainer(trainable.workers);
  return trainer.run(trainable.function, task.config, options).at(0).json;
}

}  // namespace

std::string trial_folder() {
  const char* const folder = std::getenv(kFolderVariable);
  return folder == nullptr ? "" : folder;
}

std::int64_t most_reports() {
  const std::string folder = trial_folder();
  if (folder.empty()) return 0;
  const std::string task = TrialFiles{folder}.task();
  return task_from_json(read_json(task), task).most_reports;
}

std::shared_ptr<Callback> pass_on() { return std::make_shared<PassesOn>(); }

}  // namespace troupe::tune

namespace troupe {

/// Runs the trial in a new process group. So a signal from the terminal (such as Ctrl-C) reaches only the search, which
/// then ends the trial.
void run_trial(const TrialLaunch& launch) {
  ::setpgid(0, 0);
  const FileDescriptor socket(::fcntl(TrialLaunch::kSearchSocket, F_DUPFD_CLOEXEC, TrialLaunch::kSearchSocket + 1));
  ::close(TrialLaunch::kSearchSocket);
  if (!socket) {
    log_line(LogLevel::error, "cannot inherit the socket to the search");
    leave(1);
  }
  const tune::ToSearch search(socket.get());
  try {
    go_on_at_hangup(socket.get());
    start_thread([&socket] {
      wait_for_hangup(socket.get());
      leave(1);
    }).detach();
    search.tell({{"result", tune::run_task({launch.folder}, search)}});
    leave(0);
  } catch (const Error& error) {
    search.tell({{"error", error.what()}, {"code", to_string(error.code())}});
  } catch (const std::exception& error) {
    search.tell({{"error", error.what()}, {"code", to_string(ErrorCode::model_failed)}});
  }
  leave(1);
}

}  // namespace troupe
