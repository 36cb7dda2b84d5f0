#pragma once

#include <vector>

#include "troupe/model.hpp"

namespace troupe_test {

/// A model with `learned` parameters, followed by running averages of the data and of their squares, alternately 32
/// floats of each. The data are the same in each step. Shard s has s % 3 + 1 samples.
class StatisticsModel : public troupe::Model {
 public:
  StatisticsModel(std::size_t learned, std::size_t size) : learned_(learned), size_(size) {}

  troupe::BatchResult gradient(const troupe::ShardStep& at, std::span<const float> weights,
                               std::span<float> gradient) override;
  /// Returns as many samples as a step has, each with loss 1.
  troupe::EvaluationResult evaluate(const troupe::ShardStep& at, std::span<const float> weights) override;
  void update_statistics(std::size_t begin, std::span<const float> mean, std::int64_t samples,
                         std::span<const float> statistics, std::span<float> updated) const override;

 protected:
  troupe::ModelInfo prepare(const troupe::ReplicaContext& /*context*/) override {
    return {.size = size_, .learned_size = learned_};
  }

 private:
  std::size_t learned_;
  std::size_t size_;
};

/// Computes parameters and statistics after `steps` steps of SGD with momentum, with plain loops on one thread.
std::vector<float> plain_statistics_run(std::size_t learned, std::size_t size, int shards, int steps, double rate,
                                        double momentum);

/// Registers the model "statistics" (config: learned and size).
void register_statistics_model();

}  // namespace troupe_test
