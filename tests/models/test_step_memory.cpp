#include <doctest/doctest.h>
#include <malloc.h>

#include <fstream>
#include <memory>
#include <string>

#include "models/aligned.hpp"
#include "models/cpu/batch_network.hpp"
#include "models/network/device_network.hpp"
#include "support/patience.hpp"
#include "troupe/models.hpp"

using namespace troupe;

namespace {

/// Returns a number of bytes from /proc/self/status.
double status_of(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(name + ":")) return 1024 * std::stod(line.substr(name.size() + 1));
  return 0;
}

/// Makes the process's largest size so far its present size. Returns whether the system allows that.
bool forget_peak() {
  std::ofstream clear("/proc/self/clear_refs");
  return static_cast<bool>(clear << "5" << std::flush);
}

/// A language model with its batch. Its memory for values is not allocated before the first step.
struct Step {
  Step(std::int64_t samples, std::int64_t vocabulary)
      : batch(samples),
        plan(plan_network(
            models::gpt({.layers = 4, .heads = 4, .width = 128, .window = kWindow, .vocabulary = vocabulary}),
            std::vector{kWindow}, vocabulary, kWindow)),
        network(make_network(plan, loss, batch, {})),
        weights(network->size(), 0.01F),
        gradient(network->size()),
        tokens(static_cast<std::size_t>(batch * kWindow), 1.0F),
        labels(tokens.size(), 1) {}

  void run() { network->gradient({}, {batch, tokens, labels, {}}, weights, gradient); }

  std::size_t planned_bytes() const {
    const cpu::OneThread one_thread;
    cpu::Context context;
    const cpu::PlacedNetwork placed = cpu::place_network(context, plan, batch, Element::f32);
    const cpu::BatchNetwork all(context, placed, *loss, learning_values(plan), batch, Mode::train);
    return all.bytes() + context.bytes();
  }

  static constexpr std::int64_t kWindow = 128;
  std::shared_ptr<const Loss> loss = losses::softmax_cross_entropy();
  std::int64_t batch;
  NetworkPlan plan;
  std::unique_ptr<DeviceNetwork> network;
  AlignedFloats weights, gradient, tokens;
  std::vector<std::int32_t> labels;
};

}  // namespace

TEST_CASE("a step of a language model takes as much memory beside weights and gradient as planned" *
          doctest::skip(troupe_test::kSanitized)) {
  struct Size {
    std::int64_t samples;
    std::int64_t vocabulary;
  };
  Step(64, 74).run();  // loads code, and oneDNN keeps what it has made
  // The system may add a page of 2 MB, which is more than 2 % of small steps.
  for (const auto& [samples, vocabulary] : {Size{64, 74}, Size{100, 74}, Size{64, 50'257}}) {
    Step step(samples, vocabulary);
    const auto planned = static_cast<double>(step.planned_bytes());
    ::malloc_trim(0);
    if (!forget_peak()) return;
    const double before = status_of("VmRSS");
    step.run();
    const double grown = status_of("VmHWM") - before;
    INFO("planned: ", planned, ", grown: ", grown);
    CHECK(grown == doctest::Approx(planned).epsilon(0.02));
  }
}
