#pragma once

// Modules of libtorch as models. Link troupe::torch. A program that trains the module Net on two worker processes:
//
//    struct Net : torch::nn::Module { torch::Tensor forward(torch::Tensor images); /* as in any libtorch program */ };
//
//    int main(int argc, char** argv) {
//      troupe::register_model("net", troupe::torch_model<Net>("fashion-mnist", {.batch_size = 64}));
//      troupe::init(argc, argv);
//      troupe::DistributedSGD sgd{"net", {.num_workers = 2, .placement = troupe::Placement::processes}};
//      for (int i = 0; i < 300; ++i) sgd.step();
//      sgd.save("net.safetensors");
//    }
//
// There is no namespace troupe::torch, because it would hide libtorch's namespace after `using namespace troupe`.

#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>
#include <torch/types.h>

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "troupe/data.hpp"
#include "troupe/metric.hpp"
#include "troupe/model.hpp"

namespace troupe {

/// Samples for one pass of a module. The first dimension of each tensor counts the samples.
struct TorchBatch {
  /// The arguments of the module's `forward`.
  std::vector<torch::Tensor> inputs;
  /// For data of Troupe: classes as int64, of the shape {samples}; {samples, positions} for sequences, in which
  /// kIgnoredLabel (-100, as in PyTorch) marks positions without a label; or targets as float, {samples, num_targets}.
  /// For a TorchDataset: what the dataset returns.
  torch::Tensor targets;
  std::int64_t size = 0;  ///< number of samples
};

/// The loss of a batch.
struct TorchLoss {
  /// The sum of the losses, a tensor with one element; not the mean.
  torch::Tensor sum;
  /// Number of losses that were added, such as the number of samples or of tokens.
  std::int64_t count = 0;
  /// Number of samples that the module classified correctly, if they are counted.
  std::int64_t correct = BatchResult::kNotCounted;
};

/// Samples of your own as tensors.
struct TorchDataset {
  std::int64_t size = 0;  ///< number of samples
  /// Returns the samples with these numbers, in this order. Called by several threads. Random numbers must depend on
  /// the sample's number only.
  std::function<TorchBatch(std::span<const std::int64_t> numbers)> read = {};
};

/// The sets of samples of a run. `test` and `validation` may be empty (size 0).
struct TorchDatasets {
  TorchDataset train;
  TorchDataset test = {};
  TorchDataset validation = {};
};

/// Returns a dataset of tensors in memory.
/// @param inputs one tensor for each argument of `forward`; the first dimension counts the samples
/// @param targets a tensor with the targets of all samples; may be undefined
/// @throws Error bad_data if the tensors have different numbers of samples
TorchDataset torch_tensors(std::vector<torch::Tensor> inputs, torch::Tensor targets = {});

/// Returns a dataset that reads from a dataset of libtorch, such as torch::data::datasets::MNIST. One thread at a time
/// reads from it.
template <class Dataset>
TorchDataset torch_dataset(Dataset dataset);

/// The data of a run: the name of data of Troupe (load_data), samples in memory, or tensors. A TorchDataset alone is
/// the training set.
using TorchData = std::variant<std::string, TrainingData, TorchDatasets, TorchDataset>;

namespace detail {

/// The type of a module: T itself, or for a holder (TORCH_MODULE), the type that the holder contains.
template <class T>
struct TorchModuleOf {
  using Type = T;
};
template <class T>
requires requires { typename T::ContainedType; }
struct TorchModuleOf<T> {
  using Type = typename T::ContainedType;
};

}  // namespace detail

/// Options of a module of type `Module`.
template <class Module>
struct TorchOptions {
  using Type = typename detail::TorchModuleOf<Module>::Type;

