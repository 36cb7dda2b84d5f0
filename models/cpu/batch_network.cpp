#include "models/cpu/batch_network.hpp"

#include <algorithm>
#include <utility>

#include "models/cpu/packing.hpp"
#include "runtime/clock.hpp"

namespace troupe::cpu {

namespace {

std::vector<Stage> make_stages(Context& context, const PlacedNetwork& network, std::int64_t batch) {
  std::vector<Stage> stages;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const PlacedLayer& layer = network.layers[i];
    if (is_joined(network, i)) {
      stages.push_back({i, i + 1, layer.kernels->make_joined(context, layer, network.layers[i + 1], batch)});
      ++i;
    } else {
      stages.push_back({i, i, layer.kernels->make(context, layer, batch)});
    }
  }
  return stages;
}

/// @param has_head whether a Head computes the last stage: then its output is not stored
BufferSchedule make_schedule(const PlacedNetwork& network, const std::vector<Stage>& stages, bool has_head,
                             const std::vector<bool>& learns, std::int64_t batch, Mode mode) {
  std::vector<PlannedStage> planned;
  planned.reserve(stages.size());
  for (const Stage& stage : stages)
    planned.push_back({.inputs = network.layers[stage.first].planned.inputs,
                       .output = static_cast<int>(stage.last) + 1,
                       .traits = stage.operation->traits()});
  std::vector<std::size_t> bytes;
  bytes.reserve(learns.size());
  for (std::size_t value = 0; value < learns.size(); ++value)
    bytes.push_back(network.layout(static_cast<int>(value)).bytes(batch));
  if (has_head) {
    bytes.back() = 0;
    planned.back().traits.reads_input = true;
  }
  return make_buffer_schedule(planned, bytes, learns, mode);
}

BatchContext for_layer(BatchContext context, const PlacedLayer& layer) {
  context.layer = layer.planned.number;
  context.training = context.training && !layer.planned.keeps_tensors;
  return context;
}

}  // namespace

BatchNetwork::BatchNetwork(Context& context, const PlacedNetwork& network, const Loss& loss,
                           const std::vector<bool>& learns, std::int64_t batch, Mode mode)
    : context_(context),
      network_(network),
      loss_(loss),
      batch_(batch),
      stages_(make_stages(context, network, batch)),
      head_(mode == Mode::evaluate || learns.back()
                ? network.layers.back().kernels->make_head(context, network.layers.back(), loss, batch)
                : nullptr),
      schedule_(make_schedule(network, stages_, head_ != nullptr, learns, batch, mode)),
      memory_(plan_memory(schedule_.buffers)) {
  if (mode == Mode::train)
    for (const Stage& stage : stages_) stage.operation->prepare_backward();
}

std::size_t BatchNetwork::added_bytes() const {
  std::size_t floats = 0;
  for (std::size_t i = 0; i < stages_.size(); ++i)
    if (!stages_[i].operation->traits().adds_weight_gradient)
      floats = std::max(floats, first_layer(i).parameters.size());
  return floats * sizeof(float);
}

std::byte* BatchNetwork::at(std::byte* arena, int buffer) const {
  return buffer == kNone ? nullptr : arena + memory_.offsets[static_cast<std::size_t>(buffer)];
}

const void* BatchNetwork::value(std::byte* arena, int value) const { return value == 0 ? input_ : at(arena, value); }

double BatchNetwork::train(std::byte* arena, const BatchContext& context, const Batch& batch,
                           std::span<const float> weights, std::span<float> gradient, Profile& profile,
                           std::int64_t* correct) {
  float* const statistics = context.training ? gradient.data() : nullptr;
  forward(arena, context, batch.values.data(), weights.data(), statistics, &profile);
  if (head_) return backward(arena, context, batch, weights.data(), gradient, profile, correct);
  const double loss = loss_gradient(arena, batch, correct);
  backward(arena, context, batch, weights.data(), gradient, profile, correct);
  return loss;
}

EvaluationResult BatchNetwork::evaluate(std::byte* arena, const ShardStep& at, const Batch& batch,
                                        std::span<const float> weights, SampleMetrics* metrics) {
  const BatchContext context{.shard = at.shard, .step = at.step, .seed = at.seed, .training = false};
  forward(arena, context, batch.values.data(), weights.data(), nullptr, nullptr);
  if (head_) return head_->evaluate(head_operands(arena, weights.data()), batch, metrics);
  return evaluate_batch_loss(loss_, scores(arena), batch, metrics);
}

void BatchNetwork::outputs(std::byte* arena, const float* values, std::span<const float> weights, std::span<float> to) {
  forward(arena, {}, values, weights.data(), nullptr, nullptr);
  if (head_) return head_->outputs(head_operands(arena, weights.data()), to.data());
  const OutputRows rows = scores(arena);
  for (std::int64_t i = 0; i < std::ssize(to) / rows.count; ++i)
    std::copy_n(rows.first + i * rows.width, rows.count, to.data() + i * rows.count);
}

bool BatchNetwork::scores_are_image() const {
  const SampleShape& output = network_.layers.back().planned.output;
  return !output.flat && !output.sequence;
}

std::int64_t BatchNetwork::scores_width() const {
  return scores_are_image() ? network_.num_outputs : network_.layers.back().output.channels;
}

OutputRows BatchNetwork::scores(std::byte* arena) {
  const PlacedLayer& last = network_.layers.back();
  const std::byte* const output = at(arena, static_cast<int>(network_.layers.size()));
  if (!scores_are_image()) return {reinterpret_cast<const float*>(output), network_.num_outputs, scores_width()};
  plain_scores_.resize(static_cast<std::size_t>(batch_ * scores_width()));
  unpack(output, last.planned.output, last.output, batch_, plain_scores_.data());
  return {plain_scores_.data(), network_.num_outputs, scores_width()};
}

