#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "gpu/device_runs.hpp"
#include "support/captured_errors.hpp"
#include "support/optimizers.hpp"
#include "support/small_gpt.hpp"
#include "support/temporary_folder.hpp"

// Whole runs on CUDA devices: the double or a GPU, depending on the linked libraries.
using namespace troupe;
using troupe_test::on_cuda;
using troupe_test::weights_after_steps;

TEST_CASE("CUDA: workers, replicas and processes give bitwise identical results for each precision and optimizer") {
  for (const Precision precision : {Precision::f32, Precision::bf16})
    for (const char* const kind : {"sgd", "adam", "signs"}) {
      CAPTURE(to_string(precision));
      CAPTURE(kind);
      const auto run = [&](int workers, int devices_per_worker, Placement placement) {
        Options options = on_cuda(workers, devices_per_worker);
        options.compute.precision = precision;
        options.compute.precision_check = false;
        options.placement = placement;
        edit(options)->kind = kind;
        if (settings_of(options).kind == "sgd") edit(options)->momentum = 0.9;
        return weights_after_steps(options);
      };
      const std::vector<float> expected = run(1, 1, Placement::in_process);
      CHECK(run(3, 1, Placement::in_process) == expected);
      CHECK(run(2, 2, Placement::in_process) == expected);
      CHECK(run(2, 1, Placement::processes) == expected);
    }
}

TEST_CASE("CUDA: a language model has bitwise identical weights for workers, replicas and processes, and learns") {
  for (const int micro_batch : {0, 3}) {
    CAPTURE(micro_batch);
    const auto options_of = [&](int workers, int devices_per_worker, Placement placement) {
      Options options = on_cuda(workers, devices_per_worker);
      options.num_shards = 4;
      options.placement = placement;
      options.optimizer = AdamW{.learning_rate = 0.01, .weight_decay = 0.1};
      options.config = troupe_test::gpt_config(/*dropout=*/0.1, micro_batch);
      return options;
    };
    const Options options = options_of(1, 1, Placement::in_process);
    const std::vector<float> expected = troupe_test::gpt_after(options, 4);
    for (const Options& other : {options_of(3, 1, Placement::in_process), options_of(2, 2, Placement::in_process),
                                 options_of(2, 1, Placement::processes)})
      CHECK(troupe_test::gpt_after(other, 4) == expected);
    DistributedSGD sgd("gpt", options);
    const double first = sgd.step().loss;
    for (int step = 0; step < 30; ++step) sgd.step();
    CHECK(sgd.evaluate().loss < 0.8 * first);
  }
}

TEST_CASE("CUDA: a run rounds to TensorFloat-32 only if it is enabled") {
  Options options = on_cuda(2);
  options.num_shards = 2;
  const auto weights_of = [](const Options& at) { return weights_after_steps(at, 2, "wide-cnn"); };
  const std::vector<float> exact = weights_of(options);
  options.compute.tf32 = true;
  const std::vector<float> rounded = weights_of(options);
  CHECK(rounded != exact);
  const float largest = std::abs(*std::ranges::max_element(exact, {}, [](float value) { return std::abs(value); }));
  bool close = true;
  for (std::size_t i = 0; i < exact.size(); ++i) close = close && std::abs(rounded[i] - exact[i]) < 0.01F * largest;
  CHECK(close);
  options.compute.precision = Precision::bf16;
  options.compute.precision_check = false;
  const std::vector<float> bf16 = weights_of(options);
  options.compute.tf32 = false;
  CHECK(weights_of(options) == bf16);
}

TEST_CASE("CUDA: a run gives results near the CPU's, and a CPU run can resume from its checkpoint and vice versa") {
  Options on_cpu = on_cuda(2);
  on_cpu.compute.device = Device::cpu;
  const std::vector<float> expected = weights_after_steps(on_cpu);
  const std::vector<float> found = weights_after_steps(on_cuda(2));
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-4));

  const troupe_test::TemporaryFolder folder;
  for (const bool cpu_first : {false, true}) {
    Options options = cpu_first ? on_cpu : on_cuda(2);
    options.checkpoint.folder = (folder.path() / (cpu_first ? "cpu" : "cuda")).string();
    std::vector<float> weights;
    {
      DistributedSGD sgd("small-cnn", options);
      for (int step = 0; step < 2; ++step) sgd.step();
      sgd.checkpoint();
      weights = sgd.weights();
    }
    options.compute.device = options.compute.device == Device::cpu ? Device::cuda : Device::cpu;
    options.checkpoint.resume = true;
    const troupe_test::CapturedErrors errors;
    DistributedSGD sgd("small-cnn", options);
    CHECK(sgd.weights() == weights);
    CHECK(errors.text().find(cpu_first ? " computed by onednn-" : " computed by cuda") != std::string::npos);
    CHECK(errors.text().find(": from here on the results are not bitwise identical") != std::string::npos);
    sgd.step();
  }
}

TEST_CASE("CUDA: copies that overlap computation give bitwise the result of one worker, with many buckets of weights") {
  const auto weights = [](int workers) {
    Options options = on_cuda(workers);
    options.num_shards = 2;
    options.config = R"({"data": "mock-images:32,10", "batch_size": 2})";
    options.compute.precision = Precision::bf16;
    options.compute.precision_check = false;
    DistributedSGD sgd("resnet18", options);
    const StepReport report = sgd.step();
    CHECK(report.bytes_over_bus > 2 * 4 * static_cast<std::int64_t>(sgd.weights().size()));
    return sgd.weights();
  };
  const std::vector<float> expected = weights(1);
  CHECK(weights(2) == expected);
}
