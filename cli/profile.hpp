#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "troupe/model.hpp"

namespace troupe::cli {

/// Name of the model function that returns a replica's layer times, as `layer_times_json` has them.
inline constexpr const char* kProfileFunction = "troupe-profile";

/// Layer times on their way from a worker: JSON that `read_layer_times` reads back as they were.
nlohmann::json layer_times_json(const std::vector<LayerTime>& times);
/// @throws Error protocol for any other
std::vector<LayerTime> read_layer_times(const nlohmann::json& times);

/// A row of a profile: what a kind of layer costs.
struct ProfileRow {
  std::string kind;
  std::int64_t layers = 0;
  double forward_seconds = 0;
  double backward_seconds = 0;
  double forward_rate = 0;  ///< GFLOP/s; 0 where nothing is counted
  double backward_rate = 0;
  double share = 0;     ///< of the time of all; what lies beside may take longer
  bool beside = false;  ///< see LayerTime::beside
};

/// The costliest first, then the sum of all, then what lies beside; nothing of nothing.
std::vector<ProfileRow> profile_rows(const std::vector<LayerTime>& times);

/// For people: a line of headings, and a line a row.
std::string profile_table(std::span<const ProfileRow> rows);
/// For programs: an array with an object a row.
nlohmann::ordered_json profile_json(std::span<const ProfileRow> rows);

}  // namespace troupe::cli
