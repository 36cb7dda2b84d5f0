#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "troupe/error.hpp"
#include "troupe/model.hpp"

namespace troupe {

/// What the replicas of a run have to agree on.
struct ReplicaTraits {
  std::uint64_t size = 0;  ///< floats of the flat vector
  std::uint64_t learned_size = 0;
  std::string fingerprint;
  std::int32_t precision = 0;  ///< a Precision
  std::uint64_t tensors = 0;   ///< checksum of their `fingerprint_of`
  std::int64_t num_samples = 0;
  std::int64_t steps_per_epoch = 0;
  bool converts_parts = false;         ///< a vector can be brought into canonical order part by part
  std::uint64_t f32_seconds_bits = 0;  ///< see ModelInfo::measured
  std::uint64_t bf16_seconds_bits = 0;
  std::string batch_dependent = {};  ///< ModelInfo::batch_dependent
};

/// ReplicaTraits::tensors.
std::uint64_t checksum_of(const std::vector<TensorInfo>& tensors);

/// Whether it converts parts is for its worker to say.
ReplicaTraits traits_of(const ModelInfo& info);

/// What the driver knows of the run's model.
struct ModelDescription {
  ReplicaTraits traits;
  std::vector<TensorInfo> tensors;
  std::string network;  ///< ModelInfo::network
};

/// @throws Error model_failed when the model has no parameters, a length that cannot be, or more than can be told.
void check_info(const ModelInfo& info);

/// A replica, as errors name it.
struct NamedReplica {
  int worker = 0;
  int device = 0;
  const ReplicaTraits& traits;
};

/// In what a replica differs from another one; empty where in nothing that they have to agree on.
std::string difference(const NamedReplica& replica, const NamedReplica& other);

}  // namespace troupe
