#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "troupe/model.hpp"

namespace troupe::cli {

/// Name of the model function that returns a replica's layer times, in the format of `layer_times_json`.
inline constexpr const char* kProfileFunction = "troupe-profile";

/// Returns layer times as JSON, which a worker sends to the driver. `read_layer_times` returns the same times, without
/// loss.
nlohmann::json layer_times_json(const std::vector<LayerTime>& times);
/// Returns the layer times in the JSON of `layer_times_json`. @throws Error protocol if the JSON has another format
std::vector<LayerTime> read_layer_times(const nlohmann::json& times);

/// A row of a profile: the cost of all layers of one kind.
struct ProfileRow {
  std::string kind;
  std::int64_t layers = 0;  ///< number of layers of this kind
  double forward_seconds = 0;
  double backward_seconds = 0;
  double forward_rate = 0;  ///< GFLOP/s; 0 if no operations are counted
  double backward_rate = 0;
  double share = 0;  ///< share of the total time. The total excludes rows that are `beside`, whose share may exceed 1
  bool beside = false;  ///< see LayerTime::beside
};

/// Returns the rows of a profile: the costliest kinds of layers first, then the sum of these, then the rows that are
/// `beside`. Returns no rows if there are no times.
std::vector<ProfileRow> profile_rows(const std::vector<LayerTime>& times);

/// Returns a profile as a table for people: a line of headings, and one line per row.
std::string profile_table(std::span<const ProfileRow> rows);
/// Returns a profile as JSON for programs: an array with one object per row.
nlohmann::ordered_json profile_json(std::span<const ProfileRow> rows);

}  // namespace troupe::cli
