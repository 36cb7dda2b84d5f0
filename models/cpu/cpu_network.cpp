#include <algorithm>
#include <map>

#include "models/cpu/cross_entropy.hpp"
#include "models/cpu/operation.hpp"
#include "models/device_network.hpp"

namespace troupe {

namespace cpu {

namespace {

using Kind = models::Layer::Kind;

/// Layouts are chosen for such a batch where the whole shard is one, and evaluations run in batches of it.
constexpr std::int64_t kUsualBatch = 64;

/// Turns oneDNN's exceptions into ours.
template <class Work>
auto with_typed_errors(const Work& work) {
  try {
    return work();
  } catch (const dnnl::error& error) {
    throw Error(error.status == dnnl_out_of_memory ? ErrorCode::system : ErrorCode::unsupported,
                std::string("oneDNN: ") + error.what());
  }
}

/// What runs in one go: a layer, or a convolution with the max-pooling behind it.
struct Stage {
  std::size_t first;
  std::size_t last;
};

/// What one replica's batches share. Only one batch is under way at a time, so all use the same buffers.
struct Shared {
  Context context;
  Layout input;
  SampleShape input_shape;
  std::int64_t num_classes = 0;
  std::vector<PlacedLayer> layers;
  std::vector<Stage> stages;
  ParameterLayout parameters;
  AlignedFloats input_buffer;
  std::vector<AlignedFloats> outputs;  ///< one per stage
  AlignedFloats gradients[2];

  void reserve(std::int64_t batch);
};

void grow(AlignedFloats& buffer, std::int64_t floats) {
  if (buffer.size() < static_cast<std::size_t>(floats)) buffer.resize(static_cast<std::size_t>(floats));
}

void Shared::reserve(std::int64_t batch) {
  outputs.resize(stages.size());
  grow(input_buffer, batch * input.size());
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const std::int64_t floats = batch * layers[stages[i].last].output.size();
    grow(outputs[i], floats);
    for (AlignedFloats& gradient : gradients) grow(gradient, floats);
  }
}

Layout input_layout(const NetworkPlan& plan) {
  const Layout plain = plain_layout(plan.input);
  if (plan.input.flat) return {.channels = round_up(plain.channels)};
  constexpr std::int64_t kSmallInput = 3;  // oneDNN has convolutions that read so few channels as they are
  const Kind first = plan.layers.front().layer.kind;
  if (first == Kind::convolution && plain.channels > kSmallInput)
    return {round_up(plain.channels), plain.height, plain.width, kChannelBlock};
  return plain;
}

/// Chooses every layer's layouts, first to last.
void place_layers(Shared& shared, const NetworkPlan& plan, std::int64_t batch) {
  Layout layout = shared.input;
  SampleShape shape = plan.input;  // of the last image or feature vector, before any flattening
  bool learned = false;
  for (const PlannedLayer& planned : plan.layers) {
    PlacedLayer layer{
        .planned = planned, .input = layout, .output = layout, .parameters = {}, .gradient_stops = !learned};
    if (planned.layer.kind == Kind::convolution) place_convolution(shared.context, layer, batch);
    if (planned.layer.kind == Kind::linear) place_linear(shared.context, layer, batch, shape);
    if (planned.layer.kind == Kind::max_pool) {
      layer.output.height = planned.output.height;
      layer.output.width = planned.output.width;
    }
    if (planned.weights >= 0) {
      shared.parameters.place(layer.parameters);
      learned = true;
    }
    layout = layer.output;
    if (planned.layer.kind != Kind::relu) shape = planned.output;
    shared.layers.push_back(std::move(layer));
  }
}

void group_layers(Shared& shared) {
  const std::vector<PlacedLayer>& layers = shared.layers;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const PlannedLayer& planned = layers[i].planned;
    const bool pooled = planned.layer.kind == Kind::convolution && !planned.relu && i + 1 < layers.size() &&
                        layers[i + 1].planned.layer.kind == Kind::max_pool;
    shared.stages.push_back({.first = i, .last = pooled ? i + 1 : i});
    if (pooled) ++i;
  }
}

std::unique_ptr<Operation> make_operation(Context& context, const PlacedLayer& layer, std::int64_t batch) {
  switch (layer.planned.layer.kind) {
    case Kind::convolution:
      return make_convolution(context, layer, batch);
    case Kind::linear:
      return make_linear(context, layer, batch);
    case Kind::max_pool:
      return make_max_pool(layer, batch);
    case Kind::relu:
      return make_relu(layer, batch);
    case Kind::flatten:
      break;
  }
  throw Error(ErrorCode::unsupported, "a layer of a kind that the CPU does not know");
}

/// The network for one batch size.
class BatchNetwork {
 public:
  BatchNetwork(Shared& shared, std::int64_t batch) : shared_(shared), batch_(batch) {
    shared.reserve(batch);
    for (const Stage& stage : shared.stages) operations_.push_back(make_stage(stage));
  }

  /// The last layer's outputs.
  const float* forward(const float* values, const float* weights) {
    input_ = pack(values);
    for (std::size_t i = 0; i < operations_.size(); ++i)
      operations_[i]->forward(input_of(i), weights + offset(i), shared_.outputs[i].data());
    return shared_.outputs.back().data();
  }

  /// Where the gradient of the last layer's outputs belongs.
  float* output_gradient() { return gradient_of(operations_.size() - 1); }

  void backward(const float* weights, float* gradient) {
    for (std::size_t i = operations_.size(); i-- > 0;) {
      float* const input_gradient = first_layer(i).gradient_stops ? nullptr : gradient_of(i - 1);
      operations_[i]->backward(input_of(i), shared_.outputs[i].data(), weights + offset(i), gradient_of(i),
                               input_gradient, gradient + offset(i));
    }
  }

