#pragma once

// The interface of a network's layers. See troupe/layers.hpp for the layers of Troupe and CustomLayer for layers of
// your own.

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

/// Describes the batch that a layer processes.
struct BatchContext {
  int shard = 0;
  std::int64_t step = 0;   ///< number of steps committed so far
  std::uint64_t seed = 0;  ///< seed of the run
  /// False in evaluations, and in training of frozen replicas (ReplicaContext::frozen).
  bool training = false;
  /// Number of the micro-batch within the batch of the shard; 0 if batches are not divided (models::network).
  int slice = 0;
  /// Number of the layer in the graph. A layer must draw its random numbers from (seed, shard, step, slice, layer)
  /// only.
  int layer = 0;
};

/// The shape of one sample between two layers: an image of channels x height x width, or if `flat` is true, `channels`
/// features, or if `sequence` is true, `height` positions with `channels` values each. Row-major, the values of a
/// sequence lie position after position, and those of an image channel after channel.
struct SampleShape {
  std::int64_t channels = 0;
  std::int64_t height = 1;
  std::int64_t width = 1;
  bool flat = false;
  bool sequence = false;

  /// Returns the number of floats of one sample.
  std::int64_t size() const { return channels * height * width; }
  bool operator==(const SampleShape&) const = default;
  /// Returns the shape as text, such as "32x14x14" for an image, "128" for features, or "64 positions x 128" for a
  /// sequence.
  std::string text() const;
};

namespace models {

/// Describes a tensor of a layer and the values with which it starts.
struct LayerTensor {
  /// The distribution from which the first values are drawn.
  enum class Start : std::uint8_t {
    constant,  ///< all values are `scale`
    uniform,   ///< uniform in [-scale, scale)
    normal,    ///< normal with mean 0 and standard deviation `scale`
  };
  /// The name of the tensor within the layer, such as "weight", and its shape.
  TensorInfo info;
  Start start = Start::constant;
  double scale = 0;
};

/// Describes how a layer can be computed together with the layers before and after it. If layers are computed together,
/// their values are written to memory and read again less often.
struct Folding {
  bool is_view = false;  ///< the output is the input with another shape; no values are computed
  bool is_relu = false;  ///< the layer is a ReLU; a layer with `takes_relu` can apply the ReLU instead
  /// The layer adds two inputs. A layer with `takes_addend` that computes one of the inputs can do the addition
  /// instead.
  bool is_sum = false;
  bool element_wise = false;  ///< each output depends on the input at the same position only
  bool takes_relu = false;    ///< the layer can apply a ReLU to its output
  /// The layer can apply a ReLU to its output while it computes the output, at no additional cost.
  bool takes_relu_for_free = false;
  /// layer(relu(x)) equals relu(layer(x)), so a ReLU of the input may be applied to the output instead.
  bool commutes_with_relu = false;
  /// The layer can add a second input to its output, before the ReLU.
  bool takes_addend = false;
  /// The layer can add a second input to its output if both are sequences.
  bool takes_sequence_addend = false;
};

/// Base class that describes a kind of layer: its inputs, output shape, tensors and folding. For each device, the
/// implementation is in a separate file. For a layer of your own derive from CustomLayer instead.
class LayerSpec {
 public:
  LayerSpec() = default;
  LayerSpec(const LayerSpec&) = delete;
  LayerSpec& operator=(const LayerSpec&) = delete;
  virtual ~LayerSpec() = default;

  /// Returns the name of the kind of layer in error messages, such as "convolution".
  virtual std::string kind() const = 0;
  /// Returns the name of the layer in profiles, including properties that affect the speed, such as "convolution 3x3".
  virtual std::string label() const { return kind(); }
  /// Returns the layer's options by name, such as {"outputs", 10}. Files of weights contain them to describe the layer.
  virtual std::map<std::string, double> numbers() const { return {}; }

  /// Returns the number of inputs.
  virtual std::size_t num_inputs() const { return 1; }
  /// Returns the shape of the output for inputs of these shapes.
  /// @param inputs one shape for each of the `num_inputs()` inputs.
  /// @throws Error invalid_argument if the inputs or the layer's options are not valid. The message is appended to the
  /// name of the layer, so it must continue a sentence, such as "needs flat input".
  virtual SampleShape output(std::span<const SampleShape> inputs) const = 0;
  /// Returns true if the layer has tensors and therefore needs a name in its graph.
  virtual bool has_tensors() const { return false; }
  /// Returns true if the layer reads tokens (DataInfo::vocabulary). Its input must then be the input of the network,
  /// and one later layer may use its first tensor, too (`tied_to`). Default: false.
  virtual bool reads_tokens() const { return false; }
  /// Returns the name of an earlier layer, for which `reads_tokens` is true, whose first tensor is also the weight of
  /// this layer, which must not have tensors of its own. Empty (default): there is none.
  virtual std::string tied_to() const { return {}; }
  /// Checks the tensor of the layer `tied_to()`.
  /// @throws Error invalid_argument if the layer cannot use it; the message is appended to the name of the layer, as in
  /// `output`.
  virtual void check_tied(const TensorInfo& /*tensor*/, const SampleShape& /*input*/) const {}
  /// Returns the descriptions of the layer's tensors for inputs of this shape.
  virtual std::vector<LayerTensor> tensors(const SampleShape& /*input*/) const { return {}; }
  /// Returns how the layer can be computed together with the layers before and after it.
  virtual Folding folding() const { return {}; }
  /// Returns the number of additions and multiplications of matrix products in a forward pass for one sample. Default:
  /// 0.
  virtual double flops(const SampleShape& /*input*/, const SampleShape& /*output*/) const { return 0; }
  /// Returns true if, in training, the loss of a sample depends on other samples of the batch or on random numbers. The
  /// forward and backward pass of such a layer depend on BatchContext::training.
  virtual bool is_batch_dependent() const { return false; }
  /// Checks whether the layer can learn from batches of this size.
  /// @throws Error invalid_argument if it cannot; the message is appended to the name of the layer, as in `output`.
  virtual void check_batch(const SampleShape& /*input*/, std::int64_t /*batch_size*/) const {}

  /// Returns the implementation of the layer for the CPU.
  virtual std::unique_ptr<cpu::LayerKernels> on_cpu() const = 0;
};

/// A shared, read-only layer.
using Layer = std::shared_ptr<const LayerSpec>;

}  // namespace models

}  // namespace troupe
