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

/// A network as a file and its user describe it.
struct DescribedNetwork {
  NetworkPlan plan;
  DataInfo data;  ///< without samples
  std::shared_ptr<const Loss> loss;
  /// As the file has them. The plan's tensors have these floats, in this order; those beyond them are zero.
  std::vector<TensorInfo> tensors;
};

/// What the user says instead of the file; empty: nothing.
struct NetworkWish {
  std::string model = {};                       ///< a built-in one's name
  const models::Graph* graph = nullptr;         ///< or its layers
  std::vector<std::int64_t> sample_shape = {};  ///< of the file, unless given
  std::shared_ptr<const Loss> loss = nullptr;   ///< likewise
};

/// @throws Error as the constructors of Predictor do.
DescribedNetwork describe(const SafetensorsFile& file, const NetworkWish& wish);

}  // namespace troupe
