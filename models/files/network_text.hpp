#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "troupe/data.hpp"

namespace troupe {

/// The description of one layer of a network. `kind` and `numbers` have the values of the layer's LayerSpec.
struct LayerText {
  std::string name;
  std::string kind;
  std::vector<int> inputs;  ///< the indices of the layers whose outputs this layer receives; -1: the network's input
  std::map<std::string, double> numbers;
  std::string tied = {};  ///< LayerSpec::tied_to

  bool operator==(const LayerText&) const = default;
};

/// Returns the index of the last layer whose description contains the number of its outputs. These are the outputs of
/// the network. Returns nothing if there is no such layer.
std::optional<std::size_t> head_of(const std::vector<LayerText>& layers);

/// The description of a network in a file of weights, from which the network can be recreated.
struct NetworkText {
  std::string model;              ///< "linear" or "softmax" if the model is not a graph of layers; otherwise empty
  std::vector<LayerText> layers;  ///< empty if one of the layers is a custom layer
  DataInfo data;                  ///< describes the data; holds no samples
  std::string loss;
  bool knows_inputs = true;  ///< false if the text lacks DataInfo::encoding, because an earlier version wrote the text
                             ///< or the encoding was too long
};

/// The metadata key of a file of weights under which the file contains the description of its network: the text that
/// `to_json` returns for a NetworkText.
inline constexpr const char* kNetworkKey = "troupe.network";
/// The maximum length in bytes of the text that `to_json` returns for a NetworkText.
inline constexpr std::size_t kLongestNetworkText = std::size_t{3} << 18;

/// Returns the description of a network as one line of JSON. If the text would be longer than kLongestNetworkText,
/// leaves out the input encoding and logs a warning. If `network_from_json` would reject the text, for example because
/// the network has too many layers, logs a warning and returns an empty string.
std::string to_json(const NetworkText& network);
/// Returns the description of a network that a JSON text contains; the reverse of `to_json`.
/// @param path the name of the file that contains the text, for error messages
/// @throws Error bad_file if `text` is not a text that `to_json` can return.
NetworkText network_from_json(const std::string& path, const std::string& text);

/// Checks that a new last layer changes no other layer: the last layer must not be tied to an embedding.
/// @throws Error unsupported if the last layer is tied
void check_has_own_head(const std::vector<LayerText>& layers);

/// Checks that two descriptions of networks have the same input encoding: the same features with the same categories,
/// or the same symbols. Checks nothing if a description is empty or has no encoding. If only `stored` lacks its
/// encoding (NetworkText::knows_inputs), logs a warning.
/// @param path the file that contains `stored`, for error messages
/// @param stored the description of the network in a file, as JSON
/// @param own the description of the network of this run, as JSON
/// @throws Error model_mismatch if the encodings differ; the message names the first column that differs
void check_same_inputs(const std::string& path, const std::string& stored, const std::string& own);

/// Checks that two descriptions of networks have the same names of classes and of targets. Called for a run that
/// resumes from a checkpoint. Checks nothing if a description is empty or has no names.
/// @param path the file that contains `stored`, for error messages
/// @param stored the description of the network in a file, as JSON
/// @param own the description of the network of this run, as JSON
/// @throws Error model_mismatch if the names differ
void check_same_answers(const std::string& path, const std::string& stored, const std::string& own);

/// Logs a warning that the file of weights `path` does not contain the columns, categories or symbols of the training
/// data.
void warn_of_unknown_inputs(const std::string& path);

}  // namespace troupe
