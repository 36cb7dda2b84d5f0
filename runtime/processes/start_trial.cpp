#include "runtime/processes/start_trial.hpp"

#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

#include "runtime/clock.hpp"
#include "runtime/file_descriptor.hpp"
#include "runtime/processes/held_signals.hpp"
#include "runtime/processes/limits.hpp"

namespace troupe {
namespace {

/// The maximum of `StartNeeds::others` that is tested, because a test of more threads would take too long.
constexpr int kMostOthers = 1000;
/// The number of threads that are tested in addition, as a reserve. Other processes of the same container may start
/// threads at the same time.
constexpr int kSpareThreads = 1;
/// Bytes of address space that are tested in addition, because the start itself allocates memory.
constexpr std::size_t kSpareBytes = std::size_t{16} << 20;
constexpr std::size_t kSmallStack = std::size_t{1} << 17;
constexpr std::size_t kLargestStack = std::size_t{1} << 23;
constexpr std::chrono::seconds kReleaseTimeout{2};

/// A set of threads that only wait, until this object is destroyed. The threads test how many threads the system
/// allows.
class ParkedThreads {
 public:
  ParkedThreads() = default;
  ~ParkedThreads() {
    {
      const std::lock_guard lock(mutex_);
      open_ = true;
    }
    changed_.notify_all();
    for (const Parked& each : parked_) ::pthread_join(each.thread, nullptr);
    // Waits until the kernel has released the joined threads, because until then they may count against the limit on
    // threads.
    const Deadline deadline(kReleaseTimeout);
    for (const Parked& each : parked_)
      while (::syscall(SYS_tgkill, ::getpid(), each.id.load(), 0) == 0 && !deadline.passed()) std::this_thread::yield();
  }
  ParkedThreads(const ParkedThreads&) = delete;
  ParkedThreads& operator=(const ParkedThreads&) = delete;

  /// Starts one more thread that waits. Returns false if the system refuses.
  /// @param small true: the thread represents a thread of another process, so it takes little memory of this process
  bool add(bool small) {
    Parked& next = parked_.emplace_back();
    next.owner = this;
    next.allocates = !small;
    const int error = small ? create_small(next) : ::pthread_create(&next.thread, nullptr, wait, &next);
    if (error != 0) parked_.pop_back();
    return error == 0;
  }
  /// Waits until all started threads run.
  void await_all() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return waiting_ == parked_.size(); });
  }

 private:
  struct Parked {
    ParkedThreads* owner = nullptr;
    bool allocates = false;
    pthread_t thread{};
    std::atomic<pid_t> id = 0;
  };

  /// Starts a thread with a small stack. If the system refuses the size, tries larger sizes. A stack also contains the
  /// thread-local data of all libraries, and the data of CUDA does not fit into a small stack.
  static int create_small(Parked& parked) {
    int error = EINVAL;
    for (std::size_t stack = kSmallStack; error == EINVAL && stack <= kLargestStack; stack *= 2) {
      pthread_attr_t attributes;
      ::pthread_attr_init(&attributes);
      ::pthread_attr_setstacksize(&attributes, stack);
      error = ::pthread_create(&parked.thread, &attributes, wait, &parked);
      ::pthread_attr_destroy(&attributes);
    }
    return error;
  }

  static void* wait(void* parked) {
    Parked& self = *static_cast<Parked*>(parked);
    self.id = static_cast<pid_t>(::syscall(SYS_gettid));
    // Allocates memory once, because the C library may reserve address space for each thread that allocates. The test
    // must include this space. Later, the C library reuses the space for the actual threads.
    if (self.allocates) std::free(std::malloc(1));
    std::unique_lock lock(self.owner->mutex_);
    ++self.owner->waiting_;
    self.owner->changed_.notify_all();
    self.owner->changed_.wait(lock, [&] { return self.owner->open_; });
    return nullptr;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
  std::size_t waiting_ = 0;
  std::deque<Parked> parked_;  // a deque, because the threads need stable addresses
};

void try_files(int count, const std::string& what) {
  std::vector<FileDescriptor> files;
  // An eventfd, because it needs no path: a container may have no /dev/null.
  files.emplace_back(::eventfd(0, EFD_CLOEXEC));
  while (files.back() && static_cast<int>(files.size()) < count)
    files.emplace_back(::fcntl(files.front().get(), F_DUPFD_CLOEXEC, 0));
  if (files.back()) return;
  const int error = errno;
  files.clear();  // because the code that makes the error message opens files
  throw_refused(what, error);
}

/// If the address space is limited, makes the C library use one arena (heap) for all threads. Otherwise the C library
/// would reserve 64 MB or more of address space for each thread that allocates memory. Then it would be unpredictable
/// how much address space remains.
void spare_address_space() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) ::mallopt(M_ARENA_MAX, 1);
}

void try_threads(const StartNeeds& needs, const std::string& what) try {
  const HeldSignals held;  // these threads must not handle signals
  ParkedThreads parked;
  const int others = std::min(needs.others, kMostOthers) + kSpareThreads;
  spare_address_space();
  for (int i = 0; i < needs.threads + others; ++i)
    if (!parked.add(i >= needs.threads)) throw_no_task(what);
  parked.await_all();
  void* const spare = ::mmap(nullptr, kSpareBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (spare == MAP_FAILED) throw no_memory(what);
  ::munmap(spare, kSpareBytes);
} catch (const std::bad_alloc&) {
  throw no_memory(what);
}

}  // namespace

void try_start(const StartNeeds& needs, const std::string& whose) {
  const std::string cannot = whose + " cannot start: ";
  const int tasks = needs.threads + needs.others + kSpareThreads;
  try_files(needs.files, cannot + std::to_string(needs.files) + " more open files are needed");
  try_threads(needs, cannot + std::to_string(tasks) + " more threads and processes are needed");
}

}  // namespace troupe
