#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "troupe/model.hpp"

namespace troupe {

/// The names of the files in a checkpoint's folder.
inline constexpr const char* kWeightsFile = "weights.safetensors";
inline constexpr const char* kStateFile = "state.safetensors";
inline constexpr const char* kManifestFile = "manifest.json";

/// The size in bytes and the checksums of a safetensors file of a checkpoint. Readers compare them with the file to
/// detect damage.
struct CheckpointFile {
  std::uint64_t bytes = 0;
  std::uint64_t header = 0;                      ///< checksum of all bytes before the first tensor
  std::map<std::string, std::uint64_t> tensors;  ///< checksums of the tensors by name

  bool operator==(const CheckpointFile&) const = default;
};

/// The values of CheckpointMetric::best: the highest or the lowest value of the metric is the best.
inline constexpr const char* kHighest = "highest";
inline constexpr const char* kLowest = "lowest";

/// The value, for one checkpoint, of the metric by which a run compares its checkpoints.
struct CheckpointMetric {
  double value = 0;
  std::string best;  ///< the best value of the metric: kHighest or kLowest

  bool operator==(const CheckpointMetric&) const = default;
};

/// The manifest of a checkpoint: the progress of the run, and the model, data and options that identify the run. The
/// manifest does not describe the workers and machines of the run, so that another number of workers can resume it. The
/// exception is `computed_by`, because results are bitwise identical only with the same libraries and devices. All
/// texts are UTF-8.
struct CheckpointManifest {
  std::int64_t step = 0;     ///< number of committed steps
  std::int64_t updates = 0;  ///< number of updates of the optimizer's state
  int num_shards = 1;
  std::uint64_t seed = 0;
  std::string model;        ///< the registered name of the model, or the name of the function that creates it
  std::string config;       ///< Options::config; may be empty
  bool statistics = false;  ///< whether the model has statistics
  Precision precision = Precision::f32;
  bool bf16_given_up = false;           ///< whether bf16 was requested, but the run computed in f32
  std::string computed_by;              ///< the libraries and devices with which the run computed:
                                        ///< ModelInfo::fingerprint; may be empty
  std::string optimizer;                ///< the options of the optimizer, including the schedule, as a JSON object
  std::optional<double> learning_rate;  ///< the learning rate, if the user set it during the run; empty: the
                                        ///< optimizer's options determine it
  std::vector<std::string> state;       ///< names of the optimizer's vectors, such as "momentum", in order
  std::string data;                     ///< name of the data; may be empty
  std::int64_t samples = 0;             ///< number of samples of the data; 0 if not applicable
  std::optional<CheckpointMetric> metric;

  // CheckpointWriter sets the following members.
  std::string troupe;       ///< the version of Troupe that wrote the checkpoint
  std::string fingerprint;  ///< identifies the names and shapes of the model's tensors; see `fingerprint_of`
  CheckpointFile weights_file;
  CheckpointFile state_file;  ///< empty if the optimizer has no state

  bool operator==(const CheckpointManifest&) const = default;
};

/// Returns the SHA-256 of the names and shapes of `tensors`, in this order, as 64 hexadecimal digits.
std::string fingerprint_of(const std::vector<TensorInfo>& tensors);

/// Returns the descriptions of the tensors that store one state vector of the optimizer in a file. They have the shapes
/// of `tensors`, and their names are prefixed by `vector` and a slash, such as "momentum/a.weight".
/// @param vector the name of the state vector, such as "momentum"
/// @param tensors the tensors of the model, such as "a.weight"
std::vector<TensorInfo> state_tensors(const std::string& vector, const std::vector<TensorInfo>& tensors);
/// Returns the descriptions of `tensors` once for each state vector in `vectors`: all tensors of the first vector, then
/// all of the second, and so on.
std::vector<TensorInfo> state_tensors(const std::vector<std::string>& vectors, const std::vector<TensorInfo>& tensors);

/// Returns the text of the file manifest.json for `manifest`. The text contains a checksum of its other content.
/// @throws Error invalid_argument if `manifest_from_json` would reject the text.
std::string to_json(const CheckpointManifest& manifest);
/// Returns the manifest that `text`, the content of a file manifest.json, describes.
/// @param path the name of the file, for error messages
/// @throws Error bad_file if the format is unknown, the checksum does not match, or a field is missing, unknown or out
/// of range. The message names the field.
CheckpointManifest manifest_from_json(const std::string& path, const std::string& text);

/// Reads the manifest of the checkpoint in `folder`, and returns it.
/// @throws Error bad_file if the manifest is missing or invalid, or if any byte of its file differs from the text that
/// `to_json` returns for the manifest
CheckpointManifest read_manifest(const std::string& folder);

}  // namespace troupe
