#pragma once

#include <memory>
#include <string>
#include <vector>

#include "actors/tune/search_folder.hpp"
#include "troupe/tune.hpp"

namespace troupe::tune {

class Analysis::Impl {
 public:
  std::vector<Trial> trials;
  std::string metric;
  Better better = Better::lower;
  bool complete = false;
  std::shared_ptr<const SearchFolder> folder;  ///< shared, so that a temporary folder exists as long as the analysis
};

/// Returns the last value that a trial has reported for a metric; std::nullopt if no report has this metric.
std::optional<double> last_value(const Trial& trial, const std::string& metric);

/// Returns all values of a config, each with its key. The key of a value in a nested object is the path to the value,
/// such as "optimizer.lr".
std::vector<std::pair<std::string, Json>> flattened(const Json& config);

}  // namespace troupe::tune
