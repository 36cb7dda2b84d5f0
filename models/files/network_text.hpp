#pragma once

#include <map>
#include <string>
#include <vector>

#include "troupe/data.hpp"

namespace troupe {

/// A layer in words; its kind and numbers are those of its LayerSpec.
struct LayerText {
  std::string name;
  std::string kind;
  std::vector<int> inputs;  ///< numbers of layers before it; -1: the network's input
  std::map<std::string, double> numbers;

  bool operator==(const LayerText&) const = default;
};

/// What a file of weights says of its network, so that it can be made again.
struct NetworkText {
  std::string model;              ///< of one that is no graph of layers: "linear" or "softmax"; else empty
  std::vector<LayerText> layers;  ///< empty where one of them is not Troupe's own
  DataInfo data;                  ///< without samples
  std::string loss;
  bool knows_inputs = true;  ///< false: written before texts had DataInfo::encoding
};

/// Where it stands in a file's metadata.
inline constexpr const char* kNetworkKey = "troupe.network";
/// A text may be so long, in bytes.
inline constexpr std::size_t kLongestNetworkText = std::size_t{3} << 18;

/// One line of JSON; empty where `network_from_json` would refuse it, such as a graph that takes too long to tell.
std::string to_json(const NetworkText& network);
/// @param path what errors name. @throws Error bad_file for a text that `to_json` does not write.
NetworkText network_from_json(const std::string& path, const std::string& text);

/// Compares what two texts say of how samples are made; either may be empty, or say nothing of it. Logs a warning if
/// `stored` was written before texts said it.
/// @param path of the file that says `stored`. @throws Error model_mismatch that names the first column or symbol which
/// differs
void check_same_inputs(const std::string& path, const std::string& stored, const std::string& own);

/// The same of the names of classes and targets, for a run that goes on.
void check_same_answers(const std::string& path, const std::string& stored, const std::string& own);

/// Logs that the file of a network does not contain columns, categories or symbols.
void warn_of_unknown_inputs(const std::string& path);

}  // namespace troupe
