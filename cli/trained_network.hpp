#pragma once

#include <string>

#include "troupe/error.hpp"

namespace troupe::cli {

/// The network to train, as given by the options and a file of weights.
struct TrainedNetwork {
  std::string model;            ///< name of a registered model
  std::string network = {};     ///< description of the network, for kDescribedModel
  std::string transforms = {};  ///< transforms that its samples went through
  std::string inputs = {};      ///< description of how its samples are made; empty: none
  bool is_named = false;        ///< the command line names the model
};

/// Reads the network of a file of weights. @param model used if the file does not describe its network
/// @param is_said whether to use `model` in any case
TrainedNetwork trained_network(const std::string& path, const std::string& model, bool is_said);

/// Returns the typed transforms, with the training's numbers inserted into each "normalise" without numbers: the first
/// gets those of the training's first "normalise", and so on.
std::string with_trained_numbers(const std::string& typed, const std::string& trained);

/// Returns advice if a file of weights does not fit the data or the network; empty if there is none.
/// @param may_have_new_head whether --new-head is an option
std::string load_hint(const Error& error, const TrainedNetwork& trained, bool may_have_new_head);

}  // namespace troupe::cli
