#pragma once

#include <cstdint>
#include <memory>

#include "models/cpu/elementwise.hpp"
#include "models/cpu/onednn.hpp"
#include "models/cpu/parameters.hpp"
#include "models/network/network_plan.hpp"

namespace troupe::cpu {

/// A layer with its place in memory; the same for all batch sizes.
struct PlacedLayer {
  PlannedLayer planned;
  std::shared_ptr<const LayerKernels> kernels;
  Layout input;
  Layout output;
  LayerParameters parameters;   ///< of layers that have any
  bool gradient_stops = false;  ///< nothing before it learns, so it need not pass a gradient on
};

/// What a layer reads and writes going forward. `weights` is the layer's own part of the flat vector.
struct ForwardOperands {
  BatchContext context;
  const void* input = nullptr;
  const void* addend = nullptr;  ///< the second input of layers that have one
  void* output = nullptr;
  const float* weights = nullptr;
  const float* statistics = nullptr;  ///< running ones, of batch-norm
  float* statistics_sums = nullptr;   ///< see ParameterLayout::update_statistics; null: go by the running ones
};

/// What it reads and writes going backward.
struct BackwardOperands {
  BatchContext context;
  const void* input = nullptr;
  const void* output = nullptr;
  void* output_gradient = nullptr;        ///< may be overwritten; see Operation::Traits
  const void* second_gradient = nullptr;  ///< to be added to it, where the layer takes two
  void* input_gradient = nullptr;         ///< null when nothing before it learns
  const float* weights = nullptr;
  float* gradient = nullptr;  ///< of the weights
};

/// A layer for one batch size.
class Operation {
 public:
  /// What the memory plan has to know.
  struct Traits {
    bool reads_input = false;              ///< going backward
    bool reads_output = false;             ///< going backward
    bool takes_two_gradients = false;      ///< adds `second_gradient` itself
    bool input_gradient_in_place = false;  ///< `input_gradient` is `output_gradient`
  };

  Operation() = default;
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;
  virtual ~Operation() = default;

  virtual Traits traits() const = 0;
  /// Makes what only `backward` needs; called once, before it.
  virtual void prepare_backward() {}
  virtual void forward(const ForwardOperands& at) = 0;
  /// Writes the gradient of the layer's weights and that of its input. That of a second input is what it leaves in
  /// `output_gradient`.
  virtual void backward(const BackwardOperands& at) = 0;
};

}  // namespace troupe::cpu
