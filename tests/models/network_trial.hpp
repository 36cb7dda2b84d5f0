#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/aligned.hpp"
#include "models/network/device_network.hpp"
#include "troupe/models.hpp"

namespace troupe::test {

inline constexpr int kClasses = 3;

/// A network to try, and the samples that it takes.
struct Case {
  std::string name;
  std::vector<std::int64_t> shape;
  models::Graph graph;

  Case(std::string its_name, std::vector<std::int64_t> its_shape, models::Graph its_graph)
      : name(std::move(its_name)), shape(std::move(its_shape)), graph(std::move(its_graph)) {}
  Case(std::string its_name, std::vector<std::int64_t> its_shape, const std::vector<models::Layer>& layers)
      : Case(std::move(its_name), std::move(its_shape), models::Graph(layers)) {}

  bool has_batch_norm() const;
};

/// A network on the device that the program tests.
std::unique_ptr<DeviceNetwork> make_trial_network(const NetworkPlan& plan, std::shared_ptr<const Loss> loss,
                                                  std::int64_t batch_size, Precision precision, bool frozen);

/// A network with weights and samples drawn from its shape, and what it says of them.
struct NetworkTrial {
  Case at;
  std::int64_t batch;
  NetworkPlan plan;
  std::unique_ptr<DeviceNetwork> network;
  std::vector<float> parameters;  ///< canonical
  AlignedFloats values, weights, gradient;
  std::vector<std::int32_t> labels;
  double loss = 0;

  /// @param keeps as keep_tensors takes it; empty: all tensors learn
  NetworkTrial(const Case& the_case, std::int64_t batch_size, Precision precision = Precision::f32, bool frozen = false,
               const std::function<bool(const std::string&)>& keeps = {});

  Batch samples() const { return {batch, values, labels, {}}; }
  /// `count` samples from `first` on.
  Batch samples(std::size_t first, std::size_t count) const;
  std::vector<double> exact_parameters() const { return {parameters.begin(), parameters.end()}; }
  std::vector<float> canonical(std::span<const float> flat) const;
  /// Whether the canonical parameter is learned; the others are running statistics.
  std::vector<bool> learned() const;

 private:
  void draw();
};

float largest(std::span<const float> values);

/// Compares the loss and every derivative with those of plain loops in double, and some `differences` of them with
/// central differences, all relative to the largest of their tensor.
void check_against_reference(const NetworkTrial& trial, std::size_t differences = 30);

/// In bfloat16 loss and gradient stay near those in f32; passes where the device has no bfloat16.
void check_mixed_precision(const Case& at, std::int64_t batch, bool frozen = false);

}  // namespace troupe::test
