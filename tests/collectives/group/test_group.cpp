#include <doctest/doctest.h>

#include <atomic>
#include <latch>
#include <limits>
#include <thread>

#include "collectives/group/collective_trial.hpp"
#include "collectives/group/ranks.hpp"
#include "support/patience.hpp"

namespace troupe {
namespace {

using std::chrono::milliseconds;

TEST_CASE("collectives produce the bits of the fixed tree for any number of ranks, length and type") {
  for (const std::size_t ranks : {1, 2, 3, 4, 7})
    for (const NodeOfRank& nodes : places_of(ranks))
      for (const std::size_t count : {0, 1, 10, 4097, 300'000}) {
        CAPTURE(text_of(nodes));
        CAPTURE(count);
        // The other numbers of ranks cover the shapes.
        if (troupe_test::kSanitized && count == 300'000 && ranks == 3) continue;
        run_ranks_well(nodes, [&](Group& group) { try_all_collectives(group, count); });
      }
}

TEST_CASE("collectives produce the bits of the fixed tree for many ranks, many chunks and a short last chunk") {
  const std::size_t many = 3 * (std::size_t{1} << 20) + 5;  // chunks have 4 MB or 1 MB
  for (const NodeOfRank& nodes : {NodeOfRank{0, 0, 0}, NodeOfRank{0, 1, 1}})
    run_ranks_well(nodes, [&](Group& group) {
      trial_number = 0;
      for (int i = 0; i < 2; ++i) {
        try_all_reduce<float>(group, many, ReduceOp::sum, i > 0);
        try_all_gather<float>(group, many, i > 0);
      }
      try_reduce_scatter<float>(group, many, ReduceOp::sum, false);
      try_copies<std::int64_t>(group, many / 2);
    });
  run_ranks_well({0, 1, 1, 1, 2, 2, 3}, [](Group& group) {  // blocks that 7 ranks do not divide
    trial_number = 0;
    try_reductions<double>(group, 600'000, ReduceOp::mean);
  });
  NodeOfRank spread;  // 70 ranks on 9 nodes
  for (std::int32_t rank = 0; rank < 70; ++rank) spread.push_back(rank / 8);
  for (const std::size_t count : {3, 9000})
    run_ranks_well(spread, [&](Group& g) { try_all_of_type<double>(g, count); });
}

TEST_CASE("after a failed collective, a rank gets an error from every later one") {
  for (const NodeOfRank& nodes : places_of(3)) {
    CAPTURE(text_of(nodes));
    std::atomic<bool> tried{false};
    const auto errors = run_ranks(nodes, [&](Group& group) {
      group.barrier();
      if (group.rank() == 1) return;  // before the collective
      std::vector<float> values(100, 1.0f);
      for (int i = 0; i < 5 && group.rank() == 0; ++i) {
        std::string said;
        try {
          group.all_reduce(std::span<float>(values));
        } catch (const Error& error) {
          said = error.what();
        }
        require(said.find("rank 1 (node 1) has returned from its function") != std::string::npos, said);
      }
      if (group.rank() == 0) tried = true;
      while (!tried) std::this_thread::yield();
      if (group.rank() == 2) group.all_reduce(std::span<float>(values));
    });
    CHECK_FALSE(errors[0]);
    REQUIRE(errors[2]);
    CHECK(errors[2]->code() == ErrorCode::model_failed);
  }
}

TEST_CASE("a group without other ranks has size 1") {
  Group group;
  CHECK(group.rank() == 0);
  CHECK(group.size() == 1);
  CHECK(group.backend() == std::string("alone"));
  try_all_collectives(group, 10);
}

TEST_CASE("parts tile a vector") {
  run_ranks_well({0, 0, 0}, [](Group& group) {
    for (const std::size_t count : {0, 1, 2, 3, 10}) {
      std::size_t end = 0;
      for (int rank = 0; rank < 3; ++rank) {
        const Group::Part part = group.part_of(count, rank);
        require(part.begin == end && part.size() <= group.part_of(count, 0).size(), "parts");
        end = part.end;
      }
      require(end == count, "the end");
    }
  });
}

TEST_CASE("NaN values propagate through sums and maxima") {
  for (const NodeOfRank& nodes : places_of(3))
    run_ranks_well(nodes, [](Group& group) {
      const float nan = std::numeric_limits<float>::quiet_NaN();
      for (const ReduceOp op : {ReduceOp::sum, ReduceOp::max}) {
        std::vector<float> values(5000, group.rank() == 1 ? nan : 1.0f);
        group.all_reduce(std::span<float>(values), op);
        require(std::isnan(values.front()) && std::isnan(values.back()), "NaN is lost");
      }
    });
}

TEST_CASE("ranks with different calls get an error that names the calls, and can continue afterwards") {
  const auto differ = [](Group& group) {
    std::vector<float> values(100);
    std::string said;
    try {
      group.rank() == 1 ? group.barrier() : group.all_reduce(std::span<float>(values));
    } catch (const Error& error) {
      require(error.code() == ErrorCode::invalid_argument, "the code");
      said = error.what();
    }
    require(said.find("rank 1 (node 1): barrier at test_group.cpp:") != std::string::npos, said);
    require(
        said.find("rank 0 (node 0), rank 2 (node 2): all_reduce(100 f32, sum) at test_group.cpp:") != std::string::npos,
        said);
    try_all_collectives(group, 10);
  };
  for (const NodeOfRank& nodes : places_of(3)) run_ranks_well(nodes, differ);
}

TEST_CASE("ranks with different lengths, types, operations or roots get an error that names the calls") {
  using Call = std::function<void(Group&)>;
  const auto lengths = [](Group& group) {
    std::vector<double> values(group.rank() == 0 ? 10 : 10'000);  // in one piece, and in chunks
    group.all_reduce(std::span<double>(values));
  };
  const auto types = [](Group& group) {
    group.rank() == 0 ? void(group.all_reduce(1.0)) : void(group.all_reduce(std::int64_t{1}));
  };
  const auto operations = [](Group& group) {
    group.all_reduce(1.0f, group.rank() == 0 ? ReduceOp::max : ReduceOp::sum);
  };
  const auto roots = [](Group& group) {
    float value = 1;
    group.broadcast(std::span(&value, 1), group.rank());
  };
  for (const NodeOfRank& nodes : places_of(2))
    for (const Call& call : {Call(lengths), Call(types), Call(operations), Call(roots)})
      for (const auto& error : run_ranks(nodes, call)) {
        REQUIRE(error);
        CHECK(error->code() == ErrorCode::invalid_argument);
        CHECK(error->message().find("rank 0 (node 0): ") != std::string::npos);
        CHECK(error->message().find("rank 1 (node 1): ") != std::string::npos);
      }
}

TEST_CASE("a rank's invalid arguments are refused before it calls the group") {
  run_ranks_well({0, 0}, [](Group& group) {
    std::vector<float> values(4), less(3);
    const auto refused = [](auto call) {
      try {
        call();
      } catch (const Error& error) {
        return error.code() == ErrorCode::invalid_argument;
      }
      return false;
    };
    require(refused([&] { group.all_reduce(std::span<const float>(values), std::span<float>(less), ReduceOp::sum); }),
            "the result has another length");
    require(refused([&] { group.all_reduce(std::int64_t{1}, ReduceOp::mean); }), "whole numbers have no mean");
    require(refused([&] { group.broadcast(std::span<float>(values), 2); }), "the root does not exist");
    require(refused([&] { group.reduce_scatter(std::span<const float>(values), std::span<float>(less)); }), "a part");
    group.barrier();
  });
}

/// Rank 1 of three calls `absent` while the other ranks call `all_reduce` of `count` floats.
std::vector<std::optional<Error>> with_absent_rank(const NodeOfRank& nodes, std::size_t count, const RankWork& absent,
                                                   milliseconds timeout) {
  return run_ranks(
      nodes,
      [&](Group& group) {
        group.barrier();
        if (group.rank() == 1) return absent(group);
        std::vector<float> values(count);
        group.all_reduce(std::span<float>(values));
      },
      timeout);
}

TEST_CASE("an error on all other ranks names the rank that throws or returns before a collective") {
  for (const NodeOfRank& nodes : places_of(3))
    for (const std::size_t count : {10, 1'000'000}) {
      CAPTURE(text_of(nodes));
      const auto thrown = with_absent_rank(
          nodes, count, [](Group&) { throw std::runtime_error("out of luck"); }, milliseconds(20'000));
      const auto left = with_absent_rank(
          nodes, count, [](Group&) {}, milliseconds(20'000));
      for (const std::size_t rank : {0, 2}) {
        REQUIRE(thrown[rank]);
        CHECK(thrown[rank]->code() == ErrorCode::model_failed);
        CHECK(thrown[rank]->message().find("rank 1 (node 1) threw: out of luck") != std::string::npos);
        CHECK(thrown[rank]->where().worker == 11);
        CHECK(thrown[rank]->where().phase == "all_reduce");
        REQUIRE(left[rank]);
        CHECK(left[rank]->message().find("rank 1 (node 1) has returned from its function") != std::string::npos);
      }
    }
}

/// Counts a latch down at the end of the object's lifetime, also after an exception. Null: does nothing.
class CountDownAtEnd {
 public:
  explicit CountDownAtEnd(std::latch* latch) : latch_(latch) {}
  ~CountDownAtEnd() {
    if (latch_ != nullptr) latch_->count_down();
  }
  CountDownAtEnd(const CountDownAtEnd&) = delete;
  CountDownAtEnd& operator=(const CountDownAtEnd&) = delete;

 private:
  std::latch* latch_;
};

TEST_CASE("a timeout on all other ranks names the rank that hangs and its last call") {
  for (const NodeOfRank& nodes : places_of(3)) {
    CAPTURE(text_of(nodes));
    std::latch others_end(2);
    const auto errors = run_ranks(
        nodes,
        [&](Group& group) {
          const CountDownAtEnd at_end(group.rank() == 1 ? nullptr : &others_end);
          group.barrier();
          if (group.rank() == 1) return others_end.wait();
          group.all_reduce(1.0);
        },
        milliseconds(300));
    for (const std::size_t rank : {0, 2}) {
      REQUIRE(errors[rank]);
      CHECK(errors[rank]->code() == ErrorCode::timeout);
      CHECK(errors[rank]->message().find("rank 1 (node 1) did not arrive in time; last call: barrier at "
                                         "test_group.cpp:") != std::string::npos);
    }
  }
}

TEST_CASE("after break_up, all ranks get its reason as an error, also ranks that call later") {
  for (const NodeOfRank& nodes : places_of(3)) {
    CAPTURE(text_of(nodes));
    std::latch others_end(2);
    const auto errors = run_ranks(nodes, [&](Group& group) {
      const CountDownAtEnd at_end(group.rank() == 1 ? nullptr : &others_end);
      group.barrier();
      if (group.rank() == 1) return others_end.wait();  // the driver informs each rank
      const Absence absence{ErrorCode::worker_lost, 1, "was lost: its process was ended by signal 9"};
      std::jthread driver([&] {
        if (group.rank() == 0) std::this_thread::sleep_for(milliseconds(20));  // probably the rank waits by then
        group.communicator()->break_up(absence);
      });
      if (group.rank() == 2) driver.join();
      group.all_reduce(1.0);
    });
    for (const std::size_t rank : {0, 2}) {
      REQUIRE(errors[rank]);
      CHECK(errors[rank]->code() == ErrorCode::worker_lost);
      CHECK(errors[rank]->message().find("rank 1 (node 1) was lost: its process was ended by signal 9") !=
            std::string::npos);
    }
  }
}

}  // namespace
}  // namespace troupe
