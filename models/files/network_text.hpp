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
  bool knows_inputs = true;  ///< false: the text lacks DataInfo::encoding, because it is old or would be too long
};

/// The metadata key under which a file of weights contains the text of `to_json`.
inline constexpr const char* kNetworkKey = "troupe.network";
/// The maximum length of the text in bytes.
inline constexpr std::size_t kLongestNetworkText = std::size_t{3} << 18;

/// Returns the description as one line of JSON. Leaves out the input encoding if the text would be too long. If
/// `network_from_json` would reject the text even so, for example because the network has too many layers, logs a
/// warning and returns an empty string.
std::string to_json(const NetworkText& network);
/// Returns the description in a text that `to_json` wrote.
/// @param path the name of the file, for error messages
/// @throws Error bad_file for a text that `to_json` does not write.
NetworkText network_from_json(const std::string& path, const std::string& text);

/// Checks that two texts have the same input encoding: the same features with the same categories, or the same symbols.
/// Does nothing if one of the texts is empty or has no encoding. Logs a warning if `stored` is the only one that has
/// none.
/// @param path the file that contains `stored`
/// @param own the text of the network of this run
/// @throws Error model_mismatch that names the first column or symbol that differs
void check_same_inputs(const std::string& path, const std::string& stored, const std::string& own);

/// Checks that two texts have the same names of classes and targets, for a run that resumes. Does nothing if one of the
/// texts is empty or has no names.
/// @param path the file that contains `stored`
/// @param own the text of the network of this run
/// @throws Error model_mismatch if names differ
void check_same_answers(const std::string& path, const std::string& stored, const std::string& own);

/// Logs a warning that a file of weights does not contain the columns, categories or symbols of the training data.
void warn_of_unknown_inputs(const std::string& path);

}  // namespace troupe
