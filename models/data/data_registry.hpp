#pragma once

#include <functional>
#include <memory>
#include <string>

#include "troupe/data.hpp"

namespace troupe {

/// Creates the test set without the training set.
using MakeTestSet = std::function<std::shared_ptr<const DataSource>(const std::string& arguments)>;

/// Creates data for a network that was trained on data with this encoding and these classes; see load_data.
using MakeDataLike =
    std::function<TrainingData(const std::string& arguments, const DataInfo& trained, std::uint64_t seed)>;

/// Data that was requested by name.
struct NamedData {
  MakeData make;
  MakeTestSet make_test;   ///< may be empty
  MakeDataLike make_like;  ///< empty: the data is the same for all networks
  bool drawn;              ///< see DataUsage
  std::string arguments;   ///< text behind the colon
};

/// @param full_name such as "mock-images:8,5"
/// @throws Error invalid_argument that lists the known names, or the form of the name's arguments.
NamedData find_data(const std::string& full_name);

/// Returns the test set of the data, or the training set if there is no test set. Loads as little as possible.
/// @param trained see `load_data`. @throws Error like `load_data`.
std::shared_ptr<const DataSource> load_test_set(const std::string& full_name, std::uint64_t seed,
                                                const DataInfo& trained = {});

}  // namespace troupe
