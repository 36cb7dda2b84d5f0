#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "cluster/nodes.hpp"
#include "troupe/sgd.hpp"

// A run that continues during an attack.
namespace troupe_test {

/// The limit on memory that an attack may use in a process, in bytes.
#if defined(TROUPE_SANITIZED)
inline constexpr std::size_t kMemory = std::size_t{512} << 20;  // a sanitizer keeps freed memory for a while
#else
inline constexpr std::size_t kMemory = std::size_t{32} << 20;
#endif

/// Runs step after step in its own thread until it is stopped.
class Training {
 public:
  explicit Training(const troupe::Options& options) : sgd_("hold", options), thread_([this] { run(); }) {}
  ~Training() { stop(); }
  Training(const Training&) = delete;
  Training& operator=(const Training&) = delete;

  int steps() const { return steps_; }
  /// Waits until the run has made `more` more steps.
  bool goes_on(int more = 3) const {
    const int now = steps_;
    return comes_true([&] { return steps_ >= now + more; }, std::chrono::seconds(30));
  }
  std::vector<int> pids() const { return sgd_.worker_pids(); }
  /// Ends the run. Returns its error, or an empty text.
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

/// Returns the file that a rogue writes.
std::string rogue_file(const std::string& mode, const Nodes& nodes, int as);

/// Starts a process that joins the run with the certificate of node `as`. `run_rogue` describes the modes.
std::unique_ptr<Child> start_rogue(const std::string& mode, const Nodes& nodes, int as);

/// Checks that the log has at most `most` lines, each from this project and without repetition.
void check_log(const std::string& text, std::size_t most);

std::size_t count(const std::string& text, const std::string& part);
bool contains(const std::string& text, const std::string& part);

}  // namespace troupe_test
