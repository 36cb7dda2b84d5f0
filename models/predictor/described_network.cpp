#include "models/predictor/described_network.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "models/files/network_text.hpp"
#include "models/losses/loss_registry.hpp"
#include "models/network/builtin_graphs.hpp"
#include "models/network/graph_text.hpp"
#include "models/registry.hpp"
#include "runtime/invalid.hpp"

namespace troupe {
namespace {

using models::Graph;

std::string text_of(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (const std::int64_t length : shape) text += (text.empty() ? "" : "x") + std::to_string(length);
  return text;
}

std::vector<TensorInfo> tensors_of(const NetworkPlan& plan) {
  std::vector<TensorInfo> tensors;
  for (const models::LayerTensor& tensor : plan.tensors) tensors.push_back(tensor.info);
  return tensors;
}

/// Returns the first length in the shape of the tensor with the name `tensor` in the file. Returns 1 if the file does
/// not contain the tensor; a later check reports missing tensors.
std::int64_t first_length(const SafetensorsFile& file, const std::string& tensor) {
  const auto found = file.tensors().find(tensor);
  const bool fits = found != file.tensors().end() && !found->second.shape.empty();
  return fits ? std::min<std::int64_t>(found->second.shape[0], std::numeric_limits<int>::max()) : 1;
}

/// Combines the description of a network in a file of weights with the arguments of the caller. If neither contains a
/// property, such as the number of classes, derives it from the layers or the tensors of the network.
class Describer {
 public:
  Describer(const SafetensorsFile& file, const NetworkWish& wish) : file_(file), wish_(wish) {
    if (const std::string text = file.network(); !text.empty()) text_ = network_from_json(file.file().path(), text);
  }

  /// Returns whether the file contains a complete description of its network, and the caller has not passed any
  /// arguments.
  bool is_told_by_file() const {
    const bool whole = text_ && !(text_->model.empty() && text_->layers.empty());
    return whole && wish_.model.empty() && wish_.graph == nullptr && wish_.sample_shape.empty() && !wish_.loss;
  }

  DescribedNetwork describe() {
    made_.data = text_ ? text_->data : DataInfo{};
    take_shape();
    const std::string model = wish_.model.empty() && wish_.graph == nullptr && text_ ? text_->model : wish_.model;
    made_.loss = loss_for(model);
    if (model == "linear" || model == "softmax") {
      plan_one_layer(model);
    } else {
      made_.plan = plan_network(graph_for(model), made_.data.shape, {});
      made_.tensors = tensors_of(made_.plan);
    }
    if (!text_) guess_data();
    if (is_told_by_file()) check_outputs();
    return std::move(made_);
  }

 private:
  void take_shape() {
    const std::vector<std::int64_t>& shape = wish_.sample_shape;
    std::vector<std::int64_t>& known = made_.data.shape;
    if (!text_ && wish_.model.empty() && wish_.graph == nullptr)
      throw_invalid("the file does not describe its network: name the model, or pass its graph");
    if (text_ && !shape.empty() && shape != known)
      throw_invalid("the samples have the shape " + text_of(known) + " in the file, not " + text_of(shape));
    if (!shape.empty()) known = shape;
    if (known.empty()) throw_invalid("the file does not contain the shape of the samples: pass it");
    for (const std::int64_t length : known)
      if (length < 1) throw_invalid("samples of shape " + text_of(known) + " contain no floats");
  }

  std::shared_ptr<const Loss> loss_for(const std::string& model) const {
    if (wish_.loss) return wish_.loss;
    if (text_ && !text_->loss.empty()) return find_loss(text_->loss);
    return model == "linear" ? losses::mean_squared_error() : losses::softmax_cross_entropy();
  }

  Graph graph_for(const std::string& model) const {
    if (wish_.graph != nullptr) return *wish_.graph;
    if (!model.empty()) return builtin(model);
    if (text_->layers.empty())
      throw_invalid("the file does not describe the layers of its network, because they are your own: pass its graph");
    return models::graph_of(file_.file().path(), text_->layers);
  }

  /// Returns the layers of the built-in model with this name. To find its number of outputs, reads the first length in
  /// the shape of the network's last tensor from the file.
  Graph builtin(const std::string& model) const {
    const auto with_one_output = models::builtin_graph(model, 1);
    if (!with_one_output) {
      find_model(model);  // throws an error that lists the known models
      throw_invalid("the layers of '" + model + "' do not follow from its name: pass its graph");
    }
    const std::string last = plan_network(*with_one_output, made_.data.shape, {}).tensors.back().info.name;
    return *models::builtin_graph(model, static_cast<int>(first_length(file_, last)));
  }

  /// Plans the network of the models "linear" and "softmax": a single linear layer. Also sets `made_.tensors`, because
  /// in the file the tensors of these models have other names, and a file of "linear" contains no bias.
  void plan_one_layer(const std::string& model) {
    const std::int64_t outputs = model == "linear" ? 1 : first_length(file_, "bias");
    const std::vector<std::int64_t> flat{made_.data.sample_size()};
    const std::int64_t features = flat.front();
    made_.plan = plan_network(Graph({models::flatten(), models::linear(outputs)}), flat, {});
    if (model == "linear")
      made_.tensors = {{"weights", {features}}};
    else
      made_.tensors = {{"weight", {outputs, features}}, {"bias", {outputs}}};
  }

  void check_outputs() const {
    const std::int64_t outputs = made_.loss->num_outputs(made_.data);
    if (outputs != made_.plan.num_outputs)
      throw_invalid("the network has " + std::to_string(made_.plan.num_outputs) + " outputs, but the loss needs " +
                    std::to_string(outputs) + " for the data");
  }

  /// Sets the number of classes or the number of targets to the number of outputs of the network. Used if the file
  /// contains no description. If the loss accepts data with classes, the network has classes, otherwise targets.
  void guess_data() {
    const std::int64_t outputs = made_.plan.num_outputs;
    made_.data.num_classes = static_cast<int>(outputs);
    try {
      made_.loss->num_outputs(made_.data);
    } catch (const Error&) {  // the loss needs targets
      made_.data.num_classes = 0;
      made_.data.num_targets = outputs;
    }
  }

  const SafetensorsFile& file_;
  const NetworkWish& wish_;
  std::optional<NetworkText> text_;
  DescribedNetwork made_;
};

}  // namespace

DescribedNetwork describe(const SafetensorsFile& file, const NetworkWish& wish) {
  bool told_by_file = false;
  try {
    Describer describer(file, wish);
    told_by_file = describer.is_told_by_file();
    DescribedNetwork network = describer.describe();
    file.require(network.tensors);
    return network;
  } catch (const Error& error) {
    if (!error.where().object.empty()) throw;
    const bool damaged = told_by_file && error.code() == ErrorCode::invalid_argument;
    throw Error(damaged ? ErrorCode::bad_file : error.code(), error.message(), {.object = file.file().path()});
  }
}

}  // namespace troupe
