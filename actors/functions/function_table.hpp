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

/// Checks `name`, the name under which a user registers a function.
/// @throws Error invalid_argument if the name is empty, longer than 200 bytes, not printable, or begins with "#"
void check_function_name(const std::string& name);

/// Throws Error invalid_argument, which says that no function `name` is registered, and lists the registered functions.
/// @param known the names of the registered functions
/// @param registering the public function that registers functions of this kind, such as "register_function", for the
/// message
[[noreturn]] void throw_unknown_function(const std::string& name, const std::vector<std::string>& known,
                                         const char* registering);

/// The functions of one kind (with the type F) that this process can call by name. A function that was added with `add`
/// stays in the table. A lent function is in the table only while its `Loan` exists. Thread-safe.
template <class F>
class FunctionTable {
 public:
  /// @param registering the public function that registers functions of this kind, such as "register_function", for
  /// error messages
  explicit FunctionTable(const char* registering) : registering_(registering) {}

  /// Registers a function.
  /// @throws Error invalid_argument if `function` is empty, or if `name` is invalid or is already registered
  void add(const std::string& name, F function) {
    check_function_name(name);
    if (!function) throw_invalid("function '" + name + "' has no body");
    const std::lock_guard lock(mutex_);
    if (!functions_.emplace(name, std::move(function)).second)
      throw_invalid("function '" + name + "' is registered already");
  }
  /// Returns the function with this name.
  /// @throws Error invalid_argument if the table has no function with this name; the message lists the registered
  /// functions
  F find(const std::string& name) const {
    const std::lock_guard lock(mutex_);
    if (const auto found = functions_.find(name); found != functions_.end()) return found->second;
    std::vector<std::string> registered;
    for (const auto& [known, function] : functions_)
      if (known.front() != kLent) registered.push_back(known);
    throw_unknown_function(name, registered, registering_);
  }

  /// Adds a function to the table under a new name, and removes the function in the destructor. The name begins with
  /// "#", which the names of registered functions must not.
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

/// A user's function for the workers of a trainer, with the data sets that the caller passes to the function by value.
struct TrainTask {
  TrainFunction function;
  std::vector<TrainingData> datasets = {};  ///< one entry for each data set of the call; the entry of a data set that
                                            ///< is passed by name is empty

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
