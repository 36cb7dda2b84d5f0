#pragma once

// Predictions with a trained network, without workers:
//
//    const troupe::Predictor predictor("cnn.safetensors");
//    std::vector<float> probabilities = predictor.predict(image);  // image: 28 * 28 floats, as load_data returns them

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "troupe/data.hpp"
#include "troupe/loss.hpp"
#include "troupe/models.hpp"

namespace troupe {

/// A field of a Row: a number or a text. A text may also contain a number, as in a CSV file. NaN and texts such as ""
/// and "NA" are missing values.
class Field {
 public:
  // NOLINTBEGIN(google-explicit-constructor): numbers and texts convert to a Field
  template <class Number>
  requires std::is_arithmetic_v<Number> Field(Number number) : value_(static_cast<double>(number)) {}
  Field(std::string text) : value_(std::move(text)) {}
  Field(const char* text) : value_(std::string(text)) {}
  // NOLINTEND(google-explicit-constructor)

  const std::variant<double, std::string>& value() const { return value_; }

 private:
  std::variant<double, std::string> value_;
};

/// A row of a table: its fields, by the names of their columns. Example: {{"age", 42}, {"city", "Ulm"}}.
using Row = std::map<std::string, Field>;

/// The device and the number format in which a Predictor computes.
struct PredictorOptions {
  Device device = Device::cpu;           ///< as ComputeOptions::device
  int device_number = -1;                ///< as ComputeOptions::device_number; -1 (default): the first CUDA device
  Precision precision = Precision::f32;  ///< as ComputeOptions::precision
  bool tf32 = false;                     ///< as ComputeOptions::tf32
};

/// A trained network that computes outputs on the CPU in f32, or as PredictorOptions say, exactly like an evaluation. A
/// Predictor needs neither workers nor training data.
///
/// `predict` takes raw samples: a row of a table, or samples as load_data returns them. `outputs` and `probabilities`
/// take prepared samples, to which the transforms of the training have been applied. `prepare` converts raw samples to
/// prepared samples.
///
/// Samples are floats, one sample after the other, each row-major with shape `sample_shape()` ({channels, height,
/// width} for images). A call takes any number of samples, including 0, and computes them in batches of 64. The outputs
/// of a sample are bitwise identical in two calls if the sample has the same position in a batch of the same size.
/// Otherwise the outputs may differ by rounding.
///
/// Thread-safe: several threads may call the same Predictor at the same time. They share the weights, and each call has
/// its own working memory; on a CUDA device each call that runs at the same time also has its own copy of the weights.
/// Moving a Predictor is not thread-safe. A moved-from Predictor may only be assigned to or
/// destroyed.
class Predictor {
 public:
  /// Loads a safetensors file that describes its network. All files of Troupe do: those of DistributedSGD::save, of
  /// `troupe train --save` and of checkpoints. `path` is such a file, a checkpoint, or a folder of checkpoints, of
  /// which the newest is loaded. If the network has layers or losses of your own, use another constructor.
  /// @throws Error bad_file if the file is missing or damaged.
  /// @throws Error invalid_argument if the file does not describe its network.
  /// @throws Error model_mismatch if a tensor does not fit; the error names the tensor.
  /// @throws Error unsupported if the program or the machine does not have the device.
  explicit Predictor(const std::string& path, const PredictorOptions& options = {});

