#pragma once

#include <functional>
#include <memory>
#include <string>

#include "troupe/data.hpp"

namespace troupe {

/// Creates the test set without loading the training set.
using MakeTestSet = std::function<std::shared_ptr<const DataSource>(const std::string& arguments)>;

/// Creates data for a network that was trained before on data with the description `trained`; see load_data.
using MakeDataLike =
    std::function<TrainingData(const std::string& arguments, const DataInfo& trained, std::uint64_t seed)>;

/// The functions that are registered for a data name, and the arguments in the name.
struct NamedData {
  MakeData make;
  MakeTestSet make_test;   ///< empty: `make` creates the test set, too
  MakeDataLike make_like;  ///< empty: the data is the same for all networks
  bool drawn;              ///< DataUsage::drawn: the data depends on the seed
  std::string arguments;   ///< the text after the colon of the name
};

/// Finds the functions for a data name.
/// @param full_name name and arguments, such as "mock-images:8,5"
/// @throws Error invalid_argument if there is no data of this name (the message lists the known names), or if arguments
/// are missing or not allowed (the message contains their syntax).
NamedData find_data(const std::string& full_name);

/// Returns the test set of the data, or the training set if there is no test set. Does not load the training set if the
/// data can create its test set alone.
/// @param trained describes the data on which a network was trained; see `load_data`
/// @throws Error as `load_data`.
std::shared_ptr<const DataSource> load_test_set(const std::string& full_name, std::uint64_t seed,
                                                const DataInfo& trained = {});

}  // namespace troupe
