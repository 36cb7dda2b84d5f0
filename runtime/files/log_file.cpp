#include "runtime/files/log_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <ctime>
#include <filesystem>
#include <span>
#include <utility>

#include "runtime/files/file_lock.hpp"
#include "runtime/files/input_file.hpp"
#include "runtime/files/output_file.hpp"

namespace troupe {
namespace {

/// Blocks SIGPIPE in the calling thread for the lifetime of this object. A write to a pipe without a reader then fails
/// with EPIPE, instead of ending the program.
class HeldPipeSignal {
 public:
  HeldPipeSignal();
  ~HeldPipeSignal();
  HeldPipeSignal(const HeldPipeSignal&) = delete;
  HeldPipeSignal& operator=(const HeldPipeSignal&) = delete;

 private:
  sigset_t pipe_{};
  sigset_t before_{};
  bool was_pending_ = false;
};

bool is_pending() {
  sigset_t pending;
  return ::sigpending(&pending) == 0 && ::sigismember(&pending, SIGPIPE) == 1;
}

HeldPipeSignal::HeldPipeSignal() {
  ::sigemptyset(&pipe_);
  ::sigaddset(&pipe_, SIGPIPE);
  was_pending_ = is_pending();
  ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
}

HeldPipeSignal::~HeldPipeSignal() {
  const timespec now{};
  if (!was_pending_ && is_pending()) ::sigtimedwait(&pipe_, nullptr, &now);
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

namespace fs = std::filesystem;

using Identity = std::pair<std::uint64_t, std::uint64_t>;

Identity identity_of(const struct stat& status) { return {status.st_dev, status.st_ino}; }

bool is_output_of_process(const struct stat& status) {
  for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat other {};
    if (::fstat(descriptor, &other) == 0 && identity_of(other) == identity_of(status)) return true;
  }
  return false;
}

}  // namespace

LogFile::LogFile(const std::string& path, bool goes_on, const MeasureWhole& whole) : path_(path), file_(open()) {
  if (!identity_) return;
  constexpr std::chrono::milliseconds kTimeout{300};
  lock_ = LockBeside(file_.descriptor(), place_, kTimeout, "another run writes to it");
  // Cuts off an incomplete last record, which a killed process may have left. `whole` throws before anything is cut if
  // the file is not a log of this kind.
  const std::string all = goes_on ? text() : "";
  file_.cut(all.empty() ? 0 : whole(all));
}

WrittenFile LogFile::open() {
  // Without O_NONBLOCK, opening a FIFO would block until a reader opens it, too.
  FileDescriptor file(::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_APPEND | O_NONBLOCK, 0666));
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0) throw_cannot("write", path_);
  ::fcntl(file.get(), F_SETFL, ::fcntl(file.get(), F_GETFL) & ~O_NONBLOCK);
  if (!S_ISREG(status.st_mode) || is_output_of_process(status)) return {std::move(file), path_};
  std::error_code error;
  place_ = fs::canonical(path_, error).string();
  if (error) throw_bad_file(path_, "cannot be found: " + error.message());
  identity_ = identity_of(status);
  return {std::move(file), path_};
}

void LogFile::write(std::string_view record) {
  const HeldPipeSignal held;
  file_.write_whole(std::as_bytes(std::span(record)));
}

void LogFile::begin_anew() {
  if (identity_) file_.cut(0);
}

bool LogFile::is_replaceable() const {
  struct stat status {};
  return identity_ && ::stat(place_.c_str(), &status) == 0 && identity_of(status) == *identity_;
}

std::string LogFile::text() const { return InputFile(place_).read_text(); }

void LogFile::replace(std::string_view text) {
  OutputFile file(place_);
  file.take_mode();
  file.write(std::as_bytes(std::span(text)));
  file.commit();
  file_ = open();
}

}  // namespace troupe
