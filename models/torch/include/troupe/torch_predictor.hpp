#pragma once

// Predictions with a trained module of libtorch, without workers:
//
//    const troupe::TorchPredictor<Net> predictor("net.safetensors");
//    torch::Tensor scores = predictor.outputs(images);  // images: what `forward` takes

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "troupe/data.hpp"
#include "troupe/predictor.hpp"
#include "troupe/torch.hpp"

namespace troupe {

namespace detail {

/// A TorchPredictor whose module's type is erased.
class TorchPredictions {
 public:
  TorchPredictions(const std::string& path, const TorchReplica& replica);
  TorchPredictions(TorchPredictions&&) noexcept;
  TorchPredictions& operator=(TorchPredictions&&) noexcept;
  ~TorchPredictions();

  const DataInfo& data() const;
  torch::Tensor outputs(std::vector<torch::Tensor> inputs) const;
  torch::Tensor predict(const Row& row) const;
  torch::Tensor predict(std::span<const float> raw) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace detail

/// A trained module of libtorch that computes outputs on the CPU, in f32, like an evaluation. Needs neither workers nor
/// training data. All samples of a call are one batch. Buffers that a module changes in evaluations keep their changes.
///
/// Several threads may call the same TorchPredictor at the same time if the module's `forward` allows this in
/// evaluations. libtorch uses as many threads in a call as the caller has set (at::set_num_threads).
template <class Module>
class TorchPredictor {
 public:
  /// Makes a module and loads its weights.
  /// @param path a safetensors file such as one of DistributedSGD::save, a checkpoint, or a folder of checkpoints, of
  /// which the newest is loaded
  /// @param options `make` and `outputs` are used as in training
  /// @throws Error bad_file if the file is missing or damaged; model_mismatch if the file does not contain exactly the
  /// tensors of the module; unsupported if the module has no outputs
  explicit TorchPredictor(const std::string& path, const TorchOptions<Module>& options = {})
      : predictions_(path, detail::make_replica(options)) {}

  /// Returns the known properties of the training data, as Predictor::data. Empty if the training data were tensors of
  /// your own, or if PyTorch has written the file.
  const DataInfo& data() const { return predictions_.data(); }

  /// Returns the outputs of the module (TorchOptions::outputs) for samples to which the transforms of the training have
  /// been applied.
  /// @param inputs the arguments of `forward`; the first dimension of each counts the samples
  /// @throws Error invalid_argument if the inputs have different numbers of samples; model_failed if the module throws
  torch::Tensor outputs(std::vector<torch::Tensor> inputs) const { return predictions_.outputs(std::move(inputs)); }
  torch::Tensor outputs(torch::Tensor input) const { return outputs(std::vector{std::move(input)}); }

  /// Returns the prediction for one row of a table, of the shape {1, outputs}. With the default loss for classes, the
  /// prediction contains probabilities that add up to 1; otherwise it is the output of the module.
  /// @throws Error invalid_argument if the network was not trained on a table; bad_data as Predictor::predict
  torch::Tensor predict(const Row& row) const { return predictions_.predict(row); }
  /// Returns the predictions for raw samples: samples as load_data returns them, before the transforms of the training.
  /// @throws Error invalid_argument if `raw` is not a whole number of samples, or the file does not describe samples
  torch::Tensor predict(std::span<const float> raw) const { return predictions_.predict(raw); }

 private:
  detail::TorchPredictions predictions_;
};

}  // namespace troupe
