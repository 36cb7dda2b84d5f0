#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace troupe {

/// Samples of one shape with a class or a number each, held in memory and shared by the replicas of a process.
class Dataset {
 public:
  /// @param shape of one sample, such as {1, 28, 28}; `values` holds the samples one after the other, row-major.
  /// @throws Error bad_data when lengths do not fit or a label is not in [0, num_classes).
  static Dataset classes(std::vector<std::int64_t> shape, std::vector<float> values, std::vector<std::int32_t> labels,
                         int num_classes);
  /// The same from bytes; a sample's floats are `scale` times its bytes.
  static Dataset classes(std::vector<std::int64_t> shape, std::vector<std::uint8_t> bytes, float scale,
                         std::vector<std::int32_t> labels, int num_classes);
  /// Samples for a regression: one target number each.
  static Dataset targets(std::vector<std::int64_t> shape, std::vector<float> values, std::vector<float> targets);

  std::int64_t size() const { return size_; }
  const std::vector<std::int64_t>& shape() const { return shape_; }
  /// Floats of one sample.
  std::int64_t sample_size() const { return sample_size_; }
  /// 0 for regressions.
  int num_classes() const { return num_classes_; }

  /// Copies the samples `indices` to `out`, `sample_size()` floats each.
  void gather(std::span<const std::int64_t> indices, std::span<float> out) const;
  std::span<const std::int32_t> labels() const { return labels_; }
  std::span<const float> target_values() const { return targets_; }

 private:
  Dataset() = default;

  std::int64_t size_ = 0;
  std::int64_t sample_size_ = 0;
  int num_classes_ = 0;
  float scale_ = 1;
  std::vector<std::int64_t> shape_;
  std::vector<float> values_;
  std::vector<std::uint8_t> bytes_;
  std::vector<std::int32_t> labels_;
  std::vector<float> targets_;
};

/// A training set and, where there is one, a test set.
struct TrainingData {
  std::shared_ptr<const Dataset> train;
  std::shared_ptr<const Dataset> test;
};

/// Loads data by the name that the command line uses: `fashion-mnist[:DIR]`, `synthetic-linear`,
/// `mock-images[:SIZE[,CLASSES]]`, `npy:IMAGES.npy,LABELS.npy`. Within a process the same name and seed give the
/// same object while somebody holds it.
/// @throws Error bad_file or bad_data naming the file.
TrainingData load_data(const std::string& name, std::uint64_t seed = 1);

/// The samples of shard `shard` are `shard`, `shard + num_shards`, ... Each epoch visits every sample of the shard
/// once, in an order drawn from (seed, shard, epoch).
class BatchSampler {
 public:
  /// @param batch_size samples a step; 0 takes the whole shard, in order, at each step.
  BatchSampler(std::int64_t num_samples, std::int64_t batch_size);

  /// The same for all shards: what the largest needs. A shard that has run out gives no samples.
  std::int64_t steps_per_epoch(int num_shards) const;
  /// Sample numbers of the shard's batch at a step (valid until the next call).
  std::span<const std::int64_t> batch(int shard, int num_shards, std::int64_t step, std::uint64_t seed);

 private:
  struct Order {
    int shard = -1;
    int num_shards = 0;
    std::int64_t epoch = -1;
    std::uint64_t seed = 0;
    std::vector<std::int64_t> samples;
  };
  const std::vector<std::int64_t>& order(int shard, int num_shards, std::int64_t epoch, std::uint64_t seed);

  std::int64_t num_samples_;
  std::int64_t batch_size_;
  std::vector<Order> orders_;
};

}  // namespace troupe
