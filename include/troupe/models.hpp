#pragma once

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

/// A model made from functions.
class FunctionModel : public Model {
 public:
  /// The shard's loss sum and sample count at these weights.
  using Loss = std::function<BatchResult(const ShardStep&, std::span<const float> weights)>;
  /// Writes the gradient of that loss sum.
  using Gradient = std::function<void(const ShardStep&, std::span<const float> weights, std::span<float> gradient)>;

  FunctionModel(std::size_t size, Loss loss, Gradient gradient);

  BatchResult gradient(const ShardStep& at, std::span<const float> weights, std::span<float> gradient) override;

 protected:
  ModelInfo prepare(const ReplicaContext& context) override;

 private:
  std::size_t size_;
  Loss loss_;
  Gradient gradient_;
};

/// Least squares: loss (x . w - y)^2 without intercept, as many parameters as a sample has floats.
/// @param batch_size samples a shard and step; 0 takes the whole shard.
std::unique_ptr<Model> linear_regression(TrainingData data, std::int64_t batch_size = 0);

/// Softmax regression: one linear layer with bias and cross-entropy.
std::unique_ptr<Model> softmax_regression(TrainingData data, std::int64_t batch_size = 64);

/// A network: layers, and what each takes as input. The output is that of the layer appended last.
class Graph {
 public:
  /// The output of a layer, or the network's input.
  struct Node {
    int number = -1;
  };
  struct Entry {
    std::string name;
    Layer layer;
    std::vector<Node> inputs;
  };

  Graph() = default;
  /// Layers one after the other, named "0", "1", ...
  explicit Graph(const std::vector<Layer>& layers);

  static Node input() { return {}; }
  /// Appends a layer. Its tensors are called NAME.weight and so on; layers without tensors need no name.
  /// @throws Error invalid_argument for inputs that are not this graph's, or not as many as the layer takes.
  Node append(std::string name, const Layer& layer, std::vector<Node> inputs);

  const std::vector<Entry>& layers() const { return layers_; }

 private:
  std::vector<Entry> layers_;
};

/// A network, whose last layer gives the outputs that the loss takes of such data. Weights start as PyTorch's layers
/// do, uniform in +-1/sqrt(fan in), but convolutions without bias as torchvision's ResNets do, normal with variance 2 /
/// fan out. Tensors carry PyTorch's names.
/// @param batch_size samples a shard and step; 0: the whole shard. A step is on num_shards times as many
/// @param loss null: softmax cross-entropy for data with classes, mean squared error for data with targets.
/// @param metrics that each evaluation measures
/// @throws Error invalid_argument for a loss that does not learn such data, a metric that comes twice, and naming the
/// layer whose input does not fit.
std::unique_ptr<Model> network(const Graph& graph, TrainingData data, std::int64_t batch_size = 64,
                               std::shared_ptr<const Loss> loss = nullptr, std::vector<Metric> metrics = {});
/// One of layers in a row.
std::unique_ptr<Model> network(const std::vector<Layer>& layers, TrainingData data, std::int64_t batch_size = 64,
                               std::shared_ptr<const Loss> loss = nullptr, std::vector<Metric> metrics = {});

struct MlpOptions {
  std::int64_t hidden = 128;  ///< floats of each hidden layer
  std::int64_t layers = 1;    ///< hidden ones
  double dropout = 0;         ///< probability, behind each hidden layer; 0: there is none
};
/// flatten; linear to `hidden` and ReLU, `layers` times; linear to the outputs: one for each class or target.
std::vector<Layer> mlp_layers(int num_outputs, const MlpOptions& options = {});

struct CnnOptions {
  std::int64_t channels = 32;  ///< of the first convolution; the second has twice as many
  std::int64_t hidden = 128;   ///< floats of the hidden layer
  double dropout = 0;          ///< probability, behind the hidden layer; 0: there is none
};
/// The reference CNN: conv 3x3 32, ReLU, pool 2, conv 3x3 64, ReLU, pool 2, flatten, linear 128, ReLU, linear.
std::vector<Layer> cnn_layers(int num_outputs, const CnnOptions& options = {});
/// The same with a batch-norm behind each convolution, which then has no bias.
std::vector<Layer> cnn_bn_layers(int num_outputs, const CnnOptions& options = {});

inline constexpr std::array kResnetDepths{18, 34, 50, 101, 152};
inline constexpr std::int64_t kResnetWidth = 64;
/// ResNet as torchvision builds it (version 1.5: the stride is in the 3x3 convolution), with its names and order. Takes
/// images of any size that leaves the last batch-norm more than one value a channel of a batch: 33x33 for batches of 1.
/// @param depth one of kResnetDepths. @throws Error invalid_argument for another.
/// @param width channels of the first stage; each of the three others has twice as many as the one before
Graph resnet(int depth, int num_outputs, std::int64_t width = kResnetWidth);

/// What Ray's DistributedSGD example ran: ResNet-101 for 224x224 images and 1001 classes, 44,551,209 parameters, on
/// mock images: pixels normal (mean 127, deviation 60) cut off at [0, 255], labels uniform. Each shard has one batch,
/// drawn once from (seed, shard), so a falling loss means learning.
/// @param batch images a shard and step. @throws Error invalid_argument for a batch below 1.
std::unique_ptr<Model> tfbench(std::int64_t batch = 64);

/// Registers "linear", "softmax", "mlp", "cnn", "cnn-bn", "resnet18", "resnet34", "resnet50", "resnet101", "resnet152"
/// and "tfbench", configured by JSON: {"data": NAME, "batch_size": B, "loss": NAME, "metrics": [NAME, ...],
/// "model_options": {NAME: NUMBER, ...}}; "tfbench" draws its own data, and "linear", "softmax" and "tfbench" have a
/// loss of their own, and neither metrics nor options. Options are those of MlpOptions, of CnnOptions, and for ResNets
/// "width".
/// `init` calls it.
void register_builtin_models();

}  // namespace troupe::models
