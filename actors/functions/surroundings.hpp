#pragma once

#include <any>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/fork/owning_process.hpp"
#include "troupe/task_context.hpp"

namespace troupe {

/// The values of a function's context (`here()`) that do not change while the function runs.
struct Placing {
  int rank = 0;
  int local_rank = 0;
  int world_size = 1;
  int attempt = 1;
  bool in_worker = false;
  std::uint64_t seed = 1;
  std::string node = {};
  std::vector<int> devices = {};  ///< TaskContext::devices
  Json config = {};
  std::vector<TrainingData> datasets = {};
};

/// The implementation of a function's context (class TaskContext, which `here()` returns), for one running function.
class Surroundings {
 public:
  explicit Surroundings(Placing placing) : placing_(std::move(placing)) {}
  Surroundings(const Surroundings&) = delete;
  Surroundings& operator=(const Surroundings&) = delete;
  virtual ~Surroundings() = default;

  const Placing& placing() const { return placing_; }
  /// Checks that the calling process is the process in which this object was created. Does nothing if there are no
  /// other ranks and no driver.
  /// @throws Error unsupported in a child made by fork, because the connections to the other ranks and to the driver
  /// belong to the parent
  void check_owner() const {
    if (placing_.in_worker || placing_.world_size > 1) owner_.check("the function's surroundings");
  }
  const OwningProcess& owner() const { return owner_; }
  Group& group() { return group_; }
  virtual void report(const Json& metrics) = 0;
  virtual void save(Checkpoint checkpoint) = 0;
  virtual std::optional<Checkpoint> load() = 0;
  virtual bool should_stop() const = 0;
  virtual std::any& worker_storage() = 0;

 protected:
  Placing placing_;
  Group group_;

 private:
  OwningProcess owner_;
};

/// During the lifetime of a ShownHere, `here()` returns the given surroundings on the thread that created the
/// ShownHere.
class ShownHere {
 public:
  explicit ShownHere(std::shared_ptr<Surroundings> surroundings);
  ~ShownHere();
  ShownHere(const ShownHere&) = delete;
  ShownHere& operator=(const ShownHere&) = delete;

 private:
  std::shared_ptr<TaskContext> before_;
};

}  // namespace troupe
