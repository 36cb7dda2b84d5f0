#pragma once

#include <functional>
#include <vector>

#include "troupe/sgd.hpp"

namespace troupe_test {

/// Local SGD in plain loops on one thread, one shard after the other: what algorithm "local" has to make of a model's
/// weights, to the bit. Optimizers are sgd, with momentum or without, and adamw.
class PlainLocal {
 public:
  /// What is particular to a float: its weight decay, and a factor of its rate.
  struct Particular {
    double decay = 0;
    double factor = 1;
  };

  PlainLocal(troupe::Model& model, const troupe::Options& options);

  /// Of float `i` of the flat vector; without it all have the options' decay.
  void set_particular(const std::function<Particular(std::size_t i)>& of);
  /// A call of `step()`.
  void call();
  /// A step of synchronous SGD with momentum.
  void synchronous_step();
  /// Momentum and the like begin with zeros, as when another algorithm goes on.
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
