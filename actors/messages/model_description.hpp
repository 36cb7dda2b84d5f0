#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "troupe/error.hpp"
#include "troupe/model.hpp"

namespace troupe {

/// Properties that all replicas of a run must have in common.
struct ReplicaTraits {
  std::uint64_t size = 0;  ///< the number of floats of the flat vector
  std::uint64_t learned_size = 0;
  std::string fingerprint;
  std::int32_t precision = 0;  ///< a value of `Precision`
  std::uint64_t tensors = 0;   ///< a checksum of the `fingerprint_of` all tensors
  std::int64_t num_samples = 0;
  std::int64_t steps_per_epoch = 0;
  bool converts_parts = false;         ///< the model can convert a vector to canonical order in parts
  std::uint64_t f32_seconds_bits = 0;  ///< see ModelInfo::measured
  std::uint64_t bf16_seconds_bits = 0;
  std::string batch_dependent = {};  ///< ModelInfo::batch_dependent
  std::string unit = {};             ///< ModelInfo::unit
};

/// Returns the checksum of `tensors` that `ReplicaTraits::tensors` contains.
std::uint64_t checksum_of(const std::vector<TensorInfo>& tensors);

/// Returns the traits of a replica whose model has the description `info`. Sets all fields except `converts_parts`,
/// which the worker sets.
ReplicaTraits traits_of(const ModelInfo& info);

/// The description of the run's model that the driver uses.
struct ModelDescription {
  ReplicaTraits traits;
  std::vector<TensorInfo> tensors;
  std::string network;  ///< ModelInfo::network
};

/// Checks the description that a model has returned.
/// @throws Error model_failed if the model has no parameters or an invalid size, or if the description exceeds a limit
/// of messages
void check_info(const ModelInfo& info);

/// The traits of a replica, and its worker and device for error messages.
struct NamedReplica {
  int worker = 0;
  int device = 0;
  const ReplicaTraits& traits;
};

/// Returns a text that describes the first difference between the traits of two replicas. Returns an empty text if the
/// traits are equal.
std::string difference(const NamedReplica& replica, const NamedReplica& other);

}  // namespace troupe
