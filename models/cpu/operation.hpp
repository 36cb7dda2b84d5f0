#pragma once

#include <cstdint>
#include <memory>

#include "models/cpu/layers/elementwise.hpp"
#include "models/cpu/onednn.hpp"
#include "models/cpu/parameters.hpp"
#include "models/network/network_plan.hpp"

namespace troupe::cpu {

/// A layer with its place in memory; the same for all batch sizes.
struct PlacedLayer {
  PlannedLayer planned;
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
  float* statistics_sums = nullptr;   ///< see ParameterLayout::update_statistics; null: evaluate by the running ones
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
  virtual void forward(const ForwardOperands& at) = 0;
  /// Writes the gradient of the layer's weights and that of its input. That of a second input is what it leaves in
  /// `output_gradient`.
  virtual void backward(const BackwardOperands& at) = 0;
};

/// Choose output layout and weight layout for the layer's input layout and batches of about this size.
void place_convolution(Context& context, PlacedLayer& layer, std::int64_t batch);
void place_linear(Context& context, PlacedLayer& layer, std::int64_t batch);

std::unique_ptr<Operation> make_add(const PlacedLayer& layer, std::int64_t batch);
std::unique_ptr<Operation> make_batch_norm(const PlacedLayer& layer, std::int64_t batch);
std::unique_ptr<Operation> make_convolution(Context& context, const PlacedLayer& layer, std::int64_t batch);
std::unique_ptr<Operation> make_global_average_pool(const PlacedLayer& layer, std::int64_t batch);
std::unique_ptr<Operation> make_linear(Context& context, const PlacedLayer& layer, std::int64_t batch);
std::unique_ptr<Operation> make_relu(const PlacedLayer& layer, std::int64_t batch);

/// Windows that neither overlap nor reach over the edge, of floats.
bool has_plain_windows(const PlacedLayer& pool);
std::unique_ptr<Operation> make_plain_max_pool(const PlacedLayer& layer, std::int64_t batch);
std::unique_ptr<Operation> make_max_pool(Context& context, const PlacedLayer& layer, std::int64_t batch);

/// A convolution without ReLU and the max-pooling of plain windows behind it, slice by slice, so that what lies between
/// them never leaves the cache.
std::unique_ptr<Operation> make_convolution_pool(Context& context, const PlacedLayer& convolution,
                                                 const PlacedLayer& pool, std::int64_t batch);

}  // namespace troupe::cpu
