#pragma once

#include <sys/types.h>

#include <memory>
#include <utility>

namespace troupe {

/// The process that made an object. A child made by fork has copies of such objects, but not the threads behind them,
/// and shares their sockets, locks and shared memory with its parent.
class OwningProcess {
 public:
  OwningProcess() noexcept;

  /// Returns whether the calling process is the one that made this object.
  bool is_this() const noexcept;
  /// @param what the object, such as "this DistributedSGD"
  /// @throws Error unsupported in any other process
  void check(const char* what) const;

 private:
  pid_t pid_;
  unsigned forks_;
};

/// In a child made by fork since construction, ends the process at the end of the scope. Used around calls of users'
/// functions on Troupe's threads: such a child has no other thread, and must not answer in its parent's place.
class ForkBarrier {
 public:
  ForkBarrier() = default;
  ~ForkBarrier() { end_child(); }
  ForkBarrier(const ForkBarrier&) = default;
  ForkBarrier& operator=(const ForkBarrier&) = default;

  /// Ends the process now if it is such a child.
  void end_child() const noexcept;

 private:
  OwningProcess owner_;
};

/// Counts a run of this process for the lifetime of the object.
class LiveRun {
 public:
  /// @throws Error unsupported in a child that was forked while its parent had a run: a lock that another thread held
  /// during fork is never released in the child
  LiveRun();
  ~LiveRun();
  LiveRun(const LiveRun&) = delete;
  LiveRun& operator=(const LiveRun&) = delete;

 private:
  OwningProcess owner_;
};

/// Owns an object whose destructor must not run in a child made by fork: there the object is leaked.
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

/// The same with shared ownership.
template <class T, class... Arguments>
std::shared_ptr<T> make_owned_here(Arguments&&... arguments) {
  const auto destroy = [owner = OwningProcess()](T* object) {
    if (owner.is_this()) delete object;
  };
  return std::shared_ptr<T>(std::make_unique<T>(std::forward<Arguments>(arguments)...).release(), destroy);
}

}  // namespace troupe
