#pragma once

#include <functional>
#include <memory>
#include <string>

#include "troupe/data.hpp"

namespace troupe {

/// A function that creates the test set of a kind of data without loading the training set.
using MakeTestSet = std::function<std::shared_ptr<const DataSource>(const std::string& arguments)>;

/// A function that creates data for a network that was trained before on data with the description `trained`; see
/// load_data.
using MakeDataLike =
    std::function<TrainingData(const std::string& arguments, const DataInfo& trained, std::uint64_t seed)>;

/// The functions that are registered for the kind of data in a data name "KIND:ARGUMENTS", and the arguments in the
/// name.
struct NamedData {
  MakeData make;
  MakeTestSet make_test;   ///< empty: only `make` can create the test set
  MakeDataLike make_like;  ///< empty: the data is the same for all networks
  bool drawn;              ///< whether the data depends on the seed (DataUsage::drawn)
  std::string arguments;   ///< the text after the colon of the name
};

/// Returns the functions that are registered for the kind of data in a data name, and the arguments in the name.
/// @param full_name a data name: the kind and the arguments, such as "mock-images:8,5"
/// @throws Error invalid_argument if the kind is not registered, or arguments are missing or not allowed. The message
/// lists the known kinds, or contains the syntax of the arguments.
NamedData find_data(const std::string& full_name);

/// Returns the test set of the data `full_name`, or the training set if there is no test set. Does not load the
/// training set if this kind of data can create the test set alone.
/// @param trained the description of the data on which a network was trained before; see `load_data`
/// @throws Error as `load_data`.
std::shared_ptr<const DataSource> load_test_set(const std::string& full_name, std::uint64_t seed,
                                                const DataInfo& trained = {});

}  // namespace troupe
