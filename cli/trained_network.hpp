#pragma once

#include <string>

namespace troupe::cli {

/// What trains, as the options and a file of weights say it.
struct TrainedNetwork {
  std::string model;            ///< a registered one
  std::string network = {};     ///< of kDescribedModel: what it is
  std::string transforms = {};  ///< that its samples went through
  std::string inputs = {};      ///< what says how its samples are made; empty: nothing
};

/// The network of a file of weights. @param model by which it is made where the file does not say more
/// @param is_said whether it goes by that name in any case
TrainedNetwork trained_network(const std::string& path, const std::string& model, bool is_said);

}  // namespace troupe::cli
