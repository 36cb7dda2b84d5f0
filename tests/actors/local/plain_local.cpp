#include "actors/local/plain_local.hpp"

#include <algorithm>
#include <cmath>

#include "support/optimizers.hpp"
#include "support/plain_tree.hpp"

using namespace troupe;

namespace troupe_test {

PlainLocal::PlainLocal(Model& model, const Options& options) : model_(model), options_(options) {
  const std::size_t size = model.start({.num_shards = options.num_shards, .config = options.config}).size;
  weights_.resize(size);
  model.initialize(weights_, options.seed);
  particular_ = [decay = settings_of(options).weight_decay](std::size_t) { return Particular{decay, 1}; };
  forget();
}

void PlainLocal::set_particular(const std::function<Particular(std::size_t i)>& of) { particular_ = of; }

void PlainLocal::forget() {
  const std::size_t size = weights_.size();
  outer_velocity_.assign(size, 0.0F);
  state_.assign(static_cast<std::size_t>(options_.num_shards), {Floats(size), Floats(size)});
  updates_ = 0;
}

std::size_t PlainLocal::learned() const { return model_.info().learned_size; }

double PlainLocal::rate(std::int64_t step) const {
  return settings_of(options_).learning_rate_at ? settings_of(options_).learning_rate_at(step)
                                                : settings_of(options_).learning_rate;
}

float PlainLocal::learn(std::size_t i, float gradient, float old, double rate, std::int64_t updates,
                        std::vector<Floats>& state) {
  const OptimizerSettings o = settings_of(options_);
  const auto [decay, factor] = particular_(i);
  rate *= factor;
  if (o.kind == "sgd") {
    float g = gradient + static_cast<float>(decay) * old;
    if (o.momentum > 0) g = state[0][i] = static_cast<float>(o.momentum) * state[0][i] + g;
    return old - static_cast<float>(rate) * g;
  }
  const auto n = static_cast<double>(updates + 1);
  float& m = state[0][i];
  float& v = state[1][i];
  m = static_cast<float>(o.beta1) * m + static_cast<float>(1 - o.beta1) * gradient;
  v = static_cast<float>(o.beta2) * v + static_cast<float>(1 - o.beta2) * gradient * gradient;
  const float root = static_cast<float>(std::sqrt(1 - std::pow(o.beta2, n)));
  const float denominator = std::sqrt(v) / root + static_cast<float>(o.epsilon);
  const float step = static_cast<float>(rate / (1 - std::pow(o.beta1, n)));
  return static_cast<float>(1 - rate * decay) * old - step * m / denominator;
}

void PlainLocal::clip(Floats& mean) const {
  if (options_.gradients.clip_norm == 0) return;
  double squares = 0;
  for (std::size_t i = 0; i < learned(); ++i) squares += static_cast<double>(mean[i]) * static_cast<double>(mean[i]);
  const auto factor = static_cast<float>(std::min(1.0, options_.gradients.clip_norm / (std::sqrt(squares) + 1e-6)));
  for (std::size_t i = 0; i < learned(); ++i) mean[i] *= factor;
}

void PlainLocal::own_step(int shard, std::int64_t step, std::int64_t updates, Floats& copy) {
  Floats gradient(copy.size());
  const BatchResult batch = model_.gradient({shard, options_.num_shards, step, options_.seed}, copy, gradient);
  loss_ += batch.loss_sum;
  samples_ += batch.samples;
  if (batch.samples == 0) return;
  for (float& each : gradient) each /= static_cast<float>(batch.samples);
  clip(gradient);
  auto& state = state_[static_cast<std::size_t>(shard)];
  for (std::size_t i = 0; i < learned(); ++i) copy[i] = learn(i, gradient[i], copy[i], rate(step), updates, state);
  if (learned() == copy.size()) return;
  Floats updated(copy.size() - learned());
  const std::span<const float> old(copy);
  model_.update_statistics(learned(), std::span<const float>(gradient).subspan(learned()), batch.samples,
                           old.subspan(learned()), updated);
  std::ranges::copy(updated, copy.begin() + static_cast<std::ptrdiff_t>(learned()));
}

void PlainLocal::make_outer_step(const Floats& mean) {
  const std::optional<OuterNesterov>& outer = std::get<LocalSgd>(options_.algorithm).outer;
  const auto rate = static_cast<float>(outer.value_or(OuterNesterov()).learning_rate);
  const auto momentum = static_cast<float>(outer.value_or(OuterNesterov()).momentum);
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    if (!outer || i >= learned()) {
      weights_[i] = mean[i];
      continue;
    }
    const float g = weights_[i] - mean[i];
    float& v = outer_velocity_[i];
    v = momentum * v + g;
    weights_[i] = weights_[i] - rate * (g + momentum * v);
  }
}

void PlainLocal::call() {
  const auto shards = static_cast<std::size_t>(options_.num_shards);
  std::vector<Floats> copies(shards, weights_);
  loss_ = 0;
  samples_ = 0;
  for (std::size_t shard = 0; shard < shards; ++shard)
    for (int each = 0; each < std::get<LocalSgd>(options_.algorithm).steps; ++each)
      own_step(static_cast<int>(shard), step_ + each, updates_ + each, copies[shard]);
  loss_ /= static_cast<double>(samples_);
  Floats mean(weights_.size());
  double apart = 0;
  for (std::size_t i = 0; i < mean.size(); ++i) {
    mean[i] = plain_tree([&](std::size_t shard) { return copies[shard][i]; }, 0, shards) / static_cast<float>(shards);
    if (i >= learned()) continue;
    for (const Floats& copy : copies) apart += std::pow(static_cast<double>(copy[i]) - static_cast<double>(mean[i]), 2);
  }
  drift_ = std::sqrt(apart / static_cast<double>(shards));
  make_outer_step(mean);
  step_ += std::get<LocalSgd>(options_.algorithm).steps;
  updates_ += std::get<LocalSgd>(options_.algorithm).steps;
}

void PlainLocal::synchronous_step() {
  const auto shards = static_cast<std::size_t>(options_.num_shards);
  std::vector<Floats> gradients(shards, Floats(weights_.size()));
  std::int64_t samples = 0;
  for (std::size_t shard = 0; shard < shards; ++shard)
    samples +=
        model_
            .gradient({static_cast<int>(shard), options_.num_shards, step_, options_.seed}, weights_, gradients[shard])
            .samples;
  for (std::size_t i = 0; i < learned(); ++i) {
    const float sum = plain_tree([&](std::size_t shard) { return gradients[shard][i]; }, 0, shards);
    weights_[i] = learn(i, sum / static_cast<float>(samples), weights_[i], rate(step_), updates_, state_[0]);
  }
  ++step_;
  ++updates_;
}

std::vector<float> PlainLocal::weights() const {
  Floats canonical(total_size(model_.info().tensors));
  model_.to_canonical(weights_, canonical);
  return canonical;
}

}  // namespace troupe_test
