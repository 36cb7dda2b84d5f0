#include "models/cuda/batch_network.hpp"

#include <algorithm>

#include "models/cuda/kernels/elementwise.hpp"
#include "models/cuda/kernels/packing.hpp"

namespace troupe::cuda {

BatchNetwork::BatchNetwork(Context& context, const PlacedNetwork& network, Transfers& transfers, PassTimes& times,
                           const Loss& loss, const std::vector<bool>& learns, std::int64_t batch, Mode mode)
    : context_(context),
      network_(network),
      transfers_(transfers),
      times_(times),
      loss_(loss),
      batch_(batch),
      host_scores_(static_cast<std::size_t>(batch * network.outputs_of_sample())),
      host_gradient_(mode == Mode::train ? host_scores_.size() : 0) {
  context.take_need();  // removes needs that a network registered whose constructor then threw
  for (std::size_t i = 0; i < network.layers.size(); ++i)
    operations_.push_back(network.kernels[i]->make(context, network.layers[i], batch));
  plan(learns, mode);
  if (mode == Mode::train)
    for (const auto& operation : operations_) operation->prepare_backward();
  workspace_bytes_ = context.take_need();
}

void BatchNetwork::plan(const std::vector<bool>& learns, Mode mode) {
  std::vector<PlannedStage> stages;
  stages.reserve(operations_.size());
  for (std::size_t i = 0; i < operations_.size(); ++i)
    stages.push_back({.inputs = network_.layers[i].planned.inputs,
                      .output = static_cast<int>(i) + 1,
                      .traits = operations_[i]->traits()});
  std::vector<std::size_t> bytes;
  bytes.reserve(learns.size());
  for (std::size_t value = 0; value < learns.size(); ++value)
    bytes.push_back(network_.layout(static_cast<int>(value)).bytes(batch_));
  schedule_ = make_buffer_schedule(stages, bytes, learns, mode);
  scores_ = add_buffer(host_scores_.size() * sizeof(float));
  memory_ = plan_memory(schedule_.buffers);
}

/// Adds a buffer that is in use from the forward pass of the first layer until the loss is computed. Returns its
/// number.
int BatchNetwork::add_buffer(std::size_t bytes) {
  schedule_.buffers.push_back({.bytes = bytes, .first = 0, .last = static_cast<int>(operations_.size())});
  return static_cast<int>(schedule_.buffers.size()) - 1;
}

std::byte* BatchNetwork::at(std::byte* memory, int buffer) const {
  return buffer == kNone ? nullptr : memory + memory_.offsets[static_cast<std::size_t>(buffer)];
}

double BatchNetwork::train(std::byte* memory, const BatchContext& context, const Batch& batch,
                           std::span<const float> weights, std::span<float> gradient, std::int64_t* correct,
                           MicroBatch part) {
  send(memory, batch.values, batch.content, weights, /*trains=*/true);
  forward(memory, context, context.training ? transfers_.gradient() : nullptr);
  transfers_.begin_gradient(gradient, part);
  const OutputRows rows = receive_scores(memory);
  const double loss = shared_batch_loss_gradient(loss_, rows, batch, host_gradient_.data(), correct);
  send_scores_gradient(memory);
  times_.other(context_.compute());
  transfers_.send_ahead(batch.ahead);
  backward(memory, context);
  transfers_.send_ahead(batch.ahead);  // the next batch may have become available during `backward`
  transfers_.end_gradient();
  times_.end(batch_);
  return loss;
}

EvaluationResult BatchNetwork::evaluate(std::byte* memory, const BatchContext& context, const Batch& batch,
                                        std::span<const float> weights, SampleMetrics* metrics) {
  send(memory, batch.values, /*content=*/0, weights, /*trains=*/false);
  forward(memory, context, nullptr);
  return evaluate_batch_loss(loss_, receive_scores(memory), batch, metrics);
}

void BatchNetwork::outputs(std::byte* memory, std::span<const float> samples, std::span<const float> weights,
                           std::span<float> to) {
  send(memory, samples, /*content=*/0, weights, /*trains=*/false);
  forward(memory, {}, nullptr);
  std::copy_n(receive_scores(memory).first, to.size(), to.begin());
}

void BatchNetwork::send(std::byte* memory, std::span<const float> samples, std::uint64_t content,
                        std::span<const float> weights, bool trains) {
  const float* const plain = transfers_.send(
      samples.first(static_cast<std::size_t>(batch_ * network_.input_shape.size())), content, weights, trains);
  from_plain(stream(), network_.input_shape, batch_, plain, network_.input.element, at(memory, 0));
  times_.other(context_.compute());
}

void BatchNetwork::forward(std::byte* memory, const BatchContext& context, float* statistics_sums) {
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    const PlacedLayer& layer = network_.layers[i];
    const std::vector<int>& inputs = layer.planned.inputs;
    const LayerParameters& parameters = network_.parameters_of(layer);
    transfers_.receive(i);
    BatchContext own = context;
    own.layer = layer.planned.number;
    own.training = own.training && !layer.planned.keeps_tensors;
    operations_[i]->forward(
        {.context = own,
         .input = at(memory, inputs[0]),
         .addend = inputs.size() > 1 ? at(memory, inputs[1]) : nullptr,
         .output = at(memory, static_cast<int>(i) + 1),
         .weights = transfers_.weights() + parameters.offset,
         .product_weights = transfers_.product_weights() + parameters.offset * size_of(context_.element()),
         .statistics = transfers_.weights() + parameters.statistics,
         .statistics_sums = statistics_sums == nullptr || layer.planned.keeps_tensors
                                ? nullptr
                                : statistics_sums + parameters.statistics});
    times_.layer(context_.compute(), i, Direction::forward);
  }
}

