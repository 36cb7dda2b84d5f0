#pragma once

#include <string>

#include "troupe/error.hpp"

namespace troupe::cli {

/// What trains, as the options and a file of weights say it.
struct TrainedNetwork {
  std::string model;            ///< a registered one
  std::string network = {};     ///< of kDescribedModel: what it is
  std::string transforms = {};  ///< that its samples went through
  std::string inputs = {};      ///< what says how its samples are made; empty: nothing
  bool is_named = false;        ///< by the command line
};

/// The network of a file of weights. @param model by which it is made where the file does not say more
/// @param is_said whether it goes by that name in any case
TrainedNetwork trained_network(const std::string& path, const std::string& model, bool is_said);

/// Transforms as they are typed, where each "normalise" without numbers has those of the training's: the first those of
/// the first, and so on.
std::string with_trained_numbers(const std::string& typed, const std::string& trained);

/// What to do where a file of weights does not fit the data, or the network; empty: nothing that is known.
/// @param may_have_new_head whether --new-head is an option
std::string load_hint(const Error& error, const TrainedNetwork& trained, bool may_have_new_head);

}  // namespace troupe::cli
