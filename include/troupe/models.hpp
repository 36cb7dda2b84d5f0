#pragma once

// Ready-made models: networks of layers, regressions, and models from two functions.
//
//    auto creator = [](const troupe::ReplicaContext& at) {
//      return troupe::models::network(troupe::models::cnn_layers(10), troupe::load_data("fashion-mnist", at.seed));
//    };
//    troupe::DistributedSGD sgd{creator, {.num_workers = 2}};

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "troupe/data.hpp"
#include "troupe/layers.hpp"
#include "troupe/loss.hpp"
#include "troupe/metric.hpp"
#include "troupe/model.hpp"

namespace troupe::models {

/// A model made from two functions. The optimizer updates all its parameters, which start with zeros. The model
/// computes on CPUs only.
class FunctionModel : public Model {
 public:
  /// A function that returns the sum of the losses over the samples of the shard's batch, and the number of these
  /// samples.
  using Loss = std::function<BatchResult(const ShardStep&, std::span<const float> weights)>;
  /// A function that writes the gradient of the sum of the losses, with respect to the weights, to `gradient`.
  using Gradient = std::function<void(const ShardStep&, std::span<const float> weights, std::span<float> gradient)>;

  /// Makes a model from two functions.
  /// @param size number of parameters; at least 1.
  /// @param loss computes the loss; must not be empty.
  /// @param gradient computes the gradient; must not be empty.
  /// @throws Error invalid_argument if `size` is below 1 or a function is empty.
  FunctionModel(std::size_t size, Loss loss, Gradient gradient);

  BatchResult gradient(const ShardStep& at, std::span<const float> weights, std::span<float> gradient) override;

 protected:
  ModelInfo prepare(const ReplicaContext& context) override;

 private:
  std::size_t size_;
  Loss loss_;
  Gradient gradient_;
};

/// Returns a linear regression without intercept. The loss of a sample is (x . w - y)^2, where x are the values of the
/// sample, w the weights, and y the target. There are as many weights as values of a sample.
/// @param data with one target for each sample.
/// @param batch_size number of samples for each shard and step. 0 (default): all samples of the shard.
/// @throws Error invalid_argument or bad_data if the data is not suitable.
std::unique_ptr<Model> linear_regression(TrainingData data, std::int64_t batch_size = 0);

/// Returns a softmax regression: one linear layer with bias, and the softmax cross-entropy as loss.
/// @param data with classes.
/// @param batch_size number of samples for each shard and step. 0: all samples of the shard.
/// @throws Error invalid_argument or bad_data if the data is not suitable.
std::unique_ptr<Model> softmax_regression(TrainingData data, std::int64_t batch_size = 64);

/// A network: a list of layers, each with its inputs. The output of the network is the output of the last layer of the
/// list.
///
/// ```cpp
/// troupe::models::Graph g;
/// auto x = g.append("conv1", conv2d(64, {.kernel = 3, .padding = 1}), {g.input()});
/// x = g.append("", add(), {g.append("", relu(), {x}), x});
/// ```
class Graph {
 public:
  /// An output of a layer (`number` is the layer's position in the list), or the input of the network (-1).
  struct Node {
    int number = -1;
  };
  /// A layer, its name and its inputs.
  struct Entry {
    std::string name;
    Layer layer;
    std::vector<Node> inputs;
  };

  Graph() = default;
  /// Makes a network in which the output of each layer is the input of the next layer. The layers are named "0", "1",
  /// and so on.
  explicit Graph(const std::vector<Layer>& layers);

  /// Returns the node that stands for the input of the network.
  static Node input() { return {}; }
  /// Appends a layer and returns its output.
  /// @param name the name of the layer, NAME; its tensors are named NAME.weight and so on. The name may be empty if the
  /// layer has no tensors.
  /// @param layer the layer.
  /// @param inputs outputs of earlier layers, or the input of the network.
  /// @throws Error invalid_argument if an input does not belong to this graph, or the number of inputs is wrong.
  Node append(std::string name, const Layer& layer, std::vector<Node> inputs);

  /// Returns the layers in the order in which they were appended.
  const std::vector<Entry>& layers() const { return layers_; }

