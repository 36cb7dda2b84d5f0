#pragma once

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "troupe/function.hpp"

namespace troupe {

/// What trainers may run in this process, by name: what was registered, and what is lent for the time of a call, with
/// the data that goes with it.
class TrainFunctions {
 public:
  struct Lent {
    TrainFunction function;
    std::vector<TrainingData> datasets = {};  ///< by value; in the place of each that has a name, none
  };

  /// @throws Error invalid_argument
  void add(const std::string& name, TrainFunction function);
  /// @throws Error invalid_argument that lists what there is
  TrainFunction find(const std::string& name);

  /// Returns the name that it has until it is taken back.
  std::string lend(Lent lent);
  void take_back(const std::string& name);
  /// The data that was lent with a name.
  std::vector<TrainingData> data_of(const std::string& name);

 private:
  std::mutex mutex_;
  std::map<std::string, TrainFunction> registered_;
  std::map<std::string, Lent> lent_;
  std::uint64_t last_ = 0;
};

/// This process's.
TrainFunctions& train_functions();

/// Lends a function, with its data, for as long as it lives.
class LentFunction {
 public:
  explicit LentFunction(TrainFunctions::Lent lent) : name_(train_functions().lend(std::move(lent))) {}
  ~LentFunction() { train_functions().take_back(name_); }
  LentFunction(const LentFunction&) = delete;
  LentFunction& operator=(const LentFunction&) = delete;

  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

}  // namespace troupe
