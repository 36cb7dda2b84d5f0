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

/// The size and the checksums of a safetensors file of a checkpoint. They detect damage.
struct CheckpointFile {
  std::uint64_t bytes = 0;
  std::uint64_t header = 0;                      ///< checksum of all bytes before the first tensor
  std::map<std::string, std::uint64_t> tensors;  ///< checksums of the tensors by name

  bool operator==(const CheckpointFile&) const = default;
};

/// The values of CheckpointMetric::best: whether the highest or the lowest metric is the best.
inline constexpr const char* kHighest = "highest";
inline constexpr const char* kLowest = "lowest";

/// The metric by which a run compares its checkpoints, and its value for one checkpoint.
struct CheckpointMetric {
  double value = 0;
  std::string best;  ///< kHighest or kLowest

  bool operator==(const CheckpointMetric&) const = default;
};

/// The manifest of a checkpoint: the state of the run, and the model, data and options that identify the run. It
/// contains nothing about the workers, devices or machines of the run, except `computed_by`, because the bits of the
/// results depend on libraries and devices. All texts are UTF-8.
struct CheckpointManifest {
  std::int64_t step = 0;     ///< number of committed steps
  std::int64_t updates = 0;  ///< number of updates of the optimizer's state
  int num_shards = 1;
  std::uint64_t seed = 0;
  std::string model;        ///< its registered name, or the name of the function that creates it
  std::string config;       ///< Options::config; may be empty
  bool statistics = false;  ///< whether the model has statistics
  Precision precision = Precision::f32;
  bool bf16_given_up = false;           ///< bf16 was requested, but the run computed in f32
  std::string computed_by;              ///< libraries and devices: ModelInfo::fingerprint; may be empty
  std::string optimizer;                ///< its options as a JSON object, including the schedule
  std::optional<double> learning_rate;  ///< that the user set during the run; empty: the options determine it
  std::vector<std::string> state;       ///< names of the optimizer's vectors, such as "momentum", in order
  std::string data;                     ///< name of the data; may be empty
  std::int64_t samples = 0;             ///< number of samples of the data; 0 if not applicable
  std::optional<CheckpointMetric> metric;

  // CheckpointWriter sets the following members.
  std::string troupe;       ///< the version of Troupe that wrote the checkpoint
  std::string fingerprint;  ///< fingerprint of the canonical tensors, see `fingerprint_of`
  CheckpointFile weights_file;
  CheckpointFile state_file;  ///< empty if the optimizer has no state

  bool operator==(const CheckpointManifest&) const = default;
};

/// Returns the SHA-256 of the names and shapes of the tensors, in order, as hexadecimal digits.
std::string fingerprint_of(const std::vector<TensorInfo>& tensors);

/// Returns the descriptions of the tensors of one state vector. They have the shapes of `tensors`, and names such as
/// "momentum/a.weight" for "a.weight".
/// @param vector the name of the state vector, such as "momentum"
std::vector<TensorInfo> state_tensors(const std::string& vector, const std::vector<TensorInfo>& tensors);
/// Returns the descriptions of `tensors` once for each state vector in `vectors`: all tensors of the first vector, then
/// all of the second, and so on.
std::vector<TensorInfo> state_tensors(const std::vector<std::string>& vectors, const std::vector<TensorInfo>& tensors);

/// Returns the text of manifest.json for a manifest. The text contains a checksum of its other content.
/// @throws Error invalid_argument for a manifest that `manifest_from_json` would reject.
std::string to_json(const CheckpointManifest& manifest);
/// Returns the manifest that a text contains.
/// @param path the name in errors
/// @throws Error bad_file that names the field that is missing, unknown or out of range, or for another format.
CheckpointManifest manifest_from_json(const std::string& path, const std::string& text);

/// Returns the manifest of the checkpoint in a folder.
/// @throws Error bad_file if the manifest is missing or invalid, or differs in any byte from the text that `to_json`
/// returns for it
CheckpointManifest read_manifest(const std::string& folder);

}  // namespace troupe