  std::int64_t batch_size = 64;  ///< samples for each shard and step; 0: the whole shard
  /// Makes the module of a replica: a new module in each call. Its random numbers come from the seed of the run.
  /// Default: the constructor without arguments.
  std::function<std::shared_ptr<Type>()> make = {};
  /// Returns the loss of a batch. Default: cross-entropy for classes, and for targets the mean squared error.
  std::function<TorchLoss(Type& module, const TorchBatch& batch)> loss = {};
  /// Returns one row of outputs for each sample, for the metrics of evaluations and for predictions. Default: the
  /// result of `forward`; if `forward` does not return one tensor, there are no outputs.
  std::function<torch::Tensor(Type& module, const TorchBatch& batch)> outputs = {};
  /// Number of threads that libtorch uses in a pass. Results depend on it bit by bit. 0: ReplicaContext::threads, which
  /// depends on the number of workers and cores.
  int threads = 1;
  /// Metrics that each evaluation measures, for data of Troupe.
  std::vector<Metric> metrics = {};
};

namespace detail {

/// A module whose type is erased.
struct TorchReplica {
  std::shared_ptr<torch::nn::Module> module;
  std::function<TorchLoss(const TorchBatch&)> loss;         ///< empty: the default
  std::function<torch::Tensor(const TorchBatch&)> outputs;  ///< empty if there are none
};
using MakeTorchReplica = std::function<TorchReplica()>;

CreateModel create_torch_model(MakeTorchReplica make, TorchData data, std::int64_t batch_size, int threads,
                               std::vector<Metric> metrics);

template <class M>
concept TakesOne = requires(M& module, torch::Tensor a) {
  { module.forward(a) } -> std::convertible_to<torch::Tensor>;
};
template <class M>
concept TakesTwo = requires(M& module, torch::Tensor a) {
  { module.forward(a, a) } -> std::convertible_to<torch::Tensor>;
};
template <class M>
concept TakesThree = requires(M& module, torch::Tensor a) {
  { module.forward(a, a, a) } -> std::convertible_to<torch::Tensor>;
};

/// Calls `forward` with the inputs of a batch.
template <class M>
torch::Tensor forward(M& module, const TorchBatch& batch) {
  const auto& x = batch.inputs;
  if constexpr (TakesOne<M>)
    if (x.size() == 1) return module.forward(x[0]);
  if constexpr (TakesTwo<M>)
    if (x.size() == 2) return module.forward(x[0], x[1]);
  if constexpr (TakesThree<M>)
    if (x.size() == 3) return module.forward(x[0], x[1], x[2]);
  throw std::invalid_argument("the module's forward does not take " + std::to_string(x.size()) + " tensors");
}

template <class M>
TorchReplica erase(std::shared_ptr<M> module, const TorchOptions<M>& options) {
  TorchReplica replica{module, {}, {}};
  if (options.loss)
    replica.loss = [module, loss = options.loss](const TorchBatch& batch) { return loss(*module, batch); };
  if (options.outputs)
    replica.outputs = [module, outputs = options.outputs](const TorchBatch& batch) { return outputs(*module, batch); };
  else if constexpr (TakesOne<M> || TakesTwo<M> || TakesThree<M>)
    replica.outputs = [module](const TorchBatch& batch) { return forward(*module, batch); };
  return replica;
}

/// Returns options without a holder, whose `make` is set if the module has a constructor without arguments.
template <class Module, class M = typename TorchModuleOf<Module>::Type>
TorchOptions<M> complete(TorchOptions<Module> options) {
  static_assert(std::derived_from<M, torch::nn::Module>, "the module must be derived from torch::nn::Module");
  TorchOptions<M> plain{options.batch_size,         std::move(options.make), std::move(options.loss),
                        std::move(options.outputs), options.threads,         std::move(options.metrics)};
  if constexpr (std::default_initializable<M>)
    if (!plain.make) plain.make = [] { return std::make_shared<M>(); };
  return plain;
}

/// Makes a module.
template <class Module, class M = typename TorchModuleOf<Module>::Type>
TorchReplica make_replica(const TorchOptions<Module>& options) {
  const TorchOptions<M> plain = complete(options);
  if (!plain.make) throw std::invalid_argument("TorchOptions::make is empty");
  return erase<M>(plain.make(), plain);
}

}  // namespace detail

/// Returns a creator of models that train a module of libtorch, for register_model or, in one process, for
/// DistributedSGD. `Module` is a class derived from torch::nn::Module, or a holder made by TORCH_MODULE.
///
/// Parameters that require a gradient are learned; the others do not change. Buffers of finite floats, and of one
/// integer, are statistics: a training pass may change them, and the changes of all shards are averaged. All of them
/// are part of saved weights, with the names of the module's state_dict. Before each pass, other buffers get the values
/// that the constructor gave them. During a pass, the parameters are views of the run's weights, so `forward` must not
/// write to them. A module must keep no other state from one pass to the next.
/// @param data the samples
/// @throws Error unsupported, when a replica is made, for a parameter that is not dense float32, with its name; or for
/// a module without a parameter that requires a gradient
template <class Module>
CreateModel torch_model(TorchData data, TorchOptions<Module> options = {}) {
  const std::int64_t batch_size = options.batch_size;
  const int threads = options.threads;
  const std::vector<Metric> metrics = options.metrics;
  return detail::create_torch_model([options = std::move(options)] { return detail::make_replica(options); },
                                    std::move(data), batch_size, threads, metrics);
}

/// Copies the tensors of a file, such as one that DistributedSGD::save has written, to the parameters and buffers of a
/// module.
/// @param path a safetensors file, a checkpoint, or a folder of checkpoints, of which the newest is loaded
/// @throws Error bad_file or model_mismatch if the file does not contain exactly the tensors of the module; unsupported
/// for a parameter that is not dense float32
void load_weights(torch::nn::Module& module, const std::string& path);

/// Copies the weights of a run to the parameters and buffers of a module.
/// @param weights the weights in canonical order, such as DistributedSGD::weights returns them
/// @throws Error model_mismatch if the module has another number of floats; unsupported for a parameter that is not
/// dense float32
void load_weights(torch::nn::Module& module, std::span<const float> weights);

/// Writes the parameters and buffers of a module to a file, from which a run can start (DistributedSGD::load).
/// @throws Error bad_file if the file cannot be written
void save_weights(const torch::nn::Module& module, const std::string& path);

template <class Dataset>
TorchDataset torch_dataset(Dataset dataset) {
  struct Locked {
    explicit Locked(Dataset from) : dataset(std::move(from)) {}
    std::mutex mutex;
    Dataset dataset;
  };
  const auto locked = std::make_shared<Locked>(std::move(dataset));
  const auto size = static_cast<std::int64_t>(locked->dataset.size().value());
  return {size, [locked](std::span<const std::int64_t> numbers) {
            const std::vector<std::size_t> indices(numbers.begin(), numbers.end());
            const std::lock_guard lock(locked->mutex);
            auto examples = locked->dataset.get_batch(indices);
            TorchBatch batch{{}, {}, static_cast<std::int64_t>(numbers.size())};
            if constexpr (requires { examples.data; }) {
              batch.inputs.push_back(examples.data);
              batch.targets = examples.target;
            } else {
              std::vector<torch::Tensor> inputs;
              std::vector<torch::Tensor> targets;
              for (const auto& example : examples) {
                inputs.push_back(example.data);
                targets.push_back(example.target);
              }
              batch.inputs.push_back(torch::stack(inputs));
              batch.targets = torch::stack(targets);
            }
            return batch;
          }};
}

}  // namespace troupe
