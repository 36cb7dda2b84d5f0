#pragma once

#include <string>

#include "troupe/error.hpp"

namespace troupe::cli {

/// The network to train or evaluate, as determined by the options and the file of weights.
struct TrainedNetwork {
  std::string model;            ///< name of a registered model
  std::string network = {};     ///< description of the network's layers, if `model` is kDescribedModel
  std::string transforms = {};  ///< transforms that samples went through in the network's training
  std::string inputs = {};      ///< description of how samples were made from the training data; empty: none
  bool is_named = false;        ///< whether --model was typed
};

/// Returns the network that is described in a file of weights.
/// @param path the file, a checkpoint or a folder of checkpoints
/// @param model name of the model to use if the file does not describe its network
/// @param is_said whether --model was typed, so that `model` is used in any case
TrainedNetwork trained_network(const std::string& path, const std::string& model, bool is_said);

/// Returns the transforms `typed` with the numbers of the training: each "normalise" without numbers gets the numbers
/// of the "normalise" in `trained` at the same position (first, second and so on).
std::string with_trained_numbers(const std::string& typed, const std::string& trained);

/// Returns advice to append to an error message, if the error is that a file of weights does not fit the data or the
/// network; otherwise an empty text.
/// @param may_have_new_head whether the advice may be to use --new-head
std::string load_hint(const Error& error, const TrainedNetwork& trained, bool may_have_new_head);

}  // namespace troupe::cli
