#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "troupe/model.hpp"

namespace troupe::cli {

/// Name of the model function that returns a replica's layer times, in the format of `layer_times_json`.
inline constexpr const char* kProfileFunction = "troupe-profile";

/// Layer times as a worker sends them: JSON that `read_layer_times` reads back without loss.
nlohmann::json layer_times_json(const std::vector<LayerTime>& times);
/// @throws Error protocol if the JSON has another format
std::vector<LayerTime> read_layer_times(const nlohmann::json& times);

/// A row of a profile: the cost of one kind of layer.
struct ProfileRow {
  std::string kind;
  std::int64_t layers = 0;
  double forward_seconds = 0;
  double backward_seconds = 0;
  double forward_rate = 0;  ///< GFLOP/s; 0 if no operations are counted
  double backward_rate = 0;
  double share = 0;     ///< of the total time, which excludes rows that are `beside`; theirs may exceed 1
  bool beside = false;  ///< see LayerTime::beside
};

/// Returns the costliest layers first, then their sum, then the rows that are `beside`. Returns no rows for no times.
std::vector<ProfileRow> profile_rows(const std::vector<LayerTime>& times);

/// For people: a heading line, and one line per row.
std::string profile_table(std::span<const ProfileRow> rows);
/// For programs: an array with one object per row.
nlohmann::ordered_json profile_json(std::span<const ProfileRow> rows);

}  // namespace troupe::cli
