#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/files/safetensors_file.hpp"
#include "models/network/network_plan.hpp"
#include "troupe/data.hpp"
#include "troupe/loss.hpp"
#include "troupe/models.hpp"

namespace troupe {

/// A network, described by a file and by the caller.
struct DescribedNetwork {
  NetworkPlan plan;
  DataInfo data;  ///< describes the data; holds no samples
  std::shared_ptr<const Loss> loss;
  /// The tensors of the file. The plan's tensors hold the same floats in the same order; their further floats are zero.
  std::vector<TensorInfo> tensors;
};

/// What the caller specifies in place of the file's description. Empty members specify nothing.
struct NetworkWish {
  std::string model = {};                       ///< the name of a built-in model
  const models::Graph* graph = nullptr;         ///< alternatively the layers
  std::vector<std::int64_t> sample_shape = {};  ///< default: from the file
  std::shared_ptr<const Loss> loss = nullptr;   ///< default: from the file
};

/// @throws Error under the same conditions as the constructors of Predictor.
DescribedNetwork describe(const SafetensorsFile& file, const NetworkWish& wish);

}  // namespace troupe
