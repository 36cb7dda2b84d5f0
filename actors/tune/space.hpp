#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "troupe/json.hpp"

namespace troupe::tune {

/// The maximum number of trials of one search.
inline constexpr std::int64_t kMostTrials = 1'000'000;

/// A description of values and distributions, from which the configs of trials are drawn.
class Space {
 public:
  /// @param space an object with the format of a space in troupe/tune.hpp
  /// @throws Error invalid_argument if a distribution is invalid; the message contains the distribution's key
  explicit Space(Json space);

  /// Returns the number of combinations of the values of all grids in the space; 1 if the space has no grid.
  std::int64_t combinations() const { return combinations_; }
  /// Returns the number of trials of a search that makes `samples` draws for each combination.
  /// @throws Error invalid_argument if there are more than kMostTrials
  std::int64_t trials(int samples) const;
  /// Returns the config of trial `index`. The config depends only on the space, `seed` and `index`. Consecutive trials
  /// get the combinations of the grids' values one after the other; the value of the first grid changes least often.
  /// @param index the index of the trial, from 0 on
  Json config(std::uint64_t seed, std::int64_t index) const;

 private:
  /// A value of the config that is drawn from a distribution or taken from a grid.
  struct Drawn {
    Json::json_pointer place;
    std::string name;  ///< name of the distribution, such as "uniform"
    Json arguments;
    std::uint64_t stream = 0;  ///< identifies the sequence of random numbers for this value. The stream depends only on
                               ///< the value's key, so a change at another key of the space does not change this value
  };

  void find(const Json& value, const Json::json_pointer& place);
  void add(const std::string& name, const Json& arguments, const Json::json_pointer& place);

  Json space_;
  std::vector<Drawn> drawn_;
  std::int64_t combinations_ = 1;
};

}  // namespace troupe::tune
