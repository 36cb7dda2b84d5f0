#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "support/patience.hpp"
#include "troupe/troupe.hpp"

namespace troupe_test {

/// In [-1, 1), a function of its arguments alone, and cheap: the tests compute many millions.
float noise(std::uint64_t shard, std::uint64_t step, std::uint64_t i);

/// Of a shard of the models below: 1 to 3.
std::int64_t samples_of(int shard);

/// Gradients that look random and depend on shard, step and weights; shard s has s % 3 + 1 samples.
class NoiseModel : public troupe::Model {
 public:
  explicit NoiseModel(std::size_t size) : size_(size) {}

  void initialize(std::span<float> weights, std::uint64_t seed) override;
  troupe::BatchResult gradient(const troupe::ShardStep& at, std::span<const float> weights,
                               std::span<float> gradient) override;

 protected:
  troupe::ModelInfo prepare(const troupe::ReplicaContext& /*context*/) override { return {.size = size_}; }

 private:
  std::size_t size_;
};

/// Says that the same takes so long in f32 and in bf16 here, where it is to check, and computes in what is faster.
class WeighedModel : public NoiseModel {
 public:
  explicit WeighedModel(const troupe::PrecisionSeconds& seconds) : NoiseModel(7), seconds_(seconds) {}

 protected:
  troupe::ModelInfo prepare(const troupe::ReplicaContext& context) override;

 private:
  troupe::PrecisionSeconds seconds_;
};

/// New weight or statistic `i` of the old one, the mean gradient, its momentum and the number of samples.
using PlainUpdate = std::function<float(std::size_t i, float old, float mean, float velocity, std::int64_t samples)>;

/// What `steps` steps make of a model's weights, by plain loops on one thread; momentum is kept as SGD does.
std::vector<float> plain_run(troupe::Model& model, int shards, int steps, double momentum, const PlainUpdate& update);

/// What `steps` steps of SGD with momentum make of NoiseModel's weights, by plain loops on one thread.
std::vector<float> plain_noise_run(std::size_t size, int shards, int steps, double rate, double momentum);

/// Registers "noise" (config: the size), "faulty" (config: what goes wrong, see FaultyModel), "statistics",
/// "as-told" (computes in the precision asked for), "weighed" (config: seconds of each worker in f32 and bf16, in turn;
/// see WeighedModel) and functions.
void register_models();
/// Functions with an argument: "echo" returns it, with the model's size or the worker's index behind it, "length" its
/// length, "swallow" nothing, and "fails-with" throws.
void register_functions_with_argument();

/// Where this is set, a process may have so many files open: for worker processes.
inline constexpr const char* kFilesVariable = "TROUPE_TEST_FILES";
void limit_files_as_told();

/// On one machine.
inline constexpr troupe::Placement kPlacements[] = {troupe::Placement::in_process, troupe::Placement::processes};

/// Everything the placements share; verbose off.
troupe::Options quiet_options(troupe::Placement placement, int workers);

/// A step's deadline that only a worker misses which hangs, for runs like this one of NoiseModel.
std::chrono::milliseconds missed_by_none(troupe::Options options);

/// In the folder for temporary files.
std::size_t socket_folders();

}  // namespace troupe_test
