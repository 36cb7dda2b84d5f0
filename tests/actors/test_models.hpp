#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "support/patience.hpp"
#include "troupe/troupe.hpp"

namespace troupe_test {

/// Returns a number in [-1, 1), a function of the arguments. Cheap, because tests compute many millions.
float noise(std::uint64_t shard, std::uint64_t step, std::uint64_t i);

/// Returns the number of samples of a shard of the models below: 1 to 3.
std::int64_t samples_of(int shard);

/// A model with gradients that look random and depend on shard, step and weights. Shard s has s % 3 + 1 samples.
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

/// Reports the given times in f32 and in bf16 if it has to measure, and computes in the faster precision.
class WeighedModel : public NoiseModel {
 public:
  explicit WeighedModel(const troupe::PrecisionSeconds& seconds) : NoiseModel(7), seconds_(seconds) {}

 protected:
  troupe::ModelInfo prepare(const troupe::ReplicaContext& context) override;

 private:
  troupe::PrecisionSeconds seconds_;
};

/// Returns the new weight or statistic `i` from the old value, the mean gradient, its momentum and the number of
/// samples.
using PlainUpdate = std::function<float(std::size_t i, float old, float mean, float velocity, std::int64_t samples)>;

/// Computes a model's weights after `steps` steps with plain loops on one thread. Momentum works as in SGD.
std::vector<float> plain_run(troupe::Model& model, int shards, int steps, double momentum, const PlainUpdate& update);

/// Computes the weights of NoiseModel after `steps` steps of SGD with momentum, with plain loops on one thread.
std::vector<float> plain_noise_run(std::size_t size, int shards, int steps, double rate, double momentum);

/// Registers the models "noise" (config: the size), "faulty" (config: the fault, see FaultyModel), "statistics",
/// "as-told" (computes in the requested precision) and "weighed" (config: seconds in f32 and bf16 for each worker,
/// alternately; see WeighedModel), and functions.
void register_models();
/// Registers functions with an argument. "echo" returns the argument together with the model's size or the worker's
/// index. "length" returns the argument's length, "swallow" returns nothing, and "fails-with" throws.
void register_functions_with_argument();

/// The environment variable that limits the number of open files of worker processes.
inline constexpr const char* kFilesVariable = "TROUPE_TEST_FILES";
void limit_files_as_told();

/// The placements on one machine.
inline constexpr troupe::Placement kPlacements[] = {troupe::Placement::in_process, troupe::Placement::processes};

/// Returns the options that tests of all placements share, with verbose off.
troupe::Options quiet_options(troupe::Placement placement, int workers);

/// Returns a timeout for steps that only a hanging worker exceeds, for runs of NoiseModel with these options.
std::chrono::milliseconds missed_by_none(troupe::Options options);

/// Returns the number of socket folders in the folder for temporary files.
std::size_t socket_folders();

}  // namespace troupe_test
