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
  std::shared_ptr<const SearchFolder> folder;  ///< the folder of the search; shared, so that a temporary folder exists
                                               ///< as long as the analysis
};

/// Returns the last value that `trial` has reported for `metric`; std::nullopt if no report of the trial has this
/// metric.
std::optional<double> last_value(const Trial& trial, const std::string& metric);

/// Returns all values of `config`, each with its key. If a value is in a nested object, its key contains the keys of
/// the objects around it, such as "optimizer.lr".
std::vector<std::pair<std::string, Json>> flattened(const Json& config);

}  // namespace troupe::tune
