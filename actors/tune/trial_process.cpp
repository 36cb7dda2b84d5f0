#include "actors/tune/trial_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <iterator>
#include <utility>

#include "actors/launch/launch.hpp"
#include "actors/tune/trial_task.hpp"
#include "models/network/accelerators.hpp"
#include "runtime/clock.hpp"
#include "runtime/files/input_file.hpp"
#include "runtime/json/bounded_json.hpp"
#include "runtime/log.hpp"
#include "runtime/processes/cores.hpp"
#include "troupe/error.hpp"

namespace troupe::tune {
namespace {

/// The maximum size of one line, in bytes.
constexpr std::size_t kLongestLine = std::size_t{64} << 20;
constexpr int kDeepestLine = 102;  ///< metrics and results may have 100 levels of nesting, and the line adds two levels
/// The maximum time for which the search waits until a trial's process has exited, after the process has sent its last
/// line.
constexpr std::chrono::seconds kEndTimeout{10};
constexpr std::chrono::milliseconds kLook{1};

FileDescriptor open_file(const std::string& path, int flags) {
  FileDescriptor file(::open(path.c_str(), flags | O_CLOEXEC, 0666));
  if (!file) throw_cannot("open", path);
  return file;
}

/// Starts the process of a trial. The process writes its standard output and standard error to a file in the trial's
/// folder; its standard input is empty.
/// @param folder the trial's folder
/// @param socket the process's end of the connection to the search
/// @param share the cores on which the process runs, and the devices that it sees
ChildProcess start(const std::string& folder, int socket, const TrialShare& share) {
  const FileDescriptor nothing = open_file("/dev/null", O_RDONLY);
  const FileDescriptor output = open_file(TrialFiles{folder}.output(), O_WRONLY | O_CREAT | O_APPEND);
  const PinnedThread pinned(share.cores);
  std::vector<std::string> variables{launch_variable(TrialLaunch{folder}.arguments())};
  if (!share.devices.empty()) std::ranges::move(variables_for(share.devices), std::back_inserter(variables));
  return ChildProcess::start_again(program_arguments(),
                                   {{nothing.get(), STDIN_FILENO},
                                    {output.get(), STDOUT_FILENO},
                                    {output.get(), STDERR_FILENO},
                                    {socket, TrialLaunch::kSearchSocket}},
                                   variables);
}

std::pair<FileDescriptor, FileDescriptor> socket_pair() {
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) throw_errno("socketpair");
  std::pair pair{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return pair;
}

}  // namespace

TrialProcess::TrialProcess(const std::string& folder, const TrialShare& share)
    : TrialProcess(folder, share, socket_pair()) {}

TrialProcess::TrialProcess(const std::string& folder, const TrialShare& share,
                           std::pair<FileDescriptor, FileDescriptor> sockets)
    : socket_(std::move(sockets.first)), child_(start(folder, sockets.second.get(), share)) {}

std::vector<Json> TrialProcess::take() {
  std::vector<Json> lines;
  char bytes[1 << 16];
  while (socket_) {
    const ssize_t came = ::read(socket_.get(), bytes, sizeof bytes);
    if (came < 0 && errno == EINTR) continue;
    if (came < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    if (came <= 0) {
      socket_.reset();
      break;
    }
    said_.append(bytes, static_cast<std::size_t>(came));
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = said_.find('\n', begin)) != std::string::npos; begin = end + 1) {
      std::string fault;
      Json line = parse_bounded(std::string_view(said_).substr(begin, end - begin), {.deepest = kDeepestLine}, fault);
      if (!line.is_object()) throw Error(ErrorCode::protocol, "a trial sent a line that is not a JSON object");
      lines.push_back(std::move(line));
    }
    said_.erase(0, begin);
    if (said_.size() > kLongestLine) throw Error(ErrorCode::protocol, "a trial sent a line that is too long");
  }
  return lines;
}

/// Ignores errors, because an error means that the process has ended, and then no process waits for the answer.
void TrialProcess::answer_report() const noexcept {
  if (socket_) ::send(socket_.get(), "\n", 1, MSG_NOSIGNAL);
}

std::string TrialProcess::how_it_ended() {
  for (const Deadline deadline(kEndTimeout); !child_.has_ended() && !deadline.passed();) Clock::sleep_for(kLook);
  kill();
  return child_.how_it_ended();
}

void TrialProcess::ask_to_end() noexcept {
  if (!reaped_ && !child_.has_ended()) child_.signal(SIGTERM);
}

/// Kills the trial's process group first, and only then reaps the trial's process. Until the process is reaped, no
/// other process group can get the same number.
void TrialProcess::kill() noexcept {
  if (!owner_.is_this() || std::exchange(reaped_, true)) return;
  child_.has_ended();  // finds the successor, if the process has become a daemon
  ::kill(-pid(), SIGKILL);
  try {
    child_.kill();
  } catch (const Error& error) {
    log_line(LogLevel::warning, error.what());
  }
}

}  // namespace troupe::tune
