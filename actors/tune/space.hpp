#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "troupe/json.hpp"

namespace troupe::tune {

/// Of one search.
inline constexpr std::int64_t kMostTrials = 1'000'000;

/// The values that trials may have.
class Space {
 public:
  /// @throws Error invalid_argument that names the key of what makes no sense
  explicit Space(Json space);

  /// Combinations of all grids.
  std::int64_t combinations() const { return combinations_; }
  /// Of trial `index`, from 0 on: a function of seed and index. Trials that follow each other take all combinations of
  /// the grids in turn, the first grid changing least often.
  Json config(std::uint64_t seed, std::int64_t index) const;

 private:
  struct Drawn {
    Json::json_pointer place;
    std::string name;  ///< of the distribution
    Json arguments;
    std::uint64_t stream = 0;  ///< of its random numbers: what is added to the space changes no other value
  };

  void find(const Json& value, const Json::json_pointer& place);
  void add(const std::string& name, const Json& arguments, const Json::json_pointer& place);

  Json space_;
  std::vector<Drawn> drawn_;
  std::int64_t combinations_ = 1;
};

}  // namespace troupe::tune
