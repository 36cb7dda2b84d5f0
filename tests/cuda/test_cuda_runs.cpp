#include <cuda_runtime_api.h>
#include <doctest/doctest.h>

#include <set>
#include <string>

#include "cuda/pci.hpp"
#include "cuda/run_end.hpp"
#include "gpu/device_runs.hpp"
#include "models/network/accelerators.hpp"
#include "support/temporary_folder.hpp"
#include "troupe/error.hpp"
#include "troupe/models.hpp"
#include "troupe/predictor.hpp"
#include "troupe/sgd.hpp"

// Whole runs with replicas on CUDA devices, and properties that only the double shows.
using namespace troupe;
using troupe_test::nothing_is_left;
using troupe_test::on_cuda;
using troupe_test::pci_of;
using troupe_test::TemporaryFolder;
using troupe_test::weights_after_steps;

namespace {

std::vector<float> weights_after(const Options& options) {
  std::vector<float> weights = weights_after_steps(options);
  CHECK(nothing_is_left());
  return weights;
}

}  // namespace

TEST_CASE("CUDA: any number of workers, replicas and devices gives bitwise identical results") {
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

TEST_CASE("CUDA: gradients, weights and samples are copied from and to page-locked memory") {
  constexpr int kReplicas = 2;
  for (const bool locks_read_only : {false, true}) {
    cuda_double::reset({.locks_read_only = locks_read_only});
    {
      DistributedSGD sgd("small-cnn", on_cuda(kReplicas));
      sgd.step();
      const std::int64_t before = cuda_double::pageable_copies();
      sgd.step();
      CHECK(cuda_double::pageable_copies() == before);
    }
    CHECK(nothing_is_left());
  }
  cuda_double::reset({});
}

TEST_CASE("CUDA: a Predictor copies its weights to the device only once") {
  cuda_double::reset({});
  {
    const TemporaryFolder folder;
    const std::string path = folder / "w.safetensors";
    {
      DistributedSGD sgd("small-cnn", on_cuda(1));
      sgd.save(path);
    }
    const Predictor predictor(path, {.device = troupe::Device::cuda});
    const std::vector<float> samples(static_cast<std::size_t>(predictor.data().sample_size()), 0.5F);
    predictor.outputs(samples);
    const std::int64_t before = cuda_double::bytes_to_device();
    predictor.outputs(samples);
    CHECK(cuda_double::bytes_to_device() - before == static_cast<std::int64_t>(samples.size() * sizeof(float)));
  }
  CHECK(nothing_is_left());
}

TEST_CASE("CUDA: slow samples are read ahead into page-locked memory") {
  class Slow final : public DataSource {
   public:
    explicit Slow(std::shared_ptr<const DataSource> data) : DataSource(slow(data->info())), data_(std::move(data)) {}

   private:
    static DataInfo slow(DataInfo info) {
      info.slow = true;
      return info;
    }
    void read(const BatchRequest& request) const override { data_->fill(request); }

    std::shared_ptr<const DataSource> data_;
  };
  cuda_double::reset({});
  const ModelCreator creator([](const ReplicaContext& /*context*/) {
    const auto slow = std::make_shared<const Slow>(load_data("mock-images:8,10", 1).train);
    return models::network({models::flatten(), models::linear(10)}, {slow, nullptr}, 8);
  });
  {
    DistributedSGD sgd(creator, on_cuda(2));
    sgd.step();
    const std::int64_t before = cuda_double::pageable_copies();
    for (int step = 0; step < 5; ++step) sgd.step();
    CHECK(cuda_double::pageable_copies() == before);
  }
  CHECK(nothing_is_left());
  cuda_double::reset({});
}

TEST_CASE("CUDA: line searches and evaluations use the right weights") {
  cuda_double::reset({});
  const ModelCreator creator([](const ReplicaContext& /*context*/) {
    const TrainingData data = load_data("mock-images:8,10", 1);
    return models::network({models::flatten(), models::linear(10)}, {data.train, data.train}, 8);
  });
  const auto trace_of = [&](Options options) {
    options.algorithm = Lbfgs();
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
  on_cpu.compute.device = troupe::Device::cpu;
  const std::vector<double> expected = trace_of(on_cpu);
  const std::vector<double> found = trace_of(on_cuda(2));
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-3));
  CHECK(nothing_is_left());
}

