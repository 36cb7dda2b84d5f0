#include "models/devices/buffer_schedule.hpp"

#include <algorithm>

namespace troupe {

namespace {

class Scheduler {
 public:
  Scheduler(const std::vector<PlannedStage>& stages, const std::vector<std::size_t>& value_bytes,
            const std::vector<bool>& learns)
      : stages_(stages), value_bytes_(value_bytes), learns_(learns), gradients_(learns.size()) {}

  BufferSchedule run(Mode mode) {
    add_values();
    if (mode == Mode::train) {
      keep_values();
      add_gradients();
    }
    return std::move(schedule_);
  }

 private:
  int forward_time(std::size_t stage) const { return static_cast<int>(stage); }
  int loss_time() const { return static_cast<int>(stages_.size()); }
  int backward_time(std::size_t stage) const { return 2 * loss_time() - static_cast<int>(stage); }

  const std::vector<int>& inputs(std::size_t stage) const { return stages_[stage].inputs; }
  int output(std::size_t stage) const { return stages_[stage].output; }
  std::size_t bytes(int value) const { return value_bytes_[static_cast<std::size_t>(value)]; }
  bool learns(int value) const { return learns_[static_cast<std::size_t>(value)]; }

  int add_buffer(int value, int time) {
    schedule_.buffers.push_back({bytes(value), time, time});
    return static_cast<int>(schedule_.buffers.size()) - 1;
  }
  void use(int buffer, int time) {
    Lifetime& lifetime = schedule_.buffers[static_cast<std::size_t>(buffer)];
    lifetime.last = std::max(lifetime.last, time);
  }

  /// Adds one buffer for each value, in the order of the values. A value between two layers of the same stage needs no
  /// memory, so its buffer is empty.
  void add_values() {
    for (std::size_t value = 0; value < learns_.size(); ++value) schedule_.buffers.push_back({});
    const auto add = [&](int value, int time) {
      schedule_.buffers[static_cast<std::size_t>(value)] = {bytes(value), time, time};
    };
    add(0, 0);
    for (std::size_t stage = 0; stage < stages_.size(); ++stage) {
      add(output(stage), forward_time(stage));
      for (const int value : inputs(stage)) use(value, forward_time(stage));
    }
    use(output(stages_.size() - 1), loss_time());
  }

  void keep_values() {
    for (std::size_t stage = 0; stage < stages_.size(); ++stage) {
      const StageTraits& traits = stages_[stage].traits;
      if (traits.reads_input) use(inputs(stage).front(), backward_time(stage));
      if (traits.reads_output) use(output(stage), backward_time(stage));
    }
  }

  void add_gradients() {
    const int scores = output(stages_.size() - 1);
    schedule_.scores_gradient = add_buffer(scores, loss_time());
    gradients(scores).push_back(schedule_.scores_gradient);
    for (std::size_t stage = stages_.size(); stage-- > 0;)
      if (learns(output(stage))) add_backward(stage);
  }

  void add_backward(std::size_t stage) {
    const StageTraits& traits = stages_[stage].traits;
    const int time = backward_time(stage);
    const std::vector<int>& arrived = gradients(output(stage));
    for (const int buffer : arrived) use(buffer, time);
    BackwardStep step;
    step.stage = stage;
    step.output_gradient = arrived.front();
    const bool two = traits.takes_two_gradients && arrived.size() > 1;
    if (two) step.second_gradient = arrived[1];
    step.more_gradients.assign(arrived.begin() + (two ? 2 : 1), arrived.end());

    const std::vector<int>& from = inputs(stage);
    if (learns(from[0])) {
      step.adds_input_gradient = traits.adds_input_gradient && !gradients(from[0]).empty();
      if (step.adds_input_gradient) {
        step.input_gradient = gradients(from[0]).front();
        use(step.input_gradient, time);
      } else {
        step.input_gradient = traits.input_gradient_in_place ? step.output_gradient : add_buffer(from[0], time);
        gradients(from[0]).push_back(step.input_gradient);
      }
    }
    if (from.size() > 1 && learns(from[1])) gradients(from[1]).push_back(step.output_gradient);
    schedule_.backward.push_back(std::move(step));
  }

  /// Returns the numbers of the buffers with the gradients of a value: one from each stage that reads the value. The
  /// gradient of the last stage is the first element.
  std::vector<int>& gradients(int value) { return gradients_[static_cast<std::size_t>(value)]; }

  const std::vector<PlannedStage>& stages_;
  const std::vector<std::size_t>& value_bytes_;
  const std::vector<bool>& learns_;
  std::vector<std::vector<int>> gradients_;
  BufferSchedule schedule_;
};

}  // namespace

BufferSchedule make_buffer_schedule(const std::vector<PlannedStage>& stages,
                                    const std::vector<std::size_t>& value_bytes, const std::vector<bool>& learns,
                                    Mode mode) {
  return Scheduler(stages, value_bytes, learns).run(mode);
}

std::vector<bool> learning_values(const NetworkPlan& plan) {
  std::vector<bool> learns(plan.layers.size() + 1, false);
  for (std::size_t i = 0; i < plan.layers.size(); ++i) {
    const auto learning = [&](int value) { return learns[static_cast<std::size_t>(value)]; };
    const PlannedLayer& layer = plan.layers[i];
    const bool learns_itself = (layer.weights >= 0 || layer.shares >= 0) && !layer.keeps_tensors;
    learns[i + 1] = learns_itself || std::ranges::any_of(plan.layers[i].inputs, learning);
  }
  return learns;
}

}  // namespace troupe
