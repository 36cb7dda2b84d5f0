#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "models/data/batches/batch_memory.hpp"
#include "models/data/batches/part_groups.hpp"
#include "models/data/batches/read_ahead.hpp"
#include "models/data/batches/stretches.hpp"
#include "models/data/data_memory.hpp"
#include "runtime/invalid.hpp"
#include "runtime/printable.hpp"
#include "troupe/batches.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

/// The number of future steps whose training batches are read in advance, as far as the memory for reading ahead
/// allows.
constexpr std::int64_t kStepsAhead = 3;

/// Returns the description of the training set. Its sequences count as padded if those of another set are.
DataInfo training_info(const TrainingData& data) {
  if (!data.train) throw_invalid("the model has no training data");
  DataInfo info = data.train->info();
  if (info.num_classes == 0 && info.num_targets == 0)
    throw Error(ErrorCode::bad_data, "the training set has neither classes nor targets", {.object = info.origin});
  for (const auto& other : {data.test, data.validation}) info.padded = info.padded || (other && other->info().padded);
  return info;
}

/// Checks that classes, columns or targets have the same names in the training set (`train`) and in another set
/// (`other`). Does nothing if one of the sets has no names.
/// @param what the noun for the error message: "class", "column" or "target"
/// @param set the name of the other set for the error message: "test" or "validation"
void check_names_alike(const std::vector<std::string>& train, const std::vector<std::string>& other, const char* what,
                       const std::string& set) {
  if (train.empty() || other.empty()) return;
  for (std::size_t i = 0; i < train.size(); ++i)
    if (train[i] != other[i])
      throw Error(ErrorCode::bad_data, "the " + set + " set's " + what + " " + std::to_string(i) + " is '" +
                                           printable(other[i], 100) + "', but in the training set '" +
                                           printable(train[i], 100) + "'");
}

/// Checks that each class of the other set (`other`) is also a class of the training set (`train`). Does nothing if the
/// training set has no names of classes.
/// @param set the name of the other set for the error message: "test" or "validation"
void check_classes_known(const DataInfo& train, const DataInfo& other, const std::string& set) {
  if (train.class_names.empty()) return;
  for (const std::string& name : other.class_names)
    if (std::ranges::find(train.class_names, name) == train.class_names.end())
      throw Error(ErrorCode::bad_data,
                  "the " + set + " set's class '" + printable(name, 100) + "' is not a class of the training set",
                  {.object = other.origin});
}

/// Checks that the other set (`other`) has samples of the same shape and the same classes or targets as the training
/// set (`train`).
/// @param name the name of the other set for error messages: "test" or "validation"
void check_alike(const DataInfo& train, const DataInfo& other, const std::string& name) {
  if (other.num_classes == 0 && other.num_targets == 0)
    throw Error(ErrorCode::bad_data,
                "the " + name + " set has neither classes nor targets: it can only be used for predictions",
                {.object = other.origin});
  check_classes_known(train, other, name);
  const bool same = other.shape == train.shape && other.num_classes == train.num_classes &&
                    other.num_targets == train.num_targets && other.labels_per_sample == train.labels_per_sample &&
                    other.vocabulary == train.vocabulary;
  if (!same)
    throw Error(
        ErrorCode::bad_data,
        "the " + name +
            " set differs from the training set in the shape of samples or in the number of classes or targets");
  check_names_alike(train.class_names, other.class_names, "class", name);
  check_names_alike(train.value_names, other.value_names, "column", name);
  check_names_alike(train.target_names, other.target_names, "target", name);
}

/// Returns the number of samples in a batch of an evaluation: kEvaluationBatch, or as many as fit into 64 MB, whichever
/// is less, but at least 1. Size is limited, because two batches may be in memory at the same time.
std::int64_t evaluation_batch(const DataInfo& info) {
  constexpr std::int64_t kMostBytes = std::int64_t{64} << 20;
  const std::int64_t bytes = info.sample_size() * static_cast<std::int64_t>(sizeof(float));
  return std::clamp<std::int64_t>(kMostBytes / bytes, 1, kEvaluationBatch);
}

/// Provides the batches of the test set or of the validation set for evaluations. If the data does not have this set,
/// all batches are empty.
class EvaluatedBatches {
 public:
  EvaluatedBatches(std::shared_ptr<const DataSource> data, const DataInfo& train, const std::string& name)
      : data_(std::move(data)) {
    if (!data_) return;
    check_alike(train, data_->info(), name);
    if (data_->info().slow) ahead_.emplace(data_, read_ahead_memory());
  }

  Batch batch(const ShardStep& at, std::int64_t index) {
    if (!data_) return {};
    if (!ahead_) return memory_.fill(*data_, samples(at, index));
    const auto key = [&](std::int64_t number) { return ReadAhead::Key{at.shard, at.num_shards, number, 0}; };
    if (!ahead_->expects(key(index))) ahead_->forget(at.shard);
    ahead_->need(key(index), samples(at, index), {});
    ahead_->expect(key(index + 1), samples(at, index + 1), {});
    return ahead_->take(key(index));
  }

