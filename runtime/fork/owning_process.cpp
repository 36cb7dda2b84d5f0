#include "runtime/fork/owning_process.hpp"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <string>

#include "troupe/error.hpp"

namespace troupe {
namespace {

/// Counts of the forks and live runs of this process. In each child made by fork, a handler of pthread_atfork updates
/// the child's copy.
struct Forks {
  std::atomic<unsigned> count{0};     ///< number of forks from the first process of the program to this one
  std::atomic<int> runs{0};           ///< live runs
  std::atomic<pid_t> busy_parent{0};  ///< process id of the parent, if it had a run when it forked; else 0

  Forks() {
    ::pthread_atfork(nullptr, nullptr, [] { shared().enter_child(); });
  }

  static Forks& shared() {
    static Forks& forks = *new Forks;  // never destroyed: objects may outlive static storage
    return forks;
  }

 private:
  void enter_child() {
    ++count;
    if (runs.exchange(0) > 0) busy_parent = ::getppid();
  }
};

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorCode::unsupported, what + ": after fork a child of a process with runs may only call exec or _exit");
}

}  // namespace

OwningProcess::OwningProcess() noexcept : pid_(::getpid()), forks_(Forks::shared().count) {}

/// Compares both the number of forks and the process id with those of the process that made the object. The number of
/// forks is not enough, because a child made by the system call clone runs no fork handler. The process id is not
/// enough, because a child in another PID namespace may have the same id as its parent.
bool OwningProcess::is_this() const noexcept { return forks_ == Forks::shared().count && pid_ == ::getpid(); }

void OwningProcess::check(const char* what) const {
  if (is_this()) return;
  refuse(std::string(what) + " belongs to process " + std::to_string(pid_) + ", not to its child " +
         std::to_string(::getpid()));
}

void ForkBarrier::end_child() const noexcept {
  if (!owner_.is_this()) ::_exit(1);
}

LiveRun::LiveRun() {
  if (const pid_t parent = Forks::shared().busy_parent; parent != 0)
    refuse("process " + std::to_string(::getpid()) + " cannot have runs, since its parent " + std::to_string(parent) +
           " had one when it forked");
  ++Forks::shared().runs;
}

LiveRun::~LiveRun() {
  if (owner_.is_this()) --Forks::shared().runs;
}

}  // namespace troupe