double BatchNetwork::loss_gradient(std::byte* arena, const Batch& batch, std::int64_t* correct) {
  const PlacedLayer& last = network_.layers.back();
  const OutputRows rows = scores(arena);
  std::byte* const gradient = at(arena, schedule_.scores_gradient);
  if (!scores_are_image()) return batch_loss_gradient(loss_, rows, batch, reinterpret_cast<float*>(gradient), correct);
  std::vector<float> plain(plain_scores_.size());
  const double loss = batch_loss_gradient(loss_, rows, batch, plain.data(), correct);
  pack(plain.data(), last.planned.output, last.output, batch_, gradient);
  return loss;
}

void BatchNetwork::forward(std::byte* arena, const BatchContext& context, const float* values, const float* weights,
                           float* gradient, Profile* profile) {
  input_ = values;
  if (network_.input != plain_layout(network_.input_shape)) {
    pack(values, network_.input_shape, network_.input, batch_, at(arena, 0));
    input_ = at(arena, 0);
  }
  Stopwatch watch;
  for (std::size_t i = 0; i < stages_.size() - (head_ ? 1 : 0); ++i) {
    const PlacedLayer& layer = first_layer(i);
    const std::vector<int>& inputs = layer.planned.inputs;
    float* const sums = gradient == nullptr || layer.planned.keeps_tensors || layer.parameters.statistics_size() == 0
                            ? nullptr
                            : gradient + layer.parameters.statistics;
    float* const own = sums != nullptr && context.slice > 0 ? context_.layer_gradient.floats() : sums;
    stages_[i].operation->forward({.context = for_layer(context, layer),
                                   .input = value(arena, inputs[0]),
                                   .addend = inputs.size() > 1 ? value(arena, inputs[1]) : nullptr,
                                   .output = at(arena, static_cast<int>(stages_[i].last) + 1),
                                   .weights = weights + layer.parameters.offset,
                                   .statistics = weights + layer.parameters.statistics,
                                   .statistics_sums = own});
    if (own != sums) cpu::accumulate(own, sums, static_cast<std::int64_t>(layer.parameters.statistics_size()));
    if (profile != nullptr) profile->add_forward(stages_[i].first, batch_, watch.lap());
  }
}

double BatchNetwork::backward(std::byte* arena, const BatchContext& context, const Batch& batch, const float* weights,
                              std::span<float> gradient, Profile& profile, std::int64_t* correct) {
  const ParameterLayout& parameters = network_.parameters;
  const std::size_t unwritten_end = context.training ? parameters.learned_size() : parameters.size();
  std::ranges::fill(gradient.first(unwritten_end).subspan(parameters.padding_begin()), 0.0F);
  double loss = 0;
  Stopwatch watch;
  for (const BackwardStep& step : schedule_.backward) {
    const Stage& stage = stages_[step.stage];
    BackwardOperands at = operands(step, arena, context, weights, gradient.data());
    if (head_ && step.stage + 1 == stages_.size()) {
      at.adds_weight_gradient = context.slice > 0;
      loss = head_->train(at, batch, correct);
      const double seconds = watch.lap();  // one of the three products is that of the forward pass
      profile.add_forward(stage.first, batch_, seconds / 3);
      profile.add_backward(stage.first, batch_, 2 * seconds / 3);
      continue;
    }
    for (const int more : step.more_gradients)
      cpu::accumulate(this->at(arena, more), at.output_gradient, network_.layout(static_cast<int>(stage.last) + 1),
                      batch_);
    run(stage, at);
    profile.add_backward(stage.first, batch_, watch.lap());
  }
  return loss;
}

BackwardOperands BatchNetwork::operands(const BackwardStep& step, std::byte* arena, const BatchContext& context,
                                        const float* weights, float* gradient) const {
  const Stage& stage = stages_[step.stage];
  const PlacedLayer& layer = network_.layers[stage.first];
  return {.context = for_layer(context, layer),
          .input = value(arena, layer.planned.inputs[0]),
          .output = at(arena, static_cast<int>(stage.last) + 1),
          .output_gradient = at(arena, step.output_gradient),
          .second_gradient = at(arena, step.second_gradient),
          .input_gradient = at(arena, step.input_gradient),
          .adds_input_gradient = step.adds_input_gradient,
          .weights = weights + layer.parameters.offset,
          .gradient = gradient + layer.parameters.offset};
}

ForwardOperands BatchNetwork::head_operands(std::byte* arena, const float* weights) const {
  const PlacedLayer& layer = network_.layers.back();
  return {.input = value(arena, layer.planned.inputs[0]), .weights = weights + layer.parameters.offset};
}

void BatchNetwork::run(const Stage& stage, const BackwardOperands& operands) {
  if (operands.context.slice == 0) return stage.operation->backward(operands);
  if (!stage.operation->traits().adds_weight_gradient) return run_and_add(stage, operands);
  BackwardOperands adding = operands;
  adding.adds_weight_gradient = true;
  stage.operation->backward(adding);
}

void BatchNetwork::run_and_add(const Stage& stage, BackwardOperands operands) {
  const PlacedLayer& layer = network_.layers[stage.first];
  const auto floats = static_cast<std::int64_t>(layer.parameters.size());
  float* const sum = std::exchange(operands.gradient, context_.layer_gradient.floats());
  stage.operation->backward(operands);
  if (floats > 0 && !layer.planned.keeps_tensors) cpu::accumulate(operands.gradient, sum, floats);
}

}  // namespace troupe::cpu
