#pragma once

#include <functional>
#include <vector>

#include "troupe/sgd.hpp"

namespace troupe_test {

/// Local SGD in plain loops on one thread, one shard after another. Weights of the algorithm "local" must be bitwise
/// equal to this. Supports sgd with or without momentum, and adamw.
class PlainLocal {
 public:
  /// The settings of a single float: its weight decay, and the factor of its learning rate.
  struct Particular {
    double decay = 0;
    double factor = 1;
  };

  PlainLocal(troupe::Model& model, const troupe::Options& options);

  /// Sets the settings of each float `i` of the flat vector. By default all floats have the decay of the options.
  void set_particular(const std::function<Particular(std::size_t i)>& of);
  /// Does the work of one call of `step()`.
  void call();
  /// Takes a step of synchronous SGD with momentum.
  void synchronous_step();
  /// Resets momentum and the other state vectors to zeros, as after a change of the algorithm.
  void forget();

  std::vector<float> weights() const;  ///< in canonical order
  double loss() const { return loss_; }
  double drift() const { return drift_; }
  std::int64_t samples() const { return samples_; }
  std::int64_t steps() const { return step_; }

 private:
  using Floats = std::vector<float>;

  std::size_t learned() const;
  double rate(std::int64_t step) const;
  void own_step(int shard, std::int64_t step, std::int64_t updates, Floats& copy);
  void clip(Floats& mean) const;
  float learn(std::size_t i, float gradient, float old, double rate, std::int64_t updates, std::vector<Floats>& state);
  void make_outer_step(const Floats& mean);

  troupe::Model& model_;
  troupe::Options options_;
  std::function<Particular(std::size_t i)> particular_;
  Floats weights_;
  Floats outer_velocity_;
  std::vector<std::vector<Floats>> state_;  ///< by shard
  std::int64_t step_ = 0;
  std::int64_t updates_ = 0;
  double loss_ = 0;
  double drift_ = 0;
  std::int64_t samples_ = 0;
};

}  // namespace troupe_test
