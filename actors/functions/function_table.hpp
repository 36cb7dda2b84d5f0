#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "runtime/invalid.hpp"
#include "troupe/call.hpp"
#include "troupe/function.hpp"

namespace troupe {

/// @throws Error invalid_argument if the name is not valid for a function
void check_function_name(const std::string& name);

/// @param registering the function that registers functions of this kind
[[noreturn]] void throw_unknown_function(const std::string& name, const std::vector<std::string>& known,
                                         const char* registering);

/// The functions of one kind that a process can call by name: registered ones, and lent ones for the life of their
/// Loan.
template <class F>
class FunctionTable {
 public:
  /// @param registering the function that users call to register one
  explicit FunctionTable(const char* registering) : registering_(registering) {}

  /// @throws Error invalid_argument for an empty function, or for a name that is taken or invalid
  void add(const std::string& name, F function) {
    check_function_name(name);
    if (!function) throw_invalid("function '" + name + "' has no body");
    const std::lock_guard lock(mutex_);
    if (!functions_.emplace(name, std::move(function)).second)
      throw_invalid("function '" + name + "' is registered already");
  }
  /// @throws Error invalid_argument that lists the registered functions
  F find(const std::string& name) const {
    const std::lock_guard lock(mutex_);
    if (const auto found = functions_.find(name); found != functions_.end()) return found->second;
    std::vector<std::string> registered;
    for (const auto& [known, function] : functions_)
      if (known.front() != kLent) registered.push_back(known);
    throw_unknown_function(name, registered, registering_);
  }

  /// Gives a function a name for the life of this object. No registered function can have that name.
  class Loan {
   public:
    Loan(FunctionTable& table, F function) : table_(table) {
      const std::lock_guard lock(table_.mutex_);
      name_ = kLent + std::to_string(++table_.last_);
      table_.functions_.emplace(name_, std::move(function));
    }
    ~Loan() {
      const std::lock_guard lock(table_.mutex_);
      table_.functions_.erase(name_);
    }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;

    const std::string& name() const { return name_; }

   private:
    FunctionTable& table_;
    std::string name_;
  };

 private:
  static constexpr char kLent = '#';

  const char* registering_;
  mutable std::mutex mutex_;
  std::map<std::string, F> functions_;
  std::uint64_t last_ = 0;
};

/// A function for a trainer's workers, with the data that is passed to it by value.
struct TrainTask {
  TrainFunction function;
  std::vector<TrainingData> datasets = {};  ///< data by value; empty for data with a name

  explicit operator bool() const { return static_cast<bool>(function); }
};

/// All functions that this process can call by name.
struct Functions {
  FunctionTable<ModelFunction> of_models{"register_model_function"};
  FunctionTable<WorkerFunction> of_workers{"register_worker_function"};
  FunctionTable<TrainTask> of_trainers{"register_function"};
};

/// Returns the functions of this process.
Functions& functions();

}  // namespace troupe