void BatchNetwork::backward(std::byte* memory, const BatchContext& context) {
  for (const BackwardStep& step : schedule_.backward) {
    run(step, memory, context);
    times_.layer(context_.compute(), step.stage, Direction::backward);
    transfers_.layer_done(step.stage);
  }
}

void BatchNetwork::run(const BackwardStep& step, std::byte* memory, BatchContext context) {
  const PlacedLayer& layer = network_.layers[step.stage];
  const LayerParameters& parameters = network_.parameters_of(layer);
  for (const int more : step.more_gradients)
    accumulate(stream(), layer.output.element, layer.output.values(batch_), at(memory, more),
               at(memory, step.output_gradient));
  context.layer = layer.planned.number;
  context.training = context.training && !layer.planned.keeps_tensors;
  operations_[step.stage]->backward(
      {.context = context,
       .input = at(memory, layer.planned.inputs[0]),
       .output = at(memory, static_cast<int>(step.stage) + 1),
       .output_gradient = at(memory, step.output_gradient),
       .second_gradient = at(memory, step.second_gradient),
       .input_gradient = at(memory, step.input_gradient),
       .adds_input_gradient = step.adds_input_gradient,
       .weights = transfers_.weights() + parameters.offset,
       .product_weights = transfers_.product_weights() + parameters.offset * size_of(context_.element()),
       .gradient = transfers_.gradient() + parameters.offset});
}

OutputRows BatchNetwork::receive_scores(std::byte* memory) {
  auto* const plain = reinterpret_cast<float*>(at(memory, scores_));
  to_plain(stream(), output_layout().shape, batch_, output_layout().element,
           at(memory, static_cast<int>(operations_.size())), plain);
  context_.copy_to_host(context_.compute(), host_scores_.data(), plain, host_scores_.size(), "copying outputs");
  context_.compute().synchronize();
  return {host_scores_.data(), network_.num_outputs, network_.num_outputs};
}

void BatchNetwork::send_scores_gradient(std::byte* memory) {
  auto* const plain = reinterpret_cast<float*>(at(memory, scores_));
  context_.copy_to_device(context_.compute(), plain, host_gradient_.data(), host_gradient_.size(),
                          "copying a loss's gradient");
  from_plain(stream(), output_layout().shape, batch_, plain, output_layout().element,
             at(memory, schedule_.scores_gradient));
}

}  // namespace troupe::cuda
