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
  std::shared_ptr<const SearchFolder> folder;  ///< a temporary one goes with it
};

/// The last value of a metric that a trial has reported; none where there is none.
std::optional<double> last_value(const Trial& trial, const std::string& metric);

/// Values by their keys, with dots between those of nested objects.
std::vector<std::pair<std::string, Json>> flattened(const Json& config);

}  // namespace troupe::tune
