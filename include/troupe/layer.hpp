#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "troupe/model.hpp"

namespace troupe {

namespace cpu {
class LayerKernels;
}

/// The batch that a network works on, as its layers see it.
struct BatchContext {
  int shard = 0;
  std::int64_t step = 0;   ///< steps committed so far
  std::uint64_t seed = 0;  ///< of the run
  bool training = false;   ///< rather than evaluating, or training while frozen (ReplicaContext::frozen)
  int layer = 0;           ///< its number in the graph; draw random numbers from (seed, shard, step, layer) only
};

/// One sample between two layers: channels x height x width, or, when `flat`, so many features.
struct SampleShape {
  std::int64_t channels = 0;
  std::int64_t height = 1;
  std::int64_t width = 1;
  bool flat = false;

  std::int64_t size() const { return channels * height * width; }
  bool operator==(const SampleShape&) const = default;
  /// "32x14x14" or "128".
  std::string text() const;
};

namespace models {

/// A tensor of a layer, and the values it starts with.
struct LayerTensor {
  enum class Start : std::uint8_t {
    constant,  ///< all are `scale`
    uniform,   ///< in [-scale, scale)
    normal,    ///< of deviation `scale`
  };
  TensorInfo info;  ///< named within the layer: "weight"
  Start start = Start::constant;
  double scale = 0;
};

/// How a layer can be computed together with its neighbours, which spares passes over memory.
struct Folding {
  bool is_view = false;              ///< its output is its input, looked at differently
  bool is_relu = false;              ///< a layer with `takes_relu` before it can do its work
  bool is_sum = false;               ///< of two inputs, one of which may come from a layer with `takes_addend`
  bool element_wise = false;         ///< its output lies as its input does
  bool takes_relu = false;           ///< can apply a ReLU to its output
  bool takes_relu_for_free = false;  ///< ... in a pass that it makes anyway
  bool commutes_with_relu = false;   ///< the ReLU of its output is its output for the ReLU of its input
  bool takes_addend = false;         ///< can add a second input to its output, before the ReLU
};

/// What a kind of layer is: its inputs, shape, tensors and folding. How it is computed, each device says in a file of
/// its own. See CustomLayer for one's own.
class LayerSpec {
 public:
  LayerSpec() = default;
  LayerSpec(const LayerSpec&) = delete;
  LayerSpec& operator=(const LayerSpec&) = delete;
  virtual ~LayerSpec() = default;

  /// What errors call it: "convolution".
  virtual std::string kind() const = 0;
  /// What profiles call it, with what matters for its speed: "convolution 3x3".
  virtual std::string label() const { return kind(); }
  /// The numbers that it was made with, by name, with which files describe it.
  virtual std::map<std::string, double> numbers() const { return {}; }

  virtual std::size_t num_inputs() const { return 1; }
  /// The shape of its output for inputs of these shapes, as many as `num_inputs()`. @throws Error invalid_argument
  /// where they do not fit, or its own numbers do not; its text goes on after the layer's name: "needs flat input".
  virtual SampleShape output(std::span<const SampleShape> inputs) const = 0;
  /// Whether it has tensors, and so needs a name in its graph.
  virtual bool has_tensors() const { return false; }
  virtual std::vector<LayerTensor> tensors(const SampleShape& /*input*/) const { return {}; }
  virtual Folding folding() const { return {}; }
  /// Additions and multiplications of matrix products, forward and for one sample; else 0.
  virtual double flops(const SampleShape& /*input*/, const SampleShape& /*output*/) const { return 0; }
  /// Whether its training pass makes a sample's loss depend on the rest of the batch or on chance. It then goes by
  /// BatchContext::training, forward and backward.
  virtual bool is_batch_dependent() const { return false; }
  /// @throws Error invalid_argument for batches of a size that it cannot learn from; text as in `output`.
  virtual void check_batch(const SampleShape& /*input*/, std::int64_t /*batch_size*/) const {}

  /// How the CPU computes it.
  virtual std::unique_ptr<cpu::LayerKernels> on_cpu() const = 0;
};

using Layer = std::shared_ptr<const LayerSpec>;

}  // namespace models

}  // namespace troupe
