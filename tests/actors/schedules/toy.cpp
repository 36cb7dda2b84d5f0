#include "actors/schedules/toy.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "actors/messages/options_json.hpp"
#include "actors/schedules/chance.hpp"
#include "collectives/exchange/page_squares.hpp"
#include "collectives/exchange/reduce.hpp"
#include "collectives/plan/tree.hpp"

namespace troupe_test {
namespace {

constexpr std::size_t kMostFloats = 4096;

/// Returns numbers from -1 to 1.
const std::array<float, 2 * kMostFloats>& numbers() {
  static const auto all = [] {
    std::array<float, 2 * kMostFloats> made{};
    Chance chance(12);
    for (float& each : made) each = static_cast<float>(chance.below(1 << 20)) * 0x1p-19F - 1;
    return made;
  }();
  return all;
}

/// Returns the index of a shard's first number in a step.
std::size_t offset_of(int shard, std::int64_t step) {
  return static_cast<std::size_t>(shard * 131 + step * 37) % kMostFloats;
}

}  // namespace

Toy::Toy(std::size_t its_size, int its_shards, troupe::OptimizerSettings its_options)
    : size(its_size), shards(its_shards), options(std::move(its_options)), json(to_json(options)), optimizer(options) {}

Floats toy_weights(std::size_t size, int which) {
  const float* const first = numbers().data() + which * 1000;
  return {first, first + size};
}

void toy_gradient(std::span<const float> weights, int shard, std::int64_t step, std::span<float> gradient) {
  const float* const target = numbers().data() + offset_of(shard, step);
  for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] = 0.5F * weights[i] - target[i];
}

double toy_loss(std::span<const float> weights, int shard, std::int64_t step) {
  const float* const target = numbers().data() + offset_of(shard, step);
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); i += 61) sum += static_cast<double>(weights[i] * target[i]);
  return sum;
}

std::int64_t toy_samples_of_all(int shards) {
  std::int64_t samples = 0;
  for (int shard = 0; shard < shards; ++shard) samples += toy_samples(shard);
  return samples;
}

Floats reversed(std::span<const float> values) { return {values.rbegin(), values.rend()}; }

const ToyState& Undisturbed::at(const Path& path) {
  const auto known = states_.find(path);
  if (known != states_.end()) return known->second;
  const Path before{path.weights, path.from, path.steps - 1};
  ToyState state = path.steps == 0 ? begin(path.weights) : next(at(before), before);
  look_ahead(state, path.step());
  return states_.emplace(path, std::move(state)).first->second;
}

double Undisturbed::evaluation_loss(const Path& path) {
  std::vector<double> losses;
  for (int shard = 0; shard < toy_.shards; ++shard) losses.push_back(toy_loss(at(path).vectors[0], shard, -1));
  return troupe::tree_sum(losses) / static_cast<double>(toy_samples_of_all(toy_.shards));
}

ToyState Undisturbed::begin(int weights) const {
  ToyState state;
  state.vectors.resize(1 + static_cast<std::size_t>(toy_.optimizer.state_vectors()), Floats(toy_.size));
  state.vectors[0] = toy_weights(toy_.size, weights);
  return state;
}

std::vector<Floats> Undisturbed::gradients(const ToyState& state, std::int64_t step) const {
  std::vector<Floats> all(static_cast<std::size_t>(toy_.shards), Floats(toy_.size));
  for (int shard = 0; shard < toy_.shards; ++shard)
    toy_gradient(state.vectors[0], shard, step, all[static_cast<std::size_t>(shard)]);
  return all;
}

void Undisturbed::look_ahead(ToyState& state, std::int64_t step) const {
  std::vector<double> losses;
  for (int shard = 0; shard < toy_.shards; ++shard) losses.push_back(toy_loss(state.vectors[0], shard, step));
  const std::int64_t samples = toy_samples_of_all(toy_.shards);
  state.loss = troupe::tree_sum(losses) / static_cast<double>(samples);
  if (!toy_.optimizer.clips()) return;
  const auto all = gradients(state, step);
  troupe::PageSquares squares({0, toy_.size}, toy_.size);
  troupe::reduce_and_apply({all.begin(), all.end()}, samples, {0, toy_.size},
                           [&](std::size_t at, std::span<const float> mean) { squares.note(at, mean); });
  state.norm = std::sqrt(troupe::tree_sum(squares.pages()));
}

ToyState Undisturbed::next(const ToyState& before, const Path& path) const {
  ToyState after = before;
  const auto all = gradients(before, path.step());
  const float factor = toy_.optimizer.clip_factor(before.norm);
  const double rate = toy_.optimizer.learning_rate(path.step());
  const auto updates = toy_.optimizer.prepare({rate, path.step(), path.steps});
  troupe::reduce_and_apply({all.begin(), all.end()}, toy_samples_of_all(toy_.shards), {0, toy_.size},
                           [&](std::size_t at, std::span<const float> mean) {
                             Floats clipped(mean.begin(), mean.end());
                             for (float& each : clipped) each *= factor;
                             std::array<const float*, troupe::kMostStateVectors> from{};
                             std::array<float*, troupe::kMostStateVectors> to{};
                             for (std::size_t i = 1; i < after.vectors.size(); ++i) {
                               from[i - 1] = before.vectors[i].data() + at;
                               to[i - 1] = after.vectors[i].data() + at;
                             }
                             updates[0]({mean.size(), clipped.data(), before.vectors[0].data() + at,
                                         after.vectors[0].data() + at, from.data(), to.data()});
                           });
  return after;
}

}  // namespace troupe_test
