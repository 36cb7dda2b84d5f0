#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "troupe/json.hpp"

namespace troupe::tune {

/// The maximum number of trials of one search.
inline constexpr std::int64_t kMostTrials = 1'000'000;

/// The values that the configs of trials may have.
class Space {
 public:
  /// @throws Error invalid_argument that names the key of an invalid value
  explicit Space(Json space);

  /// Returns the number of combinations of all grids.
  std::int64_t combinations() const { return combinations_; }
  /// Returns the config of trial `index`, from 0 on, as a function of seed and index. Consecutive trials take all
  /// combinations of the grids in turn; the first grid changes least often.
  Json config(std::uint64_t seed, std::int64_t index) const;

 private:
  struct Drawn {
    Json::json_pointer place;
    std::string name;  ///< name of the distribution
    Json arguments;
    std::uint64_t stream = 0;  ///< stream of its random numbers; it depends only on the key, so new keys change no
                               ///< other value
  };

  void find(const Json& value, const Json::json_pointer& place);
  void add(const std::string& name, const Json& arguments, const Json::json_pointer& place);

  Json space_;
  std::vector<Drawn> drawn_;
  std::int64_t combinations_ = 1;
};

}  // namespace troupe::tune
