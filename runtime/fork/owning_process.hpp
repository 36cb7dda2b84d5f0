#pragma once

#include <sys/types.h>

#include <memory>
#include <utility>

namespace troupe {

/// Records which process made an object, so that a child made by fork can detect that the object is its parent's. Such
/// a child has copies of its parent's objects, but not the threads that serve these objects. The copies also share
/// sockets, locks and shared memory with the parent, so the child must not use them.
class OwningProcess {
 public:
  OwningProcess() noexcept;

  /// Returns whether the calling process is the one that made this object.
  bool is_this() const noexcept;
  /// Checks that the calling process made this object.
  /// @param what the name of the object in the error message, such as "this DistributedSGD"
  /// @throws Error unsupported in any other process
  void check(const char* what) const;

 private:
  pid_t pid_;
  unsigned forks_;
};

/// Makes a forked child end when it leaves the scope of this object, if the child was forked during the object's
/// lifetime. Troupe's threads have such an object around each call of a user's function, because the function may fork.
/// A child that returned from the function would continue with Troupe's code, and could answer requests in its parent's
/// place.
class ForkBarrier {
 public:
  ForkBarrier() = default;
  ~ForkBarrier() { end_child(); }
  ForkBarrier(const ForkBarrier&) = default;
  ForkBarrier& operator=(const ForkBarrier&) = default;

  /// Ends the calling process with status 1, if it was forked after this object was made; otherwise has no effect.
  void end_child() const noexcept;

 private:
  OwningProcess owner_;
};

/// Adds 1 to the number of live runs of this process for the lifetime of the object. A child made by fork thereby knows
/// whether its parent had a run.
class LiveRun {
 public:
  /// @throws Error unsupported in a child that was forked while its parent had a run. Such a child cannot have runs,
  /// because a lock that another thread of the parent held during the fork is never released in the child.
  LiveRun();
  ~LiveRun();
  LiveRun(const LiveRun&) = delete;
  LiveRun& operator=(const LiveRun&) = delete;

 private:
  OwningProcess owner_;
};

/// Owns an object of type T. The object is destroyed only in the process that made it. A child made by fork does not
/// destroy its copy of the object, and leaks the memory.
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

/// Makes an object of type T with shared ownership, from `arguments`. The object is destroyed only in the process that
/// called this function, as with OwnedHere.
template <class T, class... Arguments>
std::shared_ptr<T> make_owned_here(Arguments&&... arguments) {
  const auto destroy = [owner = OwningProcess()](T* object) {
    if (owner.is_this()) delete object;
  };
  return std::shared_ptr<T>(std::make_unique<T>(std::forward<Arguments>(arguments)...).release(), destroy);
}

}  // namespace troupe
