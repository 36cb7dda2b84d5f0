#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <future>
#include <mutex>
#include <string>
#include <vector>

#include "actors/placements/local/store_memory.hpp"
#include "actors/test_models.hpp"
#include "models/data/shared/shared_memory.hpp"
#include "models/files.hpp"
#include "runtime/store/object_store.hpp"
#include "support/errors.hpp"

// Tests of data that are in a machine's memory once, for any number of worker processes.
using namespace troupe;
using troupe::testing::read_file;
using troupe::testing::TemporaryFolder;
using troupe_test::kPlacements;
using troupe_test::quiet_options;

namespace {

constexpr std::byte kByte{5};

Options on(const std::string& file, Placement placement, int workers) {
  Options options = quiet_options(placement, workers);
  options.config = R"({"batch_size": 5, "data": "loaded:)" + file + "\"}";
  options.num_shards = 3;
  return options;
}

}  // namespace

TEST_CASE("worker processes load data once, with results bitwise identical to one process") {
  const TemporaryFolder folder;
  std::vector<float> weights;
  std::size_t files = 0;
  for (const Placement placement : kPlacements)
    for (const int workers : {1, 3}) {
      const std::string file = folder / ("made" + std::to_string(files++));
      DistributedSGD sgd("softmax", on(file, placement, workers));
      for (int step = 0; step < 5; ++step) sgd.step();
      CHECK(sgd.evaluate().samples == 30);
      CHECK(read_file(file).size() == 1);
      if (weights.empty()) weights = sgd.weights();
      CHECK(sgd.weights() == weights);
    }
}

TEST_CASE("the replacement of a worker uses the data that are already loaded") {
  const TemporaryFolder folder;
  const std::string file = folder / "made";
  Options options = on(file, Placement::processes, 3);
  options.fault_tolerance.faults = {testing::KillWorker{.worker = 0, .step = 2}};
  options.fault_tolerance.max_failures = 1;
  DistributedSGD sgd("softmax", options);
  std::size_t repairs = 0;
  for (int step = 0; step < 5; ++step) repairs += sgd.step().repairs.size();
  CHECK(repairs == 1);
  CHECK(read_file(file).size() == 1);
}

TEST_CASE("if data cannot be loaded, all workers that wait for the data get the error") {
  const TemporaryFolder folder;
  const std::string file = folder / "fails";
  CHECK(code_of([&] { DistributedSGD("softmax", on(file, Placement::processes, 3)); }) == ErrorCode::bad_file);
}

TEST_CASE("if a process is killed while it loads data, the waiting processes do not fail") {
  const TemporaryFolder folder;
  const std::string file = folder / "kills";
  Options options = on(file, Placement::processes, 3);
  try {
    DistributedSGD sgd("softmax", options);
    sgd.step();
    CHECK(read_file(file).size() == 2);
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::worker_lost);
  }
}

TEST_CASE("data that is released and requested at the same time is found or created again") {
  ObjectStore store(1 << 20);
  const auto memory = make_store_memory(store.connect());
  const auto content = [] {
    return SharedMemory::Content{kPageBytes, [](std::span<std::byte> bytes) { std::ranges::fill(bytes, kByte); }};
  };
  std::mutex asking;  // a process requests data from one thread at a time, but may release data at any time
  const auto ask = [&] {
    const std::lock_guard lock(asking);
    return memory->once(7, content);
  };
  const auto wrong_rounds = [&] {
    int wrong = 0;
    for (int round = 0; round < 50; ++round) {
      const SharedBytes held = ask();
      const bool right = held.bytes.empty() || (held.bytes.size() == kPageBytes && held.bytes.back() == kByte);
      wrong += right ? 0 : 1;
    }
    return wrong;
  };
  auto other = std::async(std::launch::async, wrong_rounds);
  CHECK(wrong_rounds() == 0);
  CHECK(other.get() == 0);
}
