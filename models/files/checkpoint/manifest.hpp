#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "troupe/model.hpp"

namespace troupe {

/// What a checkpoint's folder holds besides manifest.json.
inline constexpr const char* kWeightsFile = "weights.safetensors";
inline constexpr const char* kStateFile = "state.safetensors";
inline constexpr const char* kManifestFile = "manifest.json";

/// A safetensors file of a checkpoint, to tell damage by.
struct CheckpointFile {
  std::uint64_t bytes = 0;
  std::uint64_t header = 0;                      ///< checksum of all before the first tensor
  std::map<std::string, std::uint64_t> tensors;  ///< their checksums

  bool operator==(const CheckpointFile&) const = default;
};

/// Which metrics are the best ones.
inline constexpr const char* kHighest = "highest";
inline constexpr const char* kLowest = "lowest";

/// How good a checkpoint is, by whatever measure its run took.
struct CheckpointMetric {
  double value = 0;
  std::string best;  ///< kHighest or kLowest

  bool operator==(const CheckpointMetric&) const = default;
};

/// Where a run stood, and which run it was; nothing of the workers, devices or machines it ran on, but for what the
/// bits depend on. Its texts are UTF-8.
struct CheckpointManifest {
  std::int64_t step = 0;     ///< steps committed
  std::int64_t updates = 0;  ///< of these, that made the optimizer's state
  int num_shards = 1;
  std::uint64_t seed = 0;
  std::string model;        ///< its registered name, or what its creator is called
  std::string config;       ///< as it was given; may be empty
  bool statistics = false;  ///< whether the model has any
  Precision precision = Precision::f32;
  bool bf16_given_up = false;           ///< bf16 was asked for, and the run computed in f32
  std::string computed_by;              ///< names libraries and devices: ModelInfo::fingerprint; may be empty
  std::string optimizer;                ///< its options, a JSON object with the schedule in it
  std::optional<double> learning_rate;  ///< set by hand, with which the run goes on; else its options say it
  std::vector<std::string> state;       ///< the optimizer's vectors, such as "momentum", in order
  std::string data;                     ///< its name; may be empty
  std::int64_t samples = 0;             ///< of the data; 0 where that means nothing
  std::optional<CheckpointMetric> metric;

  // What CheckpointWriter says.
  std::string troupe;       ///< the version that wrote it
  std::string fingerprint;  ///< of the canonical tensors: `fingerprint_of`
  CheckpointFile weights_file;
  CheckpointFile state_file;  ///< nothing where there is no state

  bool operator==(const CheckpointManifest&) const = default;
};

/// SHA-256 of names and shapes in order.
std::string fingerprint_of(const std::vector<TensorInfo>& tensors);

/// The tensors of one vector of state: "momentum/a.weight" for "a.weight".
std::vector<TensorInfo> state_tensors(const std::string& vector, const std::vector<TensorInfo>& tensors);
/// Of all these vectors, one after the other.
std::vector<TensorInfo> state_tensors(const std::vector<std::string>& vectors, const std::vector<TensorInfo>& tensors);

/// The text of manifest.json, which ends in a checksum of what it says.
/// @throws Error invalid_argument for what `manifest_from_json` would refuse.
std::string to_json(const CheckpointManifest& manifest);
/// @param path what errors name. @throws Error bad_file naming the field that is missing, unknown or absurd, or for
/// another format.
CheckpointManifest manifest_from_json(const std::string& path, const std::string& text);

/// The manifest of the checkpoint in a folder, which must be what `to_json` writes, to the byte. @throws Error bad_file
CheckpointManifest read_manifest(const std::string& folder);

}  // namespace troupe
