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

/// A field of a row: a number or a text. A text may also contain a number, as in a CSV file. NaN and texts such as ""
/// and "NA" are missing values.
class Field {
 public:
  // NOLINTBEGIN(google-explicit-constructor): a row is a list of names and values
  template <class Number>
  requires std::is_arithmetic_v<Number> Field(Number number) : value_(static_cast<double>(number)) {}
  Field(std::string text) : value_(std::move(text)) {}
  Field(const char* text) : value_(std::string(text)) {}
  // NOLINTEND(google-explicit-constructor)

  const std::variant<double, std::string>& value() const { return value_; }

 private:
  std::variant<double, std::string> value_;
};

/// Fields by the names of their columns, such as {{"age", 42}, {"city", "Ulm"}}.
using Row = std::map<std::string, Field>;

/// A trained network that computes outputs on the CPU, in f32, exactly like an evaluation. It needs neither workers nor
/// training data.
///
/// `predict` takes raw samples: a row of a table, or samples as load_data returns them. `outputs` and `probabilities`
/// take prepared samples, to which the transforms of the training have been applied; `prepare` makes them.
///
/// Samples are floats, one sample after the other, each row-major with shape `sample_shape()` ({channels, height,
/// width} for images). A call takes any number of samples, including 0, and computes in batches of 64. The outputs of a
/// sample are bitwise identical in two calls if the sample has the same position in a batch of the same size. Otherwise
/// the outputs may differ by rounding.
///
/// Thread-safe: several threads may call the same object at the same time. They share the weights, and each call has
/// its own working memory. Moving an object is not thread-safe. A moved-from object may only be assigned to or
/// destroyed.
class Predictor {
 public:
  /// Loads a safetensors file that describes its network, as all files of Troupe do: those of DistributedSGD::save, of
  /// `troupe train --save` and of checkpoints. `path` may also name a checkpoint, or a folder of checkpoints, of which
  /// the newest is loaded. Networks with layers or losses of your own need another constructor.
  /// @throws Error bad_file if the file is missing or damaged.
  /// @throws Error invalid_argument if the file does not describe its network.
  /// @throws Error model_mismatch if a tensor does not fit; the error names the tensor.
  explicit Predictor(const std::string& path);

  /// Loads any safetensors file, such as one written by PyTorch, for this network. If `sample_shape` or `loss` is
  /// empty, it is taken from the file if the file contains it. The default loss is softmax cross-entropy.
  /// @param path as above.
  /// @param graph the network.
  /// @param sample_shape {features}, {height, width} or {channels, height, width}.
  /// @param loss defines `probabilities`.
  /// @throws Error as above, and invalid_argument if the network does not accept such samples.
  Predictor(const std::string& path, const models::Graph& graph, std::vector<std::int64_t> sample_shape = {},
            std::shared_ptr<const Loss> loss = nullptr);
  /// Does the same for a sequence of layers.
  Predictor(const std::string& path, const std::vector<models::Layer>& layers,
            std::vector<std::int64_t> sample_shape = {}, std::shared_ptr<const Loss> loss = nullptr);
  /// Does the same for a built-in model: "linear", "softmax", "mlp", "cnn", "cnn-bn", "resnet18" and so on. The number
  /// of outputs is taken from the file.
  /// @throws Error as above, and invalid_argument for other names.
  Predictor(const std::string& path, const std::string& model, std::vector<std::int64_t> sample_shape = {},
            std::shared_ptr<const Loss> loss = nullptr);

  ~Predictor();
  Predictor(Predictor&&) noexcept;
  Predictor& operator=(Predictor&&) noexcept;

  /// Returns the known properties of the training data: the shape of a sample, classes with their names or targets, and
  /// the scale of bytes. `num_samples` is 0.
  const DataInfo& data() const;
  /// Returns the shape of a prepared sample.
  const std::vector<std::int64_t>& sample_shape() const { return data().shape; }
  /// Returns the number of outputs for each sample.
  std::int64_t num_outputs() const;
  /// Returns the loss, which defines the meaning of the outputs; see Loss::is_hit.
  const Loss& loss() const;

  /// Returns the probabilities (see `probabilities`) for a row of a table with the columns of the training. Unknown
  /// columns are ignored.
  /// @throws Error bad_data if a column is missing, contains a text instead of a number, or contains a category that
  /// the training set did not have. The error names the column.
  /// @throws Error invalid_argument if the network was not trained on a table, or its file does not contain the
  /// columns.
  std::vector<float> predict(const Row& row) const;
  /// Returns the probabilities for raw samples: samples as load_data returns them, before the transforms of the
  /// training. Each has the shape data().source_shape, or data().shape if there were no transforms.
  /// @throws Error as `outputs`.
  std::vector<float> predict(std::span<const float> raw) const;

  /// Returns the prepared sample of a row, which is bitwise identical to the sample in an evaluation.
  /// @throws Error as `predict`.
  std::vector<float> prepare(const Row& row) const;
  /// Returns the prepared samples of raw samples, which are bitwise identical to the samples in an evaluation.
  /// @throws Error as `predict`.
  std::vector<float> prepare(std::span<const float> raw) const;

  /// Returns the outputs of the last layer for prepared samples, such as scores of classes: num_outputs() floats for
  /// each sample.
  /// @throws Error invalid_argument if `samples` is not a whole number of samples.
  std::vector<float> outputs(std::span<const float> samples) const;
  /// Writes the outputs to `to`.
  /// @throws Error invalid_argument if `samples` is not a whole number of samples, or `to` has another length.
  void outputs(std::span<const float> samples, std::span<float> to) const;

  /// Returns the outputs for prepared samples, converted by the loss (Loss::to_probabilities). Softmax cross-entropy
  /// gives probabilities that add up to 1, sigmoid cross-entropy one probability for each output; other losses return
  /// the outputs unchanged.
  /// @throws Error as `outputs`.
  std::vector<float> probabilities(std::span<const float> samples) const;
  /// Writes the probabilities to `to`.
  /// @throws Error as `outputs`.
  void probabilities(std::span<const float> samples, std::span<float> to) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace troupe
