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
  std::shared_ptr<const SearchFolder> folder;  ///< keeps a temporary folder alive
};

/// Returns the last value of a metric that a trial has reported; nothing if it has reported none.
std::optional<double> last_value(const Trial& trial, const std::string& metric);

/// Returns values by their keys. Keys of nested objects are joined with dots.
std::vector<std::pair<std::string, Json>> flattened(const Json& config);

}  // namespace troupe::tune
