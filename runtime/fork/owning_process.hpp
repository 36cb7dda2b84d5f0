#pragma once

#include <sys/types.h>

#include <memory>
#include <utility>

namespace troupe {

/// Records which process made an object. A child made by fork has copies of its parent's objects, but not the threads
/// that serve these objects. The copies also share sockets, locks and shared memory with the parent.
class OwningProcess {
 public:
  OwningProcess() noexcept;

  /// Returns whether the calling process is the one that made this object.
  bool is_this() const noexcept;
  /// Checks that the calling process made this object.
  /// @param what the object for the error message, such as "this DistributedSGD"
  /// @throws Error unsupported in any other process
  void check(const char* what) const;

 private:
  pid_t pid_;
  unsigned forks_;
};

/// Ends a child process that was forked during the lifetime of this object, as soon as the child leaves the scope.
/// Troupe's threads use it around calls of users' functions, which may fork. The child has no thread but the forked
/// one, and must not answer requests in its parent's place.
class ForkBarrier {
 public:
  ForkBarrier() = default;
  ~ForkBarrier() { end_child(); }
  ForkBarrier(const ForkBarrier&) = default;
  ForkBarrier& operator=(const ForkBarrier&) = default;

  /// Ends the process with status 1 now, if the process is such a child.
  void end_child() const noexcept;

 private:
  OwningProcess owner_;
};

/// Counts one live run of this process for the lifetime of the object, so that a fork during a run is detected.
class LiveRun {
 public:
  /// @throws Error unsupported in a child that was forked while its parent had a run. If another thread held a lock at
  /// that moment, the lock is never released in the child.
  LiveRun();
  ~LiveRun();
  LiveRun(const LiveRun&) = delete;
  LiveRun& operator=(const LiveRun&) = delete;

 private:
  OwningProcess owner_;
};

/// Owns an object whose destructor must run only in the process that made the object. In a child made by fork, the
/// object is leaked instead.
template <class T>
class OwnedHere {
 public:
  template <class... Arguments>
  explicit OwnedHere(Arguments&&... arguments) : object_(std::make_unique<T>(std::forward<Arguments>(arguments)...)) {}
  ~OwnedHere() {
    if (!owner_.is_this()) static_cast<void>(object_.release());
  }
  OwnedHere(const OwnedHere&) = delete;
  OwnedHere& operator=(const OwnedHere&) = delete;

  const OwningProcess& owner() const { return owner_; }
  T* operator->() const { return object_.get(); }

 private:
  OwningProcess owner_;
  std::unique_ptr<T> object_;
};

/// Like OwnedHere, with shared ownership: makes an object whose destructor runs only in the process that called this
/// function.
template <class T, class... Arguments>
std::shared_ptr<T> make_owned_here(Arguments&&... arguments) {
  const auto destroy = [owner = OwningProcess()](T* object) {
    if (owner.is_this()) delete object;
  };
  return std::shared_ptr<T>(std::make_unique<T>(std::forward<Arguments>(arguments)...).release(), destroy);
}

}  // namespace troupe
