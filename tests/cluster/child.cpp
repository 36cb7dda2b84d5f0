#include "cluster/child.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <utility>

#include "models/files.hpp"

namespace troupe_test {
namespace {

constexpr int kLogFlags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC;

[[noreturn]] void become(char* const* arguments, int out, int err) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // the child ends with the test; the main thread starts all children
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  ::dup2(::open("/dev/null", O_RDONLY), 0);
  ::dup2(out, 1);
  ::dup2(err, 2);
  ::execv(arguments[0], arguments);
  ::_exit(127);
}

}  // namespace

Child::Child(std::vector<std::string> command, std::string logs) : logs_(std::move(logs)) {
  std::vector<char*> arguments;
  for (std::string& argument : command) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  const int out = ::open((logs_ + ".out").c_str(), kLogFlags, 0600);
  const int err = ::open((logs_ + ".err").c_str(), kLogFlags, 0600);
  pid_ = ::fork();
  if (pid_ == 0) become(arguments.data(), out, err);
  ::close(out);
  ::close(err);
  if (pid_ < 0) throw std::runtime_error("fork");
  ::setpgid(pid_, pid_);  // also set here, because either the parent or the child may run first
}

Child::~Child() {
  if (pid_ < 0) return;
  ::kill(-pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void Child::signal(int number) const { ::kill(-pid_, number); }

int Child::wait(std::chrono::milliseconds timeout) {
  int status = 0;
  const bool ended = comes_true([&] { return ::waitpid(pid_, &status, WNOHANG) == pid_; }, timeout);
  if (!ended) throw std::runtime_error("a program has not ended in time; so far: " + out() + err());
  pid_ = -1;
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

std::string Child::out() const { return troupe::testing::read_file(logs_ + ".out"); }
std::string Child::err() const { return troupe::testing::read_file(logs_ + ".err"); }

bool Child::says(const std::string& text, std::chrono::milliseconds timeout) const {
  return comes_true([&] { return err().find(text) != std::string::npos; }, timeout);
}

std::size_t resident_bytes(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string word; status >> word;) {
    if (word != "VmRSS:") continue;
    std::size_t kilobytes = 0;
    status >> kilobytes;
    return kilobytes * 1024;
  }
  return 0;
}

}  // namespace troupe_test