 private:
  std::unique_ptr<Operation> make_stage(const Stage& stage) {
    const PlacedLayer& layer = shared_.layers[stage.first];
    if (stage.first == stage.last) return make_operation(shared_.context, layer, batch_);
    return make_convolution_pool(shared_.context, layer, shared_.layers[stage.last], batch_);
  }

  const PlacedLayer& first_layer(std::size_t stage) const { return shared_.layers[shared_.stages[stage].first]; }
  std::size_t offset(std::size_t stage) const { return first_layer(stage).parameters.offset; }
  const float* input_of(std::size_t stage) const { return stage == 0 ? input_ : shared_.outputs[stage - 1].data(); }
  float* gradient_of(std::size_t stage) { return shared_.gradients[stage % 2].data(); }

  /// The batch in the layout of the first layer: as it is where that is the row-major one.
  const float* pack(const float* values) {
    const SampleShape& shape = shared_.input_shape;
    const Layout& layout = shared_.input;
    if (layout == plain_layout(shape)) return values;
    std::fill(shared_.input_buffer.begin(), shared_.input_buffer.end(), 0.0F);
    for (std::int64_t sample = 0; sample < batch_; ++sample) {
      float* const packed = shared_.input_buffer.data() + sample * layout.size();
      for (std::int64_t channel = 0; channel < shape.channels; ++channel)
        for (std::int64_t row = 0; row < shape.height; ++row)
          for (std::int64_t column = 0; column < shape.width; ++column)
            packed[layout.position(channel, row, column)] = *values++;
    }
    return shared_.input_buffer.data();
  }

  Shared& shared_;
  std::int64_t batch_;
  const float* input_ = nullptr;
  std::vector<std::unique_ptr<Operation>> operations_;
};

class CpuNetwork final : public DeviceNetwork {
 public:
  CpuNetwork(const NetworkPlan& plan, std::int64_t batch_size)
      : usual_batch_(batch_size > 0 ? batch_size : kUsualBatch) {
    use_one_thread();
    shared_.input = input_layout(plan);
    shared_.input_shape = plan.input;
    shared_.num_classes = plan.num_classes;
    place_layers(shared_, plan, usual_batch_);
    group_layers(shared_);
  }

  std::size_t size() const override { return shared_.parameters.size(); }

  std::string fingerprint() const override {
    const dnnl_version_t& version = *dnnl_version();
    return "onednn-" + std::to_string(version.major) + '.' + std::to_string(version.minor) + '.' +
           std::to_string(version.patch) + "-isa" + std::to_string(static_cast<int>(dnnl::get_effective_cpu_isa())) +
           '-' + shared_.parameters.fingerprint();
  }

  double gradient(const LabelledBatch& batch, std::span<const float> weights, std::span<float> gradient) override {
    return with_typed_errors([&] {
      if (batch.labels.empty()) {
        std::fill(gradient.begin(), gradient.end(), 0.0F);
        return 0.0;
      }
      BatchNetwork& network = network_for(static_cast<std::int64_t>(batch.labels.size()));
      const float* const scores = network.forward(batch.values.data(), weights.data());
      const double loss =
          cross_entropy_gradient(scores, batch.labels, shared_.num_classes, width(), network.output_gradient());
      network.backward(weights.data(), gradient.data());
      return loss;
    });
  }

  EvaluationResult evaluate(const LabelledBatch& batch, std::span<const float> weights) override {
    return with_typed_errors([&] {
      EvaluationResult total;
      const auto step = static_cast<std::size_t>(std::max(usual_batch_, kUsualBatch));
      for (std::size_t first = 0; first < batch.labels.size(); first += step)
        add(total, evaluate_slice(batch, first, std::min(step, batch.labels.size() - first), weights));
      return total;
    });
  }

  void to_canonical(std::span<const float> weights, std::span<float> canonical) const override {
    with_typed_errors([&] { shared_.parameters.to_canonical(weights, canonical); });
  }
  void from_canonical(std::span<const float> canonical, std::span<float> weights) const override {
    with_typed_errors([&] { shared_.parameters.from_canonical(canonical, weights); });
  }

 private:
  std::int64_t width() const { return shared_.layers.back().output.size(); }

  BatchNetwork& network_for(std::int64_t batch) {
    use_one_thread();
    auto& network = networks_[batch];
    if (!network) network = std::make_unique<BatchNetwork>(shared_, batch);
    return *network;
  }

  EvaluationResult evaluate_slice(const LabelledBatch& batch, std::size_t first, std::size_t count,
                                  std::span<const float> weights) {
    const float* const values = batch.values.data() + first * static_cast<std::size_t>(shared_.input_shape.size());
    const float* const scores = network_for(static_cast<std::int64_t>(count)).forward(values, weights.data());
    return cross_entropy_evaluate(scores, batch.labels.subspan(first, count), shared_.num_classes, width());
  }

  static void add(EvaluationResult& total, const EvaluationResult& part) {
    total.loss_sum += part.loss_sum;
    total.correct += part.correct;
    total.samples += part.samples;
  }

  std::int64_t usual_batch_;
  Shared shared_;
  std::map<std::int64_t, std::unique_ptr<BatchNetwork>> networks_;
};

}  // namespace

}  // namespace cpu

std::unique_ptr<DeviceNetwork> make_cpu_network(NetworkPlan plan, std::int64_t batch_size) {
  return cpu::with_typed_errors([&] { return std::make_unique<cpu::CpuNetwork>(plan, batch_size); });
}

}  // namespace troupe
