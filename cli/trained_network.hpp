#pragma once

#include <string>

#include "troupe/error.hpp"

namespace troupe::cli {

/// The network to train or evaluate. The command-line options and the file of weights (--load) determine it.
struct TrainedNetwork {
  std::string model;            ///< name of a registered model
  std::string network = {};     ///< description of the network's layers (JSON), if `model` is kDescribedModel
  std::string transforms = {};  ///< transforms that were applied to samples in the network's training
  /// Description (JSON) of how samples were made from the training data; empty: no description.
  std::string inputs = {};
  bool is_named = false;  ///< whether --model was typed
};

/// Returns the network whose weights are in a file.
/// @param path a safetensors file, a checkpoint or a folder of checkpoints
/// @param model name of the model that is used if the file does not describe its network
/// @param is_said true: --model was typed, so `model` is used even if the file describes its network
TrainedNetwork trained_network(const std::string& path, const std::string& model, bool is_said);

/// Returns the transforms `typed`, in which each "normalise" without numbers gets the numbers from training: the first
/// "normalise" gets the numbers of the first "normalise" in `trained`, the second those of the second, and so on.
/// @param typed the transforms that the user typed
/// @param trained the transforms of the network's training, with numbers
std::string with_trained_numbers(const std::string& typed, const std::string& trained);

/// Returns advice, which the caller appends to the message of `error`, if a file of weights does not fit the data or
/// the network. Returns an empty text for other errors.
/// @param may_have_new_head whether the advice may recommend the option --new-head
std::string load_hint(const Error& error, const TrainedNetwork& trained, bool may_have_new_head);

}  // namespace troupe::cli
