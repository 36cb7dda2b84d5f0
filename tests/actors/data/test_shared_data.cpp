#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "actors/test_models.hpp"
#include "models/files.hpp"
#include "support/errors.hpp"

// Data that lies in a machine's memory once, however many worker processes use it.
using namespace troupe;
using troupe::testing::read_file;
using troupe::testing::TemporaryFolder;
using troupe_test::kPlacements;
using troupe_test::quiet_options;

namespace {

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
  options.faults = "kill worker 0 at step 2";
  options.max_failures = 1;
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
