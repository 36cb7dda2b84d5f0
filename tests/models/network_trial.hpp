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

/// A network to test and the shape of its samples.
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

/// Makes a network on the device that this program tests.
std::unique_ptr<DeviceNetwork> make_trial_network(const NetworkPlan& plan, std::shared_ptr<const Loss> loss,
                                                  std::int64_t batch_size, Precision precision, bool frozen);

/// A network with random weights and samples, and its loss and gradient.
struct NetworkTrial {
  Case at;
  std::int64_t batch;
  NetworkPlan plan;
  std::unique_ptr<DeviceNetwork> network;
  std::vector<float> parameters;  ///< canonical
  AlignedFloats values, weights, gradient;
  std::vector<std::int32_t> labels;
  double loss = 0;

  /// @param keeps as in keep_tensors; if empty, all tensors learn
  NetworkTrial(const Case& the_case, std::int64_t batch_size, Precision precision = Precision::f32, bool frozen = false,
               const std::function<bool(const std::string&)>& keeps = {});

  Batch samples() const { return {batch, values, labels, {}}; }
  /// Returns `count` samples, beginning with `first`.
  Batch samples(std::size_t first, std::size_t count) const;
  std::vector<double> exact_parameters() const { return {parameters.begin(), parameters.end()}; }
  std::vector<float> canonical(std::span<const float> flat) const;
  /// Returns for each canonical parameter whether it is learned; the others are running statistics.
  std::vector<bool> learned() const;

 private:
  void draw();
};

float largest(std::span<const float> values);

/// Compares the loss and every derivative with plain loops in double, and `differences` of them with central
/// differences. All tolerances are relative to the largest derivative of the tensor.
void check_against_reference(const NetworkTrial& trial, std::size_t differences = 30);

/// Checks that loss and gradient in bfloat16 are near those in f32. Passes if the device lacks bfloat16.
void check_mixed_precision(const Case& at, std::int64_t batch, bool frozen = false);

}  // namespace troupe::test