TEST_CASE("CUDA: replicas are assigned to the devices in the order of their PCI ids") {
  constexpr int kDevices = 3;
  cuda_double::reset({.devices = kDevices});
  // Returns the memory that a run with `replicas` replicas uses on each device, which shows their assignment.
  const auto used = [](int replicas, int accelerator) {
    Options options = on_cuda(replicas);
    options.compute.device_number = accelerator;
    DistributedSGD sgd("small-cnn", options);
    sgd.step();
    std::vector<std::int64_t> bytes;
    for (int device = 0; device < kDevices; ++device) bytes.push_back(cuda_double::bytes_on_device(device));
    return bytes;
  };
  std::vector<int> order;  // the double's device numbers, in the order of PCI ids
  for (const Accelerator& each : accelerators().devices)
    for (int device = 0; device < kDevices; ++device)
      if (each.pci == pci_of(device)) order.push_back(device);
  REQUIRE(order.size() == kDevices);
  CHECK(order != std::vector<int>{0, 1, 2});
  const std::int64_t one = used(1, 0)[static_cast<std::size_t>(order[0])];
  REQUIRE(one > 0);
  const auto replicas_on = [&](const std::vector<std::int64_t>& bytes, int place) {
    return (bytes[static_cast<std::size_t>(order[static_cast<std::size_t>(place)])] + one / 2) / one;
  };
  for (const int replicas : {1, 2, 3, 4, 7}) {
    CAPTURE(replicas);
    const std::vector<std::int64_t> bytes = used(replicas, -1);
    for (int place = 0; place < kDevices; ++place)
      CHECK(replicas_on(bytes, place) == (replicas + kDevices - 1 - place) / kDevices);
  }
  CHECK(replicas_on(used(2, 2), 2) == 2);
  CHECK(nothing_is_left());
  cuda_double::reset({});
}

TEST_CASE("CUDA: replicas on devices of different names are refused") {
  cuda_double::reset({.devices = 2, .names_differ = true});
  try {
    DistributedSGD sgd("small-cnn", on_cuda(2));
    FAIL("the devices were accepted");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::model_mismatch);
    CHECK(error.message().find("Double 0") != std::string::npos);
    CHECK(error.message().find("Double 1") != std::string::npos);
  }
  CHECK(nothing_is_left());
  Options options = on_cuda(2);
  options.compute.device_number = 1;
  CHECK(weights_after(options) == weights_after(options));
  cuda_double::reset({});
}

TEST_CASE("CUDA: if any call of a run fails, the run reports an error or computes bitwise identical results") {
  Options options = on_cuda(2);
  options.fault_tolerance.max_failures = 0;
  const auto run = [&] {
    DistributedSGD sgd("small-cnn", options);
    for (int step = 0; step < 2; ++step) sgd.step();
    return sgd.weights();
  };
  cuda_double::reset({});
  const std::vector<float> expected = run();
  const std::int64_t calls = cuda_double::calls();
  REQUIRE(calls > 500);
  std::set<std::string> phases;
  constexpr std::int64_t kTries = 97;
  for (std::int64_t i = 0; i < kTries; ++i) {
    const std::int64_t call = i * (calls - 1) / (kTries - 1);
    CAPTURE(call);
    cuda_double::reset({.failing_call = call});
    try {
      // The run succeeds although a page lock or a release failed.
      const std::vector<float> found = run();
      CHECK(found == expected);
    } catch (const Error& error) {
      const bool memory = cuda_double::failed() == cuda_double::Failed::memory;
      CHECK_MESSAGE(error.code() == (memory ? ErrorCode::limit_reached : ErrorCode::system), error.what());
      CHECK_MESSAGE(error.where().worker >= 0, error.what());
      CHECK_MESSAGE(!error.where().phase.empty(), error.what());
      phases.insert(error.where().phase);
    }
    CHECK(troupe_test::comes_true([&] {
      cuda_double::Usage usage = cuda_double::usage();
      // Memory that a failed device does not release stays mapped and counts as locked.
      if (cuda_double::failed() == cuda_double::Failed::device) usage.pinned_ranges = 0;
      return usage == cuda_double::Usage{};
    }));
  }
  CHECK(phases.contains("compute"));
  cuda_double::reset({});
}

TEST_CASE("CUDA: invalid options are refused before a run starts") {
  const auto said = [](const Options& options) {
    try {
      DistributedSGD sgd("small-cnn", options);
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
  options.compute.device_number = 2;
  CHECK(said(options).find("unsupported: there is no CUDA device 2") == 0);
  options.compute.device = troupe::Device::cpu;
  CHECK(said(options).find("invalid_argument: device_number is 2, and the device is the CPU") == 0);
  options.compute.device_number = -1;
  options.compute.tf32 = true;
  CHECK(said(options).find("invalid_argument: tf32 is for CUDA devices") == 0);
  options.compute.device_number = -2;
  CHECK(said(options).find("invalid_argument: device_number is -2") == 0);
  cuda_double::reset({});
}

TEST_CASE("CUDA: devices are listed by PCI id") {
  cuda_double::reset({.devices = 3});
  const Accelerators all = accelerators();
  REQUIRE(all.devices.size() == 3);
  CHECK(all.runtime == "13.0");
  CHECK(accelerator_count() == 3);
  for (std::size_t i = 1; i < 3; ++i) CHECK(all.devices[i - 1].pci < all.devices[i].pci);
  CHECK(all.devices[0].memory == std::size_t{1} << 30);
  CHECK(all.devices[0].capability == "9.0");
  cuda_double::reset({.no_driver = true});
  CHECK_THROWS_AS(accelerators(), Error);
  CHECK(accelerator_count() == 0);
  cuda_double::reset({});
}
