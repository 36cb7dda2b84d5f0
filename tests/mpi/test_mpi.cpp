#include <doctest/doctest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <vector>

#include "collectives/group/collective_trial.hpp"
#include "support/errors.hpp"
#include "support/patience.hpp"
#include "troupe/loop.hpp"
#include "troupe/models.hpp"
#include "troupe/task_context.hpp"
#include "troupe/trainer.hpp"

namespace troupe {
namespace {

using std::chrono::milliseconds;

StandaloneContext::Options over_mpi(milliseconds timeout = std::chrono::seconds(20)) {
  return {.config = {{"lr", 0.5}}, .backend = "mpi", .collective_timeout = timeout};
}

template <class Call>
std::optional<Error> error_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

/// Rank 1 calls `other` while the other ranks call an all_reduce of `count` floats. Returns the error of this rank, if
/// any.
template <class Other>
std::optional<Error> beside(std::size_t count, milliseconds timeout, Other other) {
  return error_of([&] {
    const StandaloneContext alone(over_mpi(timeout));
    here().barrier();
    if (here().rank() == 1) return other();
    std::vector<double> values(count);
    here().all_reduce(std::span<double>(values));
  });
}

TEST_CASE("a function over MPI sees its rank and the number of ranks") {
  const StandaloneContext alone(over_mpi());
  const TaskContext& place = here();
  CHECK(place.group().backend() == std::string("mpi"));
  CHECK_FALSE(place.in_worker());
  CHECK(place.config().at("lr") == 0.5);
  CHECK(place.local_rank() == place.rank());  // all ranks are on this machine
  CHECK_FALSE(place.node().empty());
  const std::int64_t size = place.world_size();
  CHECK(place.all_reduce(std::int64_t{1}) == size);
  CHECK(place.all_reduce(std::int64_t{place.rank()}) == size * (size - 1) / 2);
}

TEST_CASE("collectives over MPI produce the bits of the fixed tree") {
  const StandaloneContext alone(over_mpi(std::chrono::seconds(60)));
  for (const std::size_t count : {0, 1, 10, 4097, 1'000'000}) {
    CAPTURE(count);
    const auto error = error_of([&] { try_all_collectives(here().group(), count); });
    CHECK_MESSAGE(!error, (error ? error->what() : ""));
  }
}

TEST_CASE("NaN values propagate through collectives over MPI") {
  const StandaloneContext alone(over_mpi());
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> values(5000, here().rank() == here().world_size() - 1 ? nan : 1.0f);
  here().all_reduce(std::span<float>(values), ReduceOp::max);
  CHECK(std::isnan(values.front()));
  CHECK(std::isnan(values.back()));
}

TEST_CASE("ranks of MPI with different calls get an error that names the calls, and can continue afterwards") {
  const StandaloneContext alone(over_mpi());
  const int last = here().world_size() - 1;
  if (last == 0) return;
  const std::string node = " (" + here().node() + ")";
  const auto kinds = error_of([&] {
    std::vector<float> values(100);
    here().rank() == last ? here().barrier() : here().all_reduce(std::span<float>(values));
  });
  REQUIRE(kinds);
  CHECK(kinds->code() == ErrorCode::invalid_argument);
  CHECK(says(kinds, "rank " + std::to_string(last) + node + ": barrier at test_mpi.cpp:"));
  CHECK(says(kinds, "rank 0" + node));
  CHECK(says(kinds, ": all_reduce(100 f32, sum) at test_mpi.cpp:"));
  const auto lengths = error_of([&] {
    // Short vectors travel with the call, long vectors after it.
    std::vector<double> values(here().rank() == 0 ? 10 : 10'000);
    here().all_reduce(std::span<double>(values));
  });
  CHECK(says(lengths, "all_reduce(10 f64, sum)"));
  CHECK(says(lengths, "all_reduce(10000 f64, sum)"));
  const auto types =
      error_of([&] { here().rank() == 0 ? void(here().all_reduce(1.0)) : void(here().all_reduce(std::int64_t{1})); });
  CHECK(says(types, "all_reduce(1 i64, sum)"));
  const auto roots = error_of([&] {
    float value = 1;
    here().broadcast(std::span(&value, 1), here().rank());
  });
  CHECK(says(roots, "broadcast(1 f32, root 0)"));
  const auto then = error_of([&] { try_all_collectives(here().group(), 10); });
  CHECK_MESSAGE(!then, (then ? then->what() : ""));
}

/// Forms a new group after an error on all ranks. Returns whether this rank is the only one.
bool is_alone() {
  const StandaloneContext alone(over_mpi());
  const int size = here().world_size();
  CHECK(here().all_reduce(std::int64_t{1}) == size);
  return size == 1;
}

TEST_CASE("an error on all other ranks names the MPI rank that returned or threw, and a new group can form") {
  for (const std::size_t count : {10, 1'000'000}) {
    const auto returned = beside(count, std::chrono::seconds(20), [] {});
    if (is_alone()) return;
    const auto threw = beside(count, std::chrono::seconds(20), [] { throw Error(ErrorCode::bad_data, "out of luck"); });
    is_alone();
    const StandaloneContext alone(over_mpi());
    if (here().rank() == 1) {
      CHECK_FALSE(returned);
      CHECK(says(threw, "out of luck"));
      continue;
    }
    REQUIRE(returned);
    CHECK(returned->code() == ErrorCode::model_failed);
    CHECK(says(returned, "rank 1 (" + here().node() + ") has returned from its function"));
    CHECK(returned->where().worker == 1);
    CHECK(returned->where().phase == "all_reduce");
    CHECK(says(threw, "rank 1 (" + here().node() + ") was left by an exception"));
  }
}

TEST_CASE("a timeout on all other ranks names the MPI rank that hangs and its last call") {
  // Each rank with an error creates a file in this folder. The ranks find the folder by their common parent process.
  namespace fs = std::filesystem;
  const fs::path marks = fs::temp_directory_path() / ("troupe-mpi-" + std::to_string(::getppid()));
  fs::create_directory(marks);
  const auto told = [&] { return std::distance(fs::directory_iterator(marks), fs::directory_iterator()); };
  bool hangs = false;
  const auto error = beside(1, milliseconds(2000), [&] {
    hangs = true;
    troupe_test::comes_true([&] { return told() + 1 >= here().world_size(); });
    here().all_reduce(1.0);  // too late: this call or the next one reports that no rank waits any more
    here().barrier();
  });
  if (!hangs) std::ofstream(marks / std::to_string(::getpid())).put('.');
  const bool alone = is_alone();
  std::error_code ignored;  // all ranks remove the folder
  fs::remove_all(marks, ignored);
  if (alone) return;
  REQUIRE(error);
  CHECK(error->code() == ErrorCode::timeout);
  CHECK(says(error, ") did not arrive in time; last call: barrier at test_mpi.cpp:"));
  CHECK(error->where().worker == 1);
  const auto after = error_of([] { here().all_reduce(1.0); });
  CHECK_FALSE(after);  // outside of the group, a rank is a group of one
}

TEST_CASE("all ranks of MPI get the checkpoint that rank 0 saves") {
  const StandaloneContext alone(over_mpi());
  here().save_checkpoint({{"from", here().rank()}}, {{.name = "weights", .shape = {3}, .values = {1, 2, 3}}});
  const auto checkpoint = alone.last_checkpoint();
  REQUIRE(checkpoint);
  CHECK(checkpoint->state.at("from") == 0);
  CHECK(checkpoint->number == 1);
  CHECK(checkpoint->tensors.at(0).values == std::vector<float>{1, 2, 3});
}

TaskResult learn() {
  const auto model = accelerate("linear");
  GroupSGD optimizer{model, here().group(), Sgd{.learning_rate = 0.05, .momentum = 0.9}, {.seed = 3}};
  for (int i = 0; i < 20; ++i) optimizer.step();
  const std::vector<float> weights = optimizer.weights();
  return {.tensors = {{"weights", {static_cast<std::int64_t>(weights.size())}, weights}}};
}

TEST_CASE("a function over MPI and on the workers of a trainer learns bitwise identical weights") {
  const StandaloneContext alone(over_mpi());
  const std::vector<float> over_mpi = learn().tensors.at(0).values;
  if (here().rank() == 0) {
    Trainer trainer{{.num_workers = here().world_size()}};
    const std::vector<float> in_trainer = trainer.run(learn).at(0).tensors.at(0).values;
    CHECK(troupe_test::same_bits<float>(over_mpi, in_trainer));
    CHECK(over_mpi.size() > 1);
  }
  here().barrier();
}

TEST_CASE("a process can be in only one MPI group at a time") {
  const StandaloneContext alone(over_mpi());
  const auto second = error_of([] { const StandaloneContext another(over_mpi()); });
  CHECK(says(second, "already in an MPI group"));
  here().barrier();
}

TEST_CASE("mpi is the only backend outside of a trainer") {
  const auto error = error_of([] { const StandaloneContext alone({.backend = "nccl"}); });
  CHECK(says(error, "backend is 'nccl'"));
}

}  // namespace
}  // namespace troupe
