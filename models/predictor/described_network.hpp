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

/// A network for predictions, as the file of weights and the caller describe it.
struct DescribedNetwork {
  NetworkPlan plan;
  DataInfo data;  ///< describes the data; holds no samples
  std::shared_ptr<const Loss> loss;
  /// The tensors that the file must contain. Their floats are those of the tensors of the plan, in the same order. If
  /// the plan has more floats, these are zero.
  std::vector<TensorInfo> tensors;
};

/// The description of the network by the caller. For empty members, the description in the file is used.
struct NetworkWish {
  std::string model = {};                       ///< the name of a built-in model
  const models::Graph* graph = nullptr;         ///< the layers, instead of a name; may be null
  std::vector<std::int64_t> sample_shape = {};  ///< default: from the file
  std::shared_ptr<const Loss> loss = nullptr;   ///< default: from the file
};

/// Returns the network that the file and the caller describe together.
/// @throws Error under the same conditions as the constructors of Predictor.
DescribedNetwork describe(const SafetensorsFile& file, const NetworkWish& wish);

}  // namespace troupe
