#include "cli/remote_node.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <utility>

#include "runtime/printable.hpp"

namespace troupe::cli {
namespace {

constexpr const char* kStarted = "troupe-launch: started";
constexpr std::size_t kLongestLine = 1 << 16;

/// Returns a command line for the remote shell, which runs `command` on the host. The command line works with any login
/// shell, because it runs a script with sh. The script starts the program `command` without standard input. A second
/// process waits for the end of the remote shell's standard input, and then kills the program. When the program ends,
/// the script kills the second process, because that process would otherwise keep the connection open.
std::string watched(const std::vector<std::string>& command) {
  std::string words;
  for (const std::string& word : command) words += quote(word) + ' ';
  const std::string script = std::string("exec 3<&0; echo ") + quote(kStarted) + "; " + words +
                             "3<&- </dev/null & node=$!; "
                             "{ cat; kill \"$node\"; } <&3 >/dev/null 2>&1 3<&- & watch=$!; exec 3<&- 2>/dev/null; "
                             "wait \"$node\"; status=$?; kill \"$watch\" 2>/dev/null; exit \"$status\"";
  return "exec sh -c " + quote(script);
}

/// Makes a pipe, and returns its reading end and its writing end. Child processes do not inherit the ends
/// (close-on-exec), unless they are passed on.
std::pair<FileDescriptor, FileDescriptor> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw_errno("pipe");
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

/// Makes this process ignore SIGINT for the lifetime of the object. A child that is started in this time ignores
/// SIGINT, too.
class IgnoredInterrupt {
 public:
  IgnoredInterrupt() {
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    ::sigaction(SIGINT, &ignore, &before_);
  }
  ~IgnoredInterrupt() { ::sigaction(SIGINT, &before_, nullptr); }
  IgnoredInterrupt(const IgnoredInterrupt&) = delete;
  IgnoredInterrupt& operator=(const IgnoredInterrupt&) = delete;

 private:
  struct sigaction before_ {};
};

}  // namespace

std::string quote(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

RemoteNode::RemoteNode(std::string host, const std::vector<std::string>& remote_shell,
                       const std::vector<std::string>& command)
    : host_(std::move(host)), shell_(start(remote_shell, watched(command))) {}

ChildProcess RemoteNode::start(const std::vector<std::string>& remote_shell, const std::string& script) {
  auto [theirs_in, ours_in] = make_pipe();
  auto [ours_out, theirs_out] = make_pipe();
  input_ = std::move(ours_in);
  output_ = std::move(ours_out);
  std::vector<std::string> arguments{"env", "--"};
  arguments.insert(arguments.end(), remote_shell.begin(), remote_shell.end());
  arguments.insert(arguments.end(), {host_, script});
  const IgnoredInterrupt ignored;
  return ChildProcess::start("/usr/bin/env", arguments,
                             {{theirs_in.get(), 0}, {theirs_out.get(), 1}, {theirs_out.get(), 2}});
}

void RemoteNode::pass_on() {
  std::array<char, 1 << 14> buffer{};
  const ssize_t got = ::read(output_.get(), buffer.data(), buffer.size());
  if (got <= 0) {
    if (!unfinished_.empty()) print(std::exchange(unfinished_, {}));
    output_.reset();
    return;
  }
  unfinished_.append(buffer.data(), static_cast<std::size_t>(got));
  std::size_t begin = 0;
  for (std::size_t end; (end = unfinished_.find('\n', begin)) != std::string::npos; begin = end + 1)
    print(unfinished_.substr(begin, end - begin));
  unfinished_.erase(0, begin);
  if (unfinished_.size() > kLongestLine) print(std::exchange(unfinished_, {}));
}

void RemoteNode::print(const std::string& line) {
  if (!reached_ && line == kStarted) {
    reached_ = true;
    return;
  }
  last_line_ = printable(line);
  std::fprintf(stderr, "%s: %s\n", host_.c_str(), last_line_.c_str());
}

}  // namespace troupe::cli
