#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "cluster/nodes.hpp"
#include "troupe/sgd.hpp"

// A run that goes on while somebody attacks it.
namespace troupe_test {

/// What an attack may cost a process, in bytes.
#if defined(TROUPE_SANITIZED)
inline constexpr std::size_t kMemory = std::size_t{512} << 20;  // freed memory stays with the sanitizer for a while
#else
inline constexpr std::size_t kMemory = std::size_t{32} << 20;
#endif

/// A run in a thread of its own, step after step until it is finished.
class Training {
 public:
  explicit Training(const troupe::Options& options) : sgd_("hold", options), thread_([this] { run(); }) {}
  ~Training() { stop(); }
  Training(const Training&) = delete;
  Training& operator=(const Training&) = delete;

  int steps() const { return steps_; }
  /// Waits for more steps.
  bool goes_on(int more = 3) const {
    const int now = steps_;
    return comes_true([&] { return steps_ >= now + more; }, std::chrono::seconds(30));
  }
  std::vector<int> pids() const { return sgd_.worker_pids(); }
  /// Ends it. Empty when it went well.
  std::string finish() {
    stop();
    return problem_;
  }
  std::vector<float> weights() { return sgd_.weights(); }

 private:
  void stop() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
  }
  void run();

  troupe::DistributedSGD sgd_;
  std::atomic<bool> stop_ = false;
  std::atomic<int> steps_ = 0;
  std::string problem_;
  std::thread thread_;
};

/// To which a rogue writes.
std::string rogue_file(const std::string& mode, const Nodes& nodes, int as);

/// A process that takes part in the run, with the certificate of node `as`; what it is told to do is `run_rogue`'s.
std::unique_ptr<Child> start_rogue(const std::string& mode, const Nodes& nodes, int as);

/// One line for each kind of trouble, all of them ours, whatever the number of attempts.
void check_log(const std::string& text, std::size_t most);

std::size_t count(const std::string& text, const std::string& part);
bool contains(const std::string& text, const std::string& part);

}  // namespace troupe_test
