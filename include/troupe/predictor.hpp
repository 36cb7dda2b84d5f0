#pragma once

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

/// A field of a row: a number, or a text as a CSV file has it, which may also be a number. NaN, and texts such as ""
/// and "NA", are missing.
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

/// A trained network that only computes its outputs: no workers, no actors, no data. It computes in floats on the CPU,
/// as an evaluation does.
///
/// `predict` takes what people have: a row of a table, or samples as the data has them. `outputs` and `probabilities`
/// take prepared samples, to which the training's transforms have been applied; `prepare` makes them.
///
/// Samples are plain floats, one sample after the other, each row-major in `sample_shape()` ({channels, height, width}
/// for images). Any number of them goes in one call, 0 too; networks work on 64 at a time. A sample's outputs are the
/// same to the bit whenever it is at the same place of a batch of the same size; between batches of other sizes they
/// may differ by rounding.
///
/// Several threads may call it at once. Each call borrows what it computes with; weights are there once, for all. It
/// may be moved while nobody calls it, and then only be assigned to or destroyed.
class Predictor {
 public:
  /// Of a safetensors file that says what its network is, as all that Troupe writes do: DistributedSGD::save, `troupe
  /// train --save` and checkpoints. A path may also name the folder of a checkpoint, or a folder of checkpoints, of
  /// which the newest counts. Layers and losses of one's own are not in there.
  /// @throws Error bad_file for a file that is missing or damaged, invalid_argument for one that does not say it,
  /// model_mismatch naming the tensor that does not fit.
  explicit Predictor(const std::string& path);

  /// Of any safetensors file, such as PyTorch writes, of this network. What is not told, an empty shape or no loss, is
  /// the file's, if it says that; a loss that nobody tells is softmax cross-entropy.
  /// @param sample_shape {features}, {height, width} or {channels, height, width}.
  /// @throws Error as above, and invalid_argument for a network that does not take such samples.
  Predictor(const std::string& path, const models::Graph& graph, std::vector<std::int64_t> sample_shape = {},
            std::shared_ptr<const Loss> loss = nullptr);
  /// Of layers in a row.
  Predictor(const std::string& path, const std::vector<models::Layer>& layers,
            std::vector<std::int64_t> sample_shape = {}, std::shared_ptr<const Loss> loss = nullptr);
  /// Of a built-in model: "linear", "softmax", "mlp", "cnn", "cnn-bn", "resnet18" and so on. The file tells how many
  /// outputs it has. @throws Error invalid_argument for other names, too.
  Predictor(const std::string& path, const std::string& model, std::vector<std::int64_t> sample_shape = {},
            std::shared_ptr<const Loss> loss = nullptr);

  ~Predictor();
  Predictor(Predictor&&) noexcept;
  Predictor& operator=(Predictor&&) noexcept;

  /// What the network was trained on, as far as that is known: the shape of a sample, classes and their names or
  /// targets, how bytes were scaled. `num_samples` is 0.
  const DataInfo& data() const;
  const std::vector<std::int64_t>& sample_shape() const { return data().shape; }
  std::int64_t num_outputs() const;
  /// What the outputs mean; Loss::is_hit says which ones are right.
  const Loss& loss() const;

  /// Returns the probabilities of a row of the table that the network was trained on, by the names of its columns.
  /// Columns that the network does not know are ignored.
  /// @throws Error bad_data that names the column which is missing, has a text for a number, or a category that the
  /// training set did not have; invalid_argument for a network that was not trained on a table, or whose file does not
  /// contain its columns
  std::vector<float> predict(const Row& row) const;
  /// Returns the probabilities of raw samples: as load_data gives them, before the training's transforms. Each has the
  /// shape data().source_shape, or data().shape where there were no transforms. @throws Error as `outputs`
  std::vector<float> predict(std::span<const float> raw) const;

  /// Makes prepared samples, bitwise equal to those of an evaluation: of a row, or of raw samples.
  /// @throws Error as `predict`
  std::vector<float> prepare(const Row& row) const;
  std::vector<float> prepare(std::span<const float> raw) const;

  /// What the network's last layer gives for prepared samples, such as the scores of classes: num_outputs() floats a
  /// sample.
  /// @throws Error invalid_argument where `samples` is not a whole number of samples, or `to` has another length.
  std::vector<float> outputs(std::span<const float> samples) const;
  void outputs(std::span<const float> samples, std::span<float> to) const;

  /// What the outputs say of a sample, by the network's loss: with softmax cross-entropy probabilities that add up to
  /// 1, with sigmoid cross-entropy one for each output, else the outputs as they are. @throws Error as above.
  std::vector<float> probabilities(std::span<const float> samples) const;
  void probabilities(std::span<const float> samples, std::span<float> to) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace troupe
