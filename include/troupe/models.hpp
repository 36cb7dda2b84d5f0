#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "troupe/data.hpp"
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

  std::size_t size() const override { return size_; }
  BatchResult gradient(const ShardStep& at, std::span<const float> weights, std::span<float> gradient) override;

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

/// One piece of a network.
struct Layer {
  enum class Kind : std::uint8_t { convolution, linear, relu, max_pool, flatten };
  Kind kind;
  std::int64_t outputs = 0;  ///< channels of a convolution, features of a linear layer
  std::int64_t kernel = 0;   ///< convolution, max_pool
  std::int64_t stride = 1;   ///< convolution, max_pool
  std::int64_t padding = 0;  ///< convolution
};

Layer convolution(std::int64_t outputs, std::int64_t kernel, std::int64_t padding = 0, std::int64_t stride = 1);
Layer linear(std::int64_t outputs);
Layer relu();
Layer max_pool(std::int64_t kernel);
Layer flatten();

/// A network of layers, one after the other, trained with softmax cross-entropy on a classification set.
/// Weights start as PyTorch's layers do (uniform in +-1/sqrt(fan in)) and carry PyTorch's names ("0.weight", ...).
/// @throws Error invalid_argument naming the layer whose input does not fit.
std::unique_ptr<Model> network(std::vector<Layer> layers, TrainingData data, std::int64_t batch_size = 64);

/// flatten, linear 128, ReLU, linear to the classes.
std::vector<Layer> mlp_layers(int num_classes);
/// The reference CNN: conv 3x3 32, ReLU, pool 2, conv 3x3 64, ReLU, pool 2, flatten, linear 128, ReLU, linear.
std::vector<Layer> cnn_layers(int num_classes);

/// Registers "linear", "softmax", "mlp" and "cnn", configured by JSON: {"data": NAME, "batch_size": B}.
/// `init` calls it.
void register_builtin_models();

}  // namespace troupe::models
