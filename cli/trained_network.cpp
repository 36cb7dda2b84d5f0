#include "cli/trained_network.hpp"

#include <deque>
#include <vector>

#include "models/builtin_models.hpp"
#include "models/data/arguments.hpp"
#include "models/files/checkpoint/weights_of.hpp"
#include "models/files/network_text.hpp"
#include "models/files/safetensors_file.hpp"

namespace troupe::cli {
namespace {

/// Splits a list of transforms at commas, and returns the single transforms without surrounding blanks.
std::vector<std::string> steps_of(const std::string& transforms) {
  std::vector<std::string> steps;
  for (const std::string& step : split_text(transforms, ',')) {
    const std::size_t first = step.find_first_not_of(" \t");
    steps.push_back(first == std::string::npos ? "" : step.substr(first, step.find_last_not_of(" \t") - first + 1));
  }
  return steps;
}

}  // namespace

TrainedNetwork trained_network(const std::string& path, const std::string& model, bool is_said) {
  const std::string text = SafetensorsFile(weights_file_of(path)).network();
  if (text.empty()) return {.model = model, .is_named = is_said};
  const NetworkText network = network_from_json(path, text);
  const std::string& transforms = network.data.transforms;
  if (is_said || (network.model.empty() && network.layers.empty())) return {model, {}, transforms, text, is_said};
  if (!network.model.empty()) return {network.model, {}, transforms, text};
  // `inputs` is not set, because `text` also describes how samples are made.
  return {models::kDescribedModel, text, transforms};
}

std::string with_trained_numbers(const std::string& typed, const std::string& trained) {
  std::deque<std::string> known;
  for (const std::string& step : steps_of(trained))
    if (step.starts_with("normalise ")) known.push_back(step);
  std::string text;
  for (std::string step : steps_of(typed)) {
    const bool normalises = step == "normalise" || step.starts_with("normalise ");
    if (step == "normalise" && !known.empty()) step = known.front();
    if (normalises && !known.empty()) known.pop_front();
    text += (text.empty() ? "" : ", ") + step;
  }
  return text;
}

std::string load_hint(const Error& error, const TrainedNetwork& trained, bool may_have_new_head) {
  const auto says = [&](const char* text) { return error.message().find(text) != std::string::npos; };
  const bool mismatch = error.code() == ErrorCode::model_mismatch;
  const bool other_classes = says("class") && says("the network was trained");
  if (!mismatch && !other_classes) return "";
  if (mismatch && !trained.is_named && trained.network.empty() && trained.inputs.empty())
    return "; the file does not describe its network: choose it by --model, which is " + trained.model + " by default";
  return may_have_new_head ? "; for other classes --new-head starts with a new last layer" : "";
}

}  // namespace troupe::cli