  /// Loads any safetensors file, such as one that PyTorch has written, for the network `graph`. If `sample_shape` or
  /// `loss` is empty, its value is read from the file, if the file contains it. Otherwise the loss is softmax
  /// cross-entropy.
  /// @param path a safetensors file, a checkpoint, or a folder of checkpoints, of which the newest is loaded.
  /// @param graph the network.
  /// @param sample_shape {features}, {height, width} or {channels, height, width}.
  /// @param loss defines `probabilities`.
  /// @param options device and number format.
  /// @throws Error as the constructor with a path only, and invalid_argument if the network does not accept such
  /// samples.
  Predictor(const std::string& path, const models::Graph& graph, std::vector<std::int64_t> sample_shape = {},
            std::shared_ptr<const Loss> loss = nullptr, const PredictorOptions& options = {});
  /// Loads any safetensors file for a network in which each layer's output is the next layer's input. Otherwise like
  /// the constructor with a Graph.
  Predictor(const std::string& path, const std::vector<models::Layer>& layers,
            std::vector<std::int64_t> sample_shape = {}, std::shared_ptr<const Loss> loss = nullptr,
            const PredictorOptions& options = {});
  /// Loads any safetensors file for a built-in model: "linear", "softmax", "mlp", "cnn", "cnn-bn", "resnet18" and so
  /// on. The number of outputs is read from the file. Otherwise like the constructor with a Graph.
  /// @throws Error as the constructor with a Graph, and invalid_argument for other names of models.
  Predictor(const std::string& path, const std::string& model, std::vector<std::int64_t> sample_shape = {},
            std::shared_ptr<const Loss> loss = nullptr, const PredictorOptions& options = {});

  ~Predictor();
  Predictor(Predictor&&) noexcept;
  Predictor& operator=(Predictor&&) noexcept;

  /// Returns the known properties of the training data: the shape of a sample, the classes with their names or the
  /// targets, and the factor of bytes. `num_samples` is 0.
  const DataInfo& data() const;
  /// Returns the shape of a prepared sample, to which the transforms of the training have been applied.
  const std::vector<std::int64_t>& sample_shape() const { return data().shape; }
  /// Returns the number of outputs that the network computes for each sample: those of all positions together, position
  /// after position, if it has outputs at each position.
  std::int64_t num_outputs() const;
  /// Returns the loss with which the network was trained. The loss defines the meaning of the outputs; see
  /// Loss::to_probabilities and Loss::is_hit.
  const Loss& loss() const;

  /// Returns the probabilities for one row of a table, as `probabilities` does for a prepared sample. The row must have
  /// the columns of the training data; other columns are ignored.
  /// @throws Error bad_data if a column is missing, contains a text instead of a number, or contains a category that
  /// the training set did not have. The error names the column.
  /// @throws Error invalid_argument if the network was not trained on a table, or its file does not contain the
  /// columns.
  std::vector<float> predict(const Row& row) const;
  /// Returns the probabilities for raw samples: samples as load_data returns them, before the transforms of the
  /// training. Each sample has the shape data().source_shape, or data().shape if the training used no transforms.
  /// @throws Error as `outputs`.
  std::vector<float> predict(std::span<const float> raw) const;

  /// Converts a row of a table to a prepared sample, which is bitwise identical to the sample in an evaluation.
  /// @throws Error as `predict`.
  std::vector<float> prepare(const Row& row) const;
  /// Converts raw samples to prepared samples, which are bitwise identical to the samples in an evaluation.
  /// @throws Error as `predict`.
  std::vector<float> prepare(std::span<const float> raw) const;

  /// Returns the outputs of the last layer for prepared samples, such as scores of classes: num_outputs() floats for
  /// each sample.
  /// @throws Error invalid_argument if `samples` is not a whole number of samples.
  std::vector<float> outputs(std::span<const float> samples) const;
  /// Writes the outputs of the last layer for prepared samples to `to`: num_outputs() floats for each sample.
  /// @throws Error invalid_argument if `samples` is not a whole number of samples, or `to` has another length.
  void outputs(std::span<const float> samples, std::span<float> to) const;

  /// Returns the outputs for prepared samples after their conversion by the loss (Loss::to_probabilities). With softmax
  /// cross-entropy, the result contains probabilities that add up to 1. With sigmoid cross-entropy, it contains one
  /// probability for each output. Other losses do not change the outputs.
  /// @throws Error as `outputs`.
  std::vector<float> probabilities(std::span<const float> samples) const;
  /// Writes the probabilities for prepared samples to `to`: num_outputs() floats for each sample.
  /// @throws Error as `outputs`.
  void probabilities(std::span<const float> samples, std::span<float> to) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace troupe
