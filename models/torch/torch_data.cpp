#include "models/torch/torch_data.hpp"

#include <algorithm>
#include <utility>

#include "troupe/error.hpp"

namespace troupe {
namespace {

/// Returns tensors of the samples of a batch. The inputs are a view of the batch's memory.
TorchBatch tensors_of(const Batch& batch, const DataInfo& info) {
  if (batch.size == 0) return {};
  TorchBatch tensors{{view_of_samples(batch.values, info)}, {}, batch.size};
  std::vector<std::int64_t> shape{batch.size};
  if (info.labels_per_sample > 1) shape.push_back(info.labels_per_sample);
  if (info.num_classes > 0)
    tensors.targets =
        torch::from_blob(const_cast<std::int32_t*>(batch.labels.data()), shape, torch::kInt).to(torch::kLong);
  else
    tensors.targets =
        torch::from_blob(const_cast<float*>(batch.targets.data()), {batch.size, info.num_targets}, torch::kFloat);
  return tensors;
}

class TroupeBatches final : public TorchBatches {
 public:
  TroupeBatches(TrainingData data, std::int64_t batch_size) : source_(dataset_batches(std::move(data), batch_size)) {}

  const DataInfo& info() const override { return source_->info(); }
  std::int64_t steps_per_epoch(int num_shards) const override { return source_->steps_per_epoch(num_shards); }
  Read training_batch(const ShardStep& at) override { return read(source_->training_batch(at)); }
  Read test_batch(const ShardStep& at, std::int64_t index) override { return read(source_->test_batch(at, index)); }

 private:
  Read read(const Batch& batch) const { return {tensors_of(batch, info()), batch.left_out, batch}; }

  std::unique_ptr<BatchSource> source_;
};

class DatasetBatches final : public TorchBatches {
 public:
  DatasetBatches(TorchDatasets data, std::int64_t batch_size)
      : data_(std::move(data)),
        sampler_(std::max<std::int64_t>(data_.train.size, 0), batch_size),
        evaluation_batch_(batch_size > 0 ? std::min(batch_size, kEvaluationBatch) : kEvaluationBatch) {
    if (data_.train.size <= 0 || !data_.train.read)
      throw Error(ErrorCode::invalid_argument, "the training set of tensors has no samples");
    info_.num_samples = data_.train.size;
    info_.origin = "the training set of tensors";
  }

  const DataInfo& info() const override { return info_; }
  std::int64_t steps_per_epoch(int num_shards) const override { return sampler_.steps_per_epoch(num_shards); }
  Read training_batch(const ShardStep& at) override {
    const auto numbers = sampler_.batch(at.shard, at.num_shards, at.step, at.seed);
    return {numbers.empty() ? TorchBatch{} : read(data_.train, numbers)};
  }
  Read test_batch(const ShardStep& at, std::int64_t index) override {
    const TorchDataset& set = at.set == EvaluationSet::validation ? data_.validation : data_.test;
    std::vector<std::int64_t> numbers;
    for (std::int64_t next = at.shard + index * evaluation_batch_ * at.num_shards;
         next < set.size && std::ssize(numbers) < evaluation_batch_; next += at.num_shards)
      numbers.push_back(next);
    return {numbers.empty() ? TorchBatch{} : read(set, numbers)};
  }

 private:
  static TorchBatch read(const TorchDataset& set, std::span<const std::int64_t> numbers) {
    TorchBatch batch = set.read(numbers);
    batch.size = std::ssize(numbers);
    for (const torch::Tensor& input : batch.inputs)
      if (input.dim() == 0 || input.size(0) != batch.size)
        throw Error(ErrorCode::bad_data, "a dataset of tensors returned an input with another number of samples than " +
                                             std::to_string(batch.size));
    return batch;
  }

  TorchDatasets data_;
  BatchSampler sampler_;
  std::int64_t evaluation_batch_;
  DataInfo info_;
};

}  // namespace

torch::Tensor view_of_samples(std::span<const float> samples, const DataInfo& info, std::shared_ptr<const void> owner) {
  std::vector<std::int64_t> shape{std::ssize(samples) / info.sample_size()};
  shape.insert(shape.end(), info.shape.begin(), info.shape.end());
  const auto release = [owner = std::move(owner)](void* /*memory*/) {};
  return torch::from_blob(const_cast<float*>(samples.data()), shape, release, torch::kFloat);  // no constant tensors
}

std::unique_ptr<TorchBatches> torch_batches(const TorchData& data, std::int64_t batch_size, std::uint64_t seed) {
  if (const auto* const name = std::get_if<std::string>(&data))
    return std::make_unique<TroupeBatches>(load_data(*name, seed), batch_size);
  if (const auto* const samples = std::get_if<TrainingData>(&data))
    return std::make_unique<TroupeBatches>(*samples, batch_size);
  if (const auto* const train = std::get_if<TorchDataset>(&data))
    return std::make_unique<DatasetBatches>(TorchDatasets{.train = *train}, batch_size);
  return std::make_unique<DatasetBatches>(std::get<TorchDatasets>(data), batch_size);
}

TorchDataset torch_tensors(std::vector<torch::Tensor> inputs, torch::Tensor targets) {
  if (inputs.empty() || inputs[0].dim() == 0)
    throw Error(ErrorCode::bad_data, "a dataset of tensors needs at least one input with a dimension of samples");
  const std::int64_t size = inputs[0].size(0);
  std::vector<torch::Tensor> all = inputs;
  if (targets.defined()) all.push_back(targets);
  for (const torch::Tensor& each : all)
    if (each.dim() == 0 || each.size(0) != size)
      throw Error(ErrorCode::bad_data, "the tensors of a dataset have different numbers of samples");
  return {size, [inputs = std::move(inputs), targets = std::move(targets)](std::span<const std::int64_t> numbers) {
            const torch::NoGradGuard no_grad;
            const torch::Tensor index = torch::tensor(std::vector<std::int64_t>(numbers.begin(), numbers.end()));
            TorchBatch batch;
            for (const torch::Tensor& input : inputs) batch.inputs.push_back(input.index_select(0, index));
            if (targets.defined()) batch.targets = targets.index_select(0, index);
            return batch;
          }};
}

}  // namespace troupe
