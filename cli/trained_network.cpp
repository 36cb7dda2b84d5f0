#include "cli/trained_network.hpp"

#include "models/builtin_models.hpp"
#include "models/files/checkpoint/weights_of.hpp"
#include "models/files/network_text.hpp"
#include "models/files/safetensors_file.hpp"

namespace troupe::cli {

TrainedNetwork trained_network(const std::string& path, const std::string& model, bool is_said) {
  const std::string text = SafetensorsFile(weights_file_of(path)).network();
  if (text.empty()) return {model};
  const NetworkText network = network_from_json(path, text);
  const std::string& transforms = network.data.transforms;
  if (is_said || (network.model.empty() && network.layers.empty())) return {model, {}, transforms, text};
  if (!network.model.empty()) return {network.model, {}, transforms, text};
  return {models::kDescribedModel, text, transforms};  // the text tells of the inputs, too
}

}  // namespace troupe::cli
