#pragma once

#include <functional>
#include <memory>
#include <string>

#include "troupe/data.hpp"

namespace troupe {

/// Makes the test set without the training set.
using MakeTestSet = std::function<std::shared_ptr<const DataSource>(const std::string& arguments)>;

/// Makes data for a network that was trained on data of that encoding and those classes; see load_data.
using MakeDataLike =
    std::function<TrainingData(const std::string& arguments, const DataInfo& trained, std::uint64_t seed)>;

/// Data that was asked for by name.
struct NamedData {
  MakeData make;
  MakeTestSet make_test;   ///< may be empty
  MakeDataLike make_like;  ///< empty: such data is the same for all networks
  bool drawn;              ///< see DataUsage
  std::string arguments;   ///< behind the colon
};

/// @param full_name such as "mock-images:8,5". @throws Error invalid_argument that lists what there is, or says what
/// the name takes.
NamedData find_data(const std::string& full_name);

/// The test set of such data, or the training set where there is none. Loads no more than it has to.
/// @param trained as `load_data` takes it. @throws Error as `load_data`.
std::shared_ptr<const DataSource> load_test_set(const std::string& full_name, std::uint64_t seed,
                                                const DataInfo& trained = {});

}  // namespace troupe
