#include "troupe/torch_predictor.hpp"

#include <torch/nn/functional/activation.h>

#include <optional>

#include "models/files/checkpoint/weights_of.hpp"
#include "models/files/network_text.hpp"
#include "models/files/safetensors_file.hpp"
#include "models/predictor/raw_samples.hpp"
#include "models/torch/torch_data.hpp"
#include "models/torch/torch_errors.hpp"
#include "troupe/error.hpp"

namespace troupe::detail {

class TorchPredictions::Impl {
 public:
  Impl(const std::string& path, const TorchReplica& replica) : replica_(replica) {
    if (!replica.module) throw Error(ErrorCode::invalid_argument, "TorchOptions::make has returned no module");
    if (!replica.outputs)
      throw Error(ErrorCode::unsupported, "the module has no function forward: set TorchOptions::outputs");
    load_weights(*replica.module, path);
    replica.module->eval();
    const SafetensorsFile file(path);
    const std::string text = file.network();
    if (text.empty()) return;
    const NetworkText network = network_from_json(path, text);
    loss_ = network.loss;
    raw_.emplace(path, network.data, static_cast<std::size_t>(network.data.sample_size()));
  }

  const DataInfo& data() const {
    static const DataInfo none;
    return raw_ ? raw_->data() : none;
  }

  /// Returns how to prepare raw samples.
  const RawSamples& raw() const {
    if (!raw_)
      throw Error(ErrorCode::invalid_argument,
                  "the file does not describe the samples: pass tensors to TorchPredictor::outputs");
    return *raw_;
  }

  torch::Tensor outputs(std::vector<torch::Tensor> inputs) const {
    TorchBatch batch{std::move(inputs), {}, -1};
    const torch::NoGradGuard no_grad;
    for (torch::Tensor& input : batch.inputs) {
      if (!input.defined() || input.dim() == 0 || (batch.size >= 0 && batch.size != input.size(0)))
        throw Error(ErrorCode::invalid_argument, "the inputs have different numbers of samples");
      batch.size = input.size(0);
      input = input.clone();  // the module may change its inputs
    }
    if (batch.size < 0) throw Error(ErrorCode::invalid_argument, "there are no inputs");
    try {
      return without_traces([&] { return replica_.outputs(batch); });
    } catch (const Error&) {
      throw;
    } catch (const std::exception& error) {
      throw Error(ErrorCode::model_failed, error.what());
    }
  }

  torch::Tensor predict(std::vector<float> prepared) const {
    const std::size_t samples = count_samples(prepared.size(), static_cast<std::size_t>(data().sample_size()));
    const auto owner = std::make_shared<const std::vector<float>>(std::move(prepared));
    const torch::Tensor results = outputs({view_of_samples(*owner, data(), owner)});
    if (loss_ == losses::softmax_cross_entropy()->name()) return torch::softmax(results.to(torch::kFloat), -1);
    return loss_.empty() ? results : results.reshape({static_cast<std::int64_t>(samples), -1});
  }

 private:
  TorchReplica replica_;
  std::optional<RawSamples> raw_;
  std::string loss_;  ///< the name of the loss; empty if it is an own one
};

TorchPredictions::TorchPredictions(const std::string& path, const TorchReplica& replica)
    : impl_(std::make_unique<Impl>(weights_file_of(path), replica)) {}
TorchPredictions::TorchPredictions(TorchPredictions&&) noexcept = default;
TorchPredictions& TorchPredictions::operator=(TorchPredictions&&) noexcept = default;
TorchPredictions::~TorchPredictions() = default;

const DataInfo& TorchPredictions::data() const { return impl_->data(); }
torch::Tensor TorchPredictions::outputs(std::vector<torch::Tensor> inputs) const {
  return impl_->outputs(std::move(inputs));
}
torch::Tensor TorchPredictions::predict(const Row& row) const { return impl_->predict(impl_->raw().prepare(row)); }
torch::Tensor TorchPredictions::predict(std::span<const float> raw) const {
  return impl_->predict(impl_->raw().prepare(raw));
}

}  // namespace troupe::detail
