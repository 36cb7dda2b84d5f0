#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "troupe/model.hpp"

namespace troupe {

/// The files of a checkpoint's folder.
inline constexpr const char* kWeightsFile = "weights.safetensors";
inline constexpr const char* kStateFile = "state.safetensors";
inline constexpr const char* kManifestFile = "manifest.json";

/// The checksums of a safetensors file of a checkpoint; they detect damage.
struct CheckpointFile {
  std::uint64_t bytes = 0;
  std::uint64_t header = 0;                      ///< checksum of all bytes before the first tensor
  std::map<std::string, std::uint64_t> tensors;  ///< checksums of the tensors by name

  bool operator==(const CheckpointFile&) const = default;
};

/// The order of metrics: which values are better.
inline constexpr const char* kHighest = "highest";
inline constexpr const char* kLowest = "lowest";

/// The quality of a checkpoint, by the metric that its run uses.
struct CheckpointMetric {
  double value = 0;
  std::string best;  ///< kHighest or kLowest

  bool operator==(const CheckpointMetric&) const = default;
};

/// The state of a run and its identity. Contains nothing about the workers, devices or machines of the run, except what
/// the results depend on bit by bit. All texts are UTF-8.
struct CheckpointManifest {
  std::int64_t step = 0;     ///< steps committed
  std::int64_t updates = 0;  ///< the steps among these that updated the optimizer's state
  int num_shards = 1;
  std::uint64_t seed = 0;
  std::string model;        ///< its registered name, or the name of its creator
  std::string config;       ///< the configuration as given; may be empty
  bool statistics = false;  ///< whether the model has statistics
  Precision precision = Precision::f32;
  bool bf16_given_up = false;           ///< bf16 was requested, but the run computed in f32
  std::string computed_by;              ///< libraries and devices: ModelInfo::fingerprint; may be empty
  std::string optimizer;                ///< its options as a JSON object, including the schedule
  std::optional<double> learning_rate;  ///< set by hand and used when the run resumes; empty: the options determine it
  std::vector<std::string> state;       ///< names of the optimizer's vectors, such as "momentum", in order
  std::string data;                     ///< name of the data; may be empty
  std::int64_t samples = 0;             ///< number of samples of the data; 0 if not applicable
  std::optional<CheckpointMetric> metric;

  // Set by CheckpointWriter.
  std::string troupe;       ///< the version that wrote it
  std::string fingerprint;  ///< fingerprint of the canonical tensors, see `fingerprint_of`
  CheckpointFile weights_file;
  CheckpointFile state_file;  ///< empty if there is no state

  bool operator==(const CheckpointManifest&) const = default;
};

/// Returns the SHA-256 of names and shapes, in order.
std::string fingerprint_of(const std::vector<TensorInfo>& tensors);

/// Returns the tensors of one state vector: "momentum/a.weight" for "a.weight".
std::vector<TensorInfo> state_tensors(const std::string& vector, const std::vector<TensorInfo>& tensors);
/// Returns the tensors of several state vectors, one after the other.
std::vector<TensorInfo> state_tensors(const std::vector<std::string>& vectors, const std::vector<TensorInfo>& tensors);

/// Returns the text of manifest.json. It ends with a checksum of its content.
/// @throws Error invalid_argument for a manifest that `manifest_from_json` would reject.
std::string to_json(const CheckpointManifest& manifest);
/// @param path the name in errors. @throws Error bad_file that names the field that is missing, unknown or out of
/// range, or for another format.
CheckpointManifest manifest_from_json(const std::string& path, const std::string& text);

/// Reads the manifest of the checkpoint in a folder. It must be byte for byte what `to_json` writes. @throws Error
/// bad_file
CheckpointManifest read_manifest(const std::string& folder);

}  // namespace troupe
