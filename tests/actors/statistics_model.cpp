#include "actors/statistics_model.hpp"

#include <sstream>
#include <stdexcept>

#include "actors/test_models.hpp"

using namespace troupe;

namespace troupe_test {
namespace {

constexpr std::size_t kGroup = 32;
constexpr float kKept = 0.75F;

bool holds_squares(std::size_t learned, std::size_t i) { return (i - learned) / kGroup % 2 == 1; }

/// Returns the value that a sample adds to float i of the statistics.
float term(std::size_t learned, std::size_t i, int shard, std::int64_t sample) {
  const std::size_t group = (i - learned) / kGroup;
  const std::size_t channel = group / 2 * kGroup + (i - learned) % kGroup;
  const float x = noise(static_cast<std::uint64_t>(shard), static_cast<std::uint64_t>(sample), channel);
  return holds_squares(learned, i) ? x * x : x;
}

/// Squares are corrected as in an unbiased variance, so that the number of samples matters.
float running(bool squares, float old, float mean, std::int64_t samples) {
  const float n = static_cast<float>(samples);
  return kKept * old + (1 - kKept) * (squares ? mean * (n / (n - 1)) : mean);
}

}  // namespace

BatchResult StatisticsModel::gradient(const ShardStep& at, std::span<const float> weights, std::span<float> gradient) {
  const std::int64_t samples = samples_of(at.shard);
  for (std::size_t i = 0; i < learned_; ++i)
    gradient[i] = noise(static_cast<std::uint64_t>(at.shard), 0, i) + 0.1F * weights[i];
  for (std::size_t i = learned_; i < size_; ++i) {
    gradient[i] = 0;
    for (std::int64_t sample = 0; sample < samples; ++sample) gradient[i] += term(learned_, i, at.shard, sample);
  }
  return {1, samples};
}

EvaluationResult StatisticsModel::evaluate(const ShardStep& at, std::span<const float> /*weights*/) {
  const std::int64_t samples = samples_of(at.shard);
  return {.loss_sum = static_cast<double>(samples), .samples = samples};
}

void StatisticsModel::update_statistics(std::size_t begin, std::span<const float> mean, std::int64_t samples,
                                        std::span<const float> statistics, std::span<float> updated) const {
  const std::size_t end = begin + mean.size();
  if (begin < learned_ || begin % kGroup != 0 || end > size_ || (end % kGroup != 0 && end != size_))
    throw std::runtime_error("the range cuts a group");
  if (statistics.size() != mean.size() || updated.size() != mean.size()) throw std::runtime_error("lengths differ");
  for (std::size_t i = 0; i < mean.size(); ++i)
    updated[i] = running(holds_squares(learned_, begin + i), statistics[i], mean[i], samples);
}

std::vector<float> plain_statistics_run(std::size_t learned, std::size_t size, int shards, int steps, double rate,
                                        double momentum) {
  StatisticsModel model(learned, size);
  return plain_run(model, shards, steps, momentum,
                   [&](std::size_t i, float old, float mean, float velocity, std::int64_t samples) {
                     return i < learned ? old - static_cast<float>(rate) * velocity
                                        : running(holds_squares(learned, i), old, mean, samples);
                   });
}

void register_statistics_model() {
  register_model("statistics", [](const ReplicaContext& context) {
    std::istringstream config(context.config);
    std::size_t learned = 0;
    std::size_t size = 0;
    config >> learned >> size;
    return std::make_unique<StatisticsModel>(learned, size);
  });
}

}  // namespace troupe_test
