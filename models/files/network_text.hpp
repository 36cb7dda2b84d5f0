#pragma once

#include <map>
#include <string>
#include <vector>

#include "troupe/data.hpp"

namespace troupe {

/// A description of a layer. Kind and numbers are those of its LayerSpec.
struct LayerText {
  std::string name;
  std::string kind;
  std::vector<int> inputs;  ///< numbers of earlier layers; -1: the network's input
  std::map<std::string, double> numbers;

  bool operator==(const LayerText&) const = default;
};

/// The description of a network in a file of weights, from which the network can be recreated.
struct NetworkText {
  std::string model;              ///< for a model that is not a graph of layers: "linear" or "softmax"; otherwise empty
  std::vector<LayerText> layers;  ///< empty if one of the layers is a custom layer
  DataInfo data;                  ///< describes the data; holds no samples
  std::string loss;
  bool knows_inputs = true;  ///< false: written before the description contained DataInfo::encoding
};

/// The key of the text in a file's metadata.
inline constexpr const char* kNetworkKey = "troupe.network";
/// The largest length of a text in bytes.
inline constexpr std::size_t kLongestNetworkText = std::size_t{3} << 18;

/// Returns one line of JSON. Returns an empty string if `network_from_json` would reject the text, for example because
/// the graph is too large.
std::string to_json(const NetworkText& network);
/// @param path the name in errors. @throws Error bad_file for a text that `to_json` does not write.
NetworkText network_from_json(const std::string& path, const std::string& text);

/// Compares the input encodings of two texts. Either text may be empty or have no encoding. Logs a warning if `stored`
/// was written before texts contained encodings.
/// @param path the file that contains `stored`
/// @throws Error model_mismatch that names the first column or symbol that differs
void check_same_inputs(const std::string& path, const std::string& stored, const std::string& own);

/// Compares the names of classes and targets, for a run that resumes. Parameters and errors are like those of
/// check_same_inputs.
void check_same_answers(const std::string& path, const std::string& stored, const std::string& own);

/// Logs that the file of a network does not contain columns, categories or symbols.
void warn_of_unknown_inputs(const std::string& path);

}  // namespace troupe