 private:
  /// Returns the samples of a batch, and announces the parts that come next.
  std::span<const std::int64_t> samples(const ShardStep& at, std::int64_t index) {
    samples_.clear();
    const std::int64_t size = evaluation_batch(data_->info());
    std::int64_t before = index * size;  // number of the shard's samples that belong to earlier batches
    for (const Stretch& stretch : stretches_of(at)) {
      const std::int64_t skipped = std::min(before, stretch.count());
      before -= skipped;
      for (std::int64_t next = stretch.begin + skipped * stretch.step;
           next < stretch.end && std::ssize(samples_) < size; next += stretch.step)
        samples_.push_back(next);
      if (std::ssize(samples_) == size) break;
    }
    if (!samples_.empty()) announce_from(*data_, stretches_, samples_.front());
    return samples_;
  }

  const std::vector<Stretch>& stretches_of(const ShardStep& at) {
    const std::pair now{at.shard, at.num_shards};
    if (std::exchange(stretches_of_, now) != now)
      stretches_ = shard_stretches(data_->info().num_samples, data_->info().parts, at.shard, at.num_shards);
    return stretches_;
  }

  std::shared_ptr<const DataSource> data_;
  BatchMemory memory_{Pages::lockable};
  std::optional<ReadAhead> ahead_;  ///< set if DataInfo::slow is true
  std::vector<std::int64_t> samples_;
  std::pair<int, int> stretches_of_{-1, 0};  ///< the shard of `stretches_`, and the number of shards
  std::vector<Stretch> stretches_;
};

class DatasetBatches final : public BatchSource {
 public:
  DatasetBatches(TrainingData data, std::int64_t batch_size)
      : BatchSource(training_info(data)),
        data_(std::move(data)),
        batch_size_(batch_size),
        sampler_(info(), batch_size),
        parts_ahead_(data_.train, batch_size),
        test_(data_.test, info(), "test"),
        validation_(data_.validation, info(), "validation") {
    if (info().slow) ahead_.emplace(data_.train, read_ahead_memory());
  }

  void feed_device() override { ahead_.emplace(data_.train, read_ahead_memory(/*on_device=*/true)); }

  std::int64_t steps_per_epoch(int num_shards) const override { return sampler_.steps_per_epoch(num_shards); }

  Batch training_batch(const ShardStep& at) override {
    if (batch_size_ == 0 && !info().varies) return whole_shard(at);
    if (ahead_) return read_ahead(at);
    return memory_.fill(*data_.train, samples_of(at), drawn_for(at));
  }

  Batch test_batch(const ShardStep& at, std::int64_t index) override {
    return (at.set == EvaluationSet::validation ? validation_ : test_).batch(at, index);
  }

 private:
  struct WholeShard {
    int shard = 0;
    int num_shards = 0;
    BatchMemory memory{Pages::lockable};
  };

  Batch whole_shard(const ShardStep& at);
  Batch read_ahead(const ShardStep& at);

  std::span<const std::int64_t> samples_of(const ShardStep& at) {
    return sampler_.batch(at.shard, at.num_shards, at.step, at.seed);
  }
  DrawnFor drawn_for(const ShardStep& at) const {
    return {at.seed, at.step / std::max<std::int64_t>(1, steps_per_epoch(at.num_shards))};
  }

  TrainingData data_;
  std::int64_t batch_size_;
  BatchSampler sampler_;
  PartsAhead parts_ahead_;
  BatchMemory memory_{Pages::lockable};
  std::vector<WholeShard> whole_shards_;
  std::optional<ReadAhead> ahead_;  ///< set if DataInfo::slow is true, or for a device
  EvaluatedBatches test_;
  EvaluatedBatches validation_;
};

/// Returns the batch for step `at.step`, and starts to fill the batches for the next steps. Threads fill these batches
/// while the model computes this step.
Batch DatasetBatches::read_ahead(const ShardStep& at) {
  parts_ahead_.announce(at, steps_per_epoch(at.num_shards));
  const auto key = [](const ShardStep& step) {
    return ReadAhead::Key{step.shard, step.num_shards, step.step, step.seed};
  };
  if (!ahead_->expects(key(at))) {
    ahead_->forget(at.shard);
    ahead_->need(key(at), samples_of(at), drawn_for(at));
  }
  Batch batch = ahead_->take(key(at));
  batch.ahead = &*ahead_;
  ShardStep next = at;
  for (++next.step; next.step <= at.step + kStepsAhead; ++next.step)
    if (!ahead_->expects(key(next))) ahead_->expect(key(next), samples_of(next), drawn_for(next));
  return batch;
}

Batch DatasetBatches::whole_shard(const ShardStep& at) {
  const auto is_this = [&at](const WholeShard& kept) {
    return kept.shard == at.shard && kept.num_shards == at.num_shards;
  };
  if (const auto kept = std::ranges::find_if(whole_shards_, is_this); kept != whole_shards_.end())
    return kept->memory.batch();

  WholeShard fresh{at.shard, at.num_shards};
  fresh.memory.fill(*data_.train, sampler_.batch(at.shard, at.num_shards, at.step, at.seed));
  return whole_shards_.emplace_back(std::move(fresh)).memory.batch();
}

}  // namespace

std::unique_ptr<BatchSource> dataset_batches(TrainingData data, std::int64_t batch_size) {
  return std::make_unique<DatasetBatches>(std::move(data), batch_size);
}

}  // namespace troupe
