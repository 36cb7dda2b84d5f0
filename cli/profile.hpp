#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "troupe/model.hpp"

namespace troupe::cli {

/// Name of the model function that returns the layer times of a replica, in the format of `layer_times_json`.
inline constexpr const char* kProfileFunction = "troupe-profile";

/// Converts layer times to JSON, which a worker sends to the driver. `read_layer_times` converts the JSON back to the
/// same times.
nlohmann::json layer_times_json(const std::vector<LayerTime>& times);
/// Converts the JSON of `layer_times_json` back to layer times. @throws Error protocol if the JSON has another format
std::vector<LayerTime> read_layer_times(const nlohmann::json& times);

/// A row of a profile: the time of all layers of one kind together.
struct ProfileRow {
  std::string kind;
  std::int64_t layers = 0;  ///< number of layers of this kind
  double forward_seconds = 0;
  double backward_seconds = 0;
  /// Billions of floating-point operations per second (GFLOP/s); 0 if the operations were not counted.
  double forward_rate = 0;
  double backward_rate = 0;
  /// Fraction of the total time of all rows that are not `beside`; may exceed 1 for rows that are `beside`.
  double share = 0;
  bool beside = false;  ///< see LayerTime::beside
};

/// Returns the rows of a profile. First come the kinds of layers that are not `beside`, sorted by descending time. One
/// row with their sum follows, and then the kinds that are `beside`. Returns no rows if `times` is empty.
std::vector<ProfileRow> profile_rows(const std::vector<LayerTime>& times);

/// Returns a profile as a text table with a line of headings and one line per row.
std::string profile_table(std::span<const ProfileRow> rows);
/// Returns a profile as a JSON array with one object per row.
nlohmann::ordered_json profile_json(std::span<const ProfileRow> rows);

}  // namespace troupe::cli
