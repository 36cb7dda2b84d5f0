#pragma once

#include <vector>

#include "troupe/model.hpp"

namespace troupe_test {

/// `learned` parameters, and then running averages of the data and of its squares, in turn 32 floats of each. The data
/// is the same at each step; shard s has s % 3 + 1 samples.
class StatisticsModel : public troupe::Model {
 public:
  StatisticsModel(std::size_t learned, std::size_t size) : learned_(learned), size_(size) {}

  troupe::BatchResult gradient(const troupe::ShardStep& at, std::span<const float> weights,
                               std::span<float> gradient) override;
  /// As many samples as a step has, of loss 1.
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

/// What `steps` steps of SGD with momentum make of it, by plain loops on one thread; of the parameters and statistics.
std::vector<float> plain_statistics_run(std::size_t learned, std::size_t size, int shards, int steps, double rate,
                                        double momentum);

/// Registers "statistics" (config: learned and size).
void register_statistics_model();

}  // namespace troupe_test
