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

/// The description of a network for predictions. It combines the description in a file of weights with the arguments of
/// the caller.
struct DescribedNetwork {
  NetworkPlan plan;
  DataInfo data;  ///< describes the data; holds no samples
  std::shared_ptr<const Loss> loss;
  /// The tensors that the file must contain. Their floats, one tensor after the other, are the first floats of the
  /// tensors of `plan`. Further floats of `plan`, such as the bias that files of linear regression lack, are zero.
  std::vector<TensorInfo> tensors;
};

/// The arguments with which a caller describes a network. For each member that is empty or null, the description in the
/// file of weights is used.
struct NetworkWish {
  std::string model = {};                       ///< the name of a built-in model
  const models::Graph* graph = nullptr;         ///< the layers of the network, if `model` is empty; may be null
  std::vector<std::int64_t> sample_shape = {};  ///< default: from the file
  std::shared_ptr<const Loss> loss = nullptr;   ///< default: from the file
};

/// Returns the description of the network whose weights are in `file`. Combines the description in the file with
/// `wish`, the arguments of the caller.
/// @throws Error under the same conditions as the constructors of Predictor.
DescribedNetwork describe(const SafetensorsFile& file, const NetworkWish& wish);

}  // namespace troupe