 private:
  std::vector<Entry> layers_;
};

/// Returns a model that trains a network. The loss determines how many outputs the last layer must have for the data
/// (Loss::num_outputs). The first weights are drawn as in PyTorch: uniform in +-1/sqrt(fan in). The weights of
/// convolutions without bias are normal with variance 2 / fan out instead, as in torchvision's ResNets. Tensors have
/// PyTorch's names.
/// @param graph the network.
/// @param data training set, and optional test and validation sets.
/// @param batch_size number of samples for each shard and step, so that a step uses num_shards times as many. 0: all
/// samples of the shard.
/// @param loss the loss. Null (default): softmax cross-entropy for data with classes, mean squared error for data with
/// targets.
/// @param metrics the metrics that each evaluation measures in addition to the loss.
/// @param micro_batch if above 0, a step computes this number of samples of a shard at a time, and adds their
/// gradients. So it needs the memory for the values of fewer samples. Sums are rounded differently than for the whole
/// batch; batch-norm uses the statistics of these samples only, and dropout draws other numbers. 0 (default): the
/// samples of a shard are computed together.
/// @throws Error invalid_argument if the loss does not support the data, a metric occurs twice, or the input of a layer
/// does not fit (the message names the layer).
/// @throws Error bad_data if the test or validation set does not match the training set.
std::unique_ptr<Model> network(const Graph& graph, TrainingData data, std::int64_t batch_size = 64,
                               std::shared_ptr<const Loss> loss = nullptr, std::vector<Metric> metrics = {},
                               std::int64_t micro_batch = 0);
/// Returns a model that trains a network in which each layer's output is the next layer's input. Otherwise like the
/// overload for a Graph.
std::unique_ptr<Model> network(const std::vector<Layer>& layers, TrainingData data, std::int64_t batch_size = 64,
                               std::shared_ptr<const Loss> loss = nullptr, std::vector<Metric> metrics = {},
                               std::int64_t micro_batch = 0);

/// Options of `mlp_layers`.
struct MlpOptions {
  std::int64_t hidden = 128;  ///< outputs of each hidden layer
  std::int64_t layers = 1;    ///< number of hidden layers
  /// Probability of the dropout after each hidden layer. 0 (default): no dropout.
  double dropout = 0;
};
/// Returns the layers of a multilayer perceptron: flatten, then `options.layers` times a linear layer with
/// `options.hidden` outputs and a ReLU, then a linear layer with `num_outputs` outputs.
/// @param num_outputs one for each class or target.
/// @param options see MlpOptions.
std::vector<Layer> mlp_layers(int num_outputs, const MlpOptions& options = {});

/// Options of `cnn_layers` and `cnn_bn_layers`.
struct CnnOptions {
  /// Number of channels of the first convolution. The second convolution has twice as many.
  std::int64_t channels = 32;
  std::int64_t hidden = 128;  ///< outputs of the hidden layer
  /// Probability of the dropout after the hidden layer. 0 (default): no dropout.
  double dropout = 0;
};
/// Returns the layers of the reference CNN of this project. With default options: convolution 3x3 with 32 channels,
/// ReLU, max-pooling 2x2, convolution 3x3 with 64 channels, ReLU, max-pooling 2x2, flatten, linear with 128 outputs,
/// ReLU, linear with `num_outputs` outputs.
/// @param num_outputs one for each class or target.
/// @param options see CnnOptions.
std::vector<Layer> cnn_layers(int num_outputs, const CnnOptions& options = {});
/// Returns the layers of `cnn_layers` with a batch-norm after each convolution. The convolutions have no bias.
std::vector<Layer> cnn_bn_layers(int num_outputs, const CnnOptions& options = {});

/// The depths that `resnet` supports.
inline constexpr std::array kResnetDepths{18, 34, 50, 101, 152};
/// The default width of `resnet`.
inline constexpr std::int64_t kResnetWidth = 64;
/// Returns a ResNet with the structure, the tensor names and the tensor order of torchvision (ResNet version 1.5: the
/// 3x3 convolution has the stride). In training, the last batch-norm needs more than one value for each channel of a
/// batch. So with a batch size of 1, images must be at least 33x33 pixels; larger batches allow smaller images.
/// @param depth one of kResnetDepths.
/// @param num_outputs one for each class or target.
/// @param width number of channels of the first stage; each later stage has twice as many as the previous one.
/// @throws Error invalid_argument for another depth.
Graph resnet(int depth, int num_outputs, std::int64_t width = kResnetWidth);

/// Options of `gpt`. The defaults are those of the smallest GPT-2, with 124 million parameters.
struct GptOptions {
  std::int64_t layers = 12;         ///< number of blocks of attention and multilayer perceptron
  std::int64_t heads = 12;          ///< heads of each attention; must divide `width`
  std::int64_t width = 768;         ///< channels of each position
  std::int64_t window = 1024;       ///< largest number of positions
  std::int64_t vocabulary = 50257;  ///< number of different tokens
  /// Probability of each dropout: after the embedding, in each attention and after both parts of each block. 0
  /// (default): no dropout.
  double dropout = 0;
};
/// Returns the network of GPT-2 (Radford and others, "Language models are unsupervised multitask learners", 2019), with
/// its names of tensors, for data with tokens and a label at each position, such as text:FILE,predict=each. The weights
/// of linear layers have the shape {outputs, inputs}. The last layer is tied to the embedding.
/// @throws Error invalid_argument for options that do not fit each other.
Graph gpt(const GptOptions& options);

/// Returns the model of Ray's DistributedSGD example: ResNet-101 for 224x224 images and 1001 classes, with 44,551,209
/// parameters. Its data are mock images. Pixels are normal (mean 127, standard deviation 60), clipped to [0, 255];
/// labels are uniform. Each shard has only one batch, drawn from (seed, shard), and uses it in every step. So a falling
/// loss shows that the model learns.
/// @param batch number of images for each shard and step.
/// @throws Error invalid_argument if `batch` is below 1.
std::unique_ptr<Model> tfbench(std::int64_t batch = 64);

/// Registers the built-in models "linear", "softmax", "mlp", "cnn", "cnn-bn", "gpt", "resnet18", "resnet34",
/// "resnet50", "resnet101", "resnet152" and "tfbench". `init` calls register_builtin_models. The config of these models
/// (Options::config) is JSON: {"data": NAME, "batch_size": B, "micro_batch": M, "loss": NAME, "metrics": [NAME, ...],
/// "model_options": {NAME: NUMBER, ...}}. The names in "model_options" are the members of MlpOptions for "mlp", those
/// of CnnOptions for "cnn" and "cnn-bn", those of GptOptions except `vocabulary` for "gpt", and "width" for ResNets. If
/// the data of "gpt" is `text:` or `tokens:` without `window=`, the option "window" applies to it, too. "linear",
/// "softmax" and "tfbench" have a fixed loss and accept neither metrics nor options. "tfbench" generates its own data.
void register_builtin_models();

}  // namespace troupe::models
