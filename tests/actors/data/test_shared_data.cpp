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

// Data that lies in a machine's memory once, however many worker processes use it.
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

TEST_CASE("worker processes load data once, to the same bits as one process") {
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

TEST_CASE("a worker that takes the place of another one takes data that is there") {
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

TEST_CASE("data that cannot be loaded is the error of who tried, and of all who waited") {
  const TemporaryFolder folder;
  const std::string file = folder / "fails";
  CHECK(code_of([&] { DistributedSGD("softmax", on(file, Placement::processes, 3)); }) == ErrorCode::bad_file);
}

TEST_CASE("a process that is killed while it loads what others wait for is none of theirs") {
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

TEST_CASE("data that a process lets go of while it asks for it again is found, or made anew") {
  ObjectStore store(1 << 20);
  const auto memory = make_store_memory(store.connect());
  const auto content = [] {
    return SharedMemory::Content{kPageBytes, [](std::span<std::byte> bytes) { std::ranges::fill(bytes, kByte); }};
  };
  std::mutex asking;  // a process asks for one thing once at a time, and lets go of it whenever
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
