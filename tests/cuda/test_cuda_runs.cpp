#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "cuda/run_end.hpp"
#include "models/network/accelerators.hpp"
#include "support/temporary_folder.hpp"
#include "troupe/error.hpp"
#include "troupe/models.hpp"
#include "troupe/sgd.hpp"

// Whole runs whose replicas compute on CUDA devices.
using namespace troupe;
using troupe_test::nothing_is_left;

namespace {

constexpr int kSteps = 4;

ModelCreator small_cnn() {
  return ModelCreator([](const ReplicaContext& /*context*/) {
    return models::network({models::convolution(8, 3, 1), models::batch_norm(), models::relu(), models::max_pool(2),
                            models::flatten(), models::linear(10)},
                           load_data("mock-images:8,10", 1), 8);
  });
}

Options on_cuda(int workers, int devices_per_worker = 1) {
  Options options;
  options.num_workers = workers;
  options.devices_per_worker = devices_per_worker;
  options.num_shards = 12;
  options.use_cpus = false;
  options.verbose = false;
  return options;
}

std::vector<float> weights_after(const Options& options) {
  std::vector<float> weights;
  {
    DistributedSGD sgd(small_cnn(), options);
    for (int step = 0; step < kSteps; ++step) sgd.step();
    weights = sgd.weights();
  }
  CHECK(nothing_is_left());
  return weights;
}

}  // namespace

TEST_CASE("CUDA: any number of workers, replicas and devices gives the same bits") {
  cuda_double::reset({});
  const std::vector<float> expected = weights_after(on_cuda(1));
  for (const int devices : {1, 2, 3})
    for (const int workers : {1, 2, 3, 4}) {
      CAPTURE(devices);
      CAPTURE(workers);
      cuda_double::reset({.seed = static_cast<std::uint64_t>(10 * devices + workers), .devices = devices});
      CHECK(weights_after(on_cuda(workers)) == expected);
    }
  cuda_double::reset({.devices = 2});
  CHECK(weights_after(on_cuda(2, 3)) == expected);
  cuda_double::reset({});
}

TEST_CASE(
    "CUDA: gradients go from the device into the shards' slabs, and samples come, by memory whose pages are locked") {
  constexpr int kReplicas = 2;
  for (const bool locks_read_only : {false, true}) {
    cuda_double::reset({.locks_read_only = locks_read_only});
    {
      DistributedSGD sgd(small_cnn(), on_cuda(kReplicas));
      sgd.step();
      const std::int64_t before = cuda_double::pageable_copies();
      sgd.step();
      // The weights and statistics, which a replica only reads, where such memory cannot be locked.
      CHECK(cuda_double::pageable_copies() - before == (locks_read_only ? 0 : 2 * kReplicas));
    }
    CHECK(nothing_is_left());
  }
  cuda_double::reset({});
}

TEST_CASE("CUDA: a run is near the CPU's, and goes on from its checkpoint, and back") {
  cuda_double::reset({});
  Options on_cpu = on_cuda(2);
  on_cpu.use_cpus = true;
  const std::vector<float> expected = weights_after(on_cpu);
  const std::vector<float> found = weights_after(on_cuda(2));
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-4));

  const troupe_test::TemporaryFolder folder;
  for (const bool cpu_first : {false, true}) {
    Options options = cpu_first ? on_cpu : on_cuda(2);
    options.checkpoint.folder = (folder.path() / (cpu_first ? "cpu" : "cuda")).string();
    std::vector<float> weights;
    {
      DistributedSGD sgd(small_cnn(), options);
      for (int step = 0; step < 2; ++step) sgd.step();
      sgd.checkpoint();
      weights = sgd.weights();
    }
    options.use_cpus = !options.use_cpus;
    options.resume_from = options.checkpoint.folder;
    DistributedSGD sgd(small_cnn(), options);
    CHECK(sgd.weights() == weights);
    sgd.step();
  }
  CHECK(nothing_is_left());
}

TEST_CASE("CUDA: a search along a line and evaluations have the weights that they ask for") {
  cuda_double::reset({});
  const ModelCreator creator([](const ReplicaContext& /*context*/) {
    const TrainingData data = load_data("mock-images:8,10", 1);
    return models::network({models::flatten(), models::linear(10)}, {data.train, data.train}, 8);
  });
  const auto trace_of = [&](Options options) {
    options.algorithm = "lbfgs";
    DistributedSGD sgd(creator, options);
    std::vector<double> trace;
    for (int step = 0; step < 3; ++step) {
      sgd.step();
      for (int again = 0; again < 2; ++again) trace.push_back(sgd.evaluate().loss);
      for (const float weight : sgd.weights()) trace.push_back(weight);
    }
    return trace;
  };
  Options on_cpu = on_cuda(2);
  on_cpu.use_cpus = true;
  const std::vector<double> expected = trace_of(on_cpu);
  const std::vector<double> found = trace_of(on_cuda(2));
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-3));
  CHECK(nothing_is_left());
}

TEST_CASE("CUDA: what cannot be is said before a run starts") {
  const auto said = [](const Options& options) {
    try {
      DistributedSGD sgd(small_cnn(), options);
    } catch (const Error& error) {
      return std::string(to_string(error.code())) + ": " + error.message();
    }
    return std::string();
  };
  Options options = on_cuda(2);
  cuda_double::reset({.devices = 0});
  CHECK(said(options).find("unsupported: there is no CUDA device on this machine") == 0);
  cuda_double::reset({.no_driver = true});
  CHECK(said(options).find("unsupported: there is no NVIDIA driver") == 0);
  cuda_double::reset({.devices = 2});
  options.accelerator = 2;
  CHECK(said(options).find("unsupported: there is no CUDA device 2") == 0);
  options.use_cpus = true;
  CHECK(said(options).find("invalid_argument: accelerator is 2, and use_cpus is set") == 0);
  options.accelerator = -2;
  CHECK(said(options).find("invalid_argument: accelerator is -2") == 0);
  cuda_double::reset({});
}

TEST_CASE("CUDA: devices are listed by PCI id") {
  cuda_double::reset({.devices = 3});
  const Accelerators all = accelerators();
  REQUIRE(all.devices.size() == 3);
  CHECK(all.runtime == "13.0");
  for (std::size_t i = 1; i < 3; ++i) CHECK(all.devices[i - 1].pci < all.devices[i].pci);
  CHECK(all.devices[0].memory == std::size_t{1} << 30);
  CHECK(all.devices[0].capability == "9.0");
  cuda_double::reset({.no_driver = true});
  CHECK_THROWS_AS(accelerators(), Error);
  cuda_double::reset({});
}
