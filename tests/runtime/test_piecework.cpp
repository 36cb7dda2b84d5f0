#include <doctest/doctest.h>

#include <atomic>
#include <condition_variable>
#include <latch>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "runtime/processes/piecework.hpp"
#include "support/patience.hpp"
#include "troupe/error.hpp"

using namespace troupe;

TEST_CASE("work_in_pieces processes each item once") {
  for (const std::size_t piece : {1U, 3U, 100U}) {
    std::vector<std::atomic<int>> done(50);
    work_in_pieces(done.size(), piece, [&](std::size_t begin, std::size_t end) {
      CHECK(end - begin <= piece);
      for (std::size_t i = begin; i < end; ++i) ++done[i];
    });
    for (const auto& times : done) CHECK(times == 1);
  }
}

TEST_CASE("the caller of work_in_pieces processes the last piece itself") {
  for (int attempt = 0; attempt < 50; ++attempt) {
    std::thread::id last;
    work_in_pieces(9, 2, [&](std::size_t begin, std::size_t /*end*/) {
      if (begin == 8) last = std::this_thread::get_id();
    });
    CHECK(last == std::this_thread::get_id());
  }
}

TEST_CASE("work_in_pieces throws the first error after all pieces have ended") {
  std::atomic<int> ended{0};
  std::latch three_fails(1);
  const auto work = [&](std::size_t begin, std::size_t /*end*/) {
    if (begin == 1) three_fails.wait();  // item 1 fails last, and its error is the first by number
    ++ended;
    if (begin == 1) throw Error(ErrorCode::model_failed, "one");
    if (begin != 3) return;
    three_fails.count_down();
    throw std::runtime_error("three");
  };
  CHECK_THROWS_WITH_AS(work_in_pieces(5, 1, work), "one", Error);
  CHECK(ended == 5);
}

TEST_CASE("work that a caller waits for is not delayed by work that was shared earlier") {
  struct Held final : Piecework {
    bool do_piece() override {
      end.wait();
      return false;
    }
    std::latch end{1};
  };
  const auto held = std::make_shared<Held>();
  share_out(held);
  std::mutex mutex;
  std::condition_variable changed;
  std::set<std::thread::id> threads;
  // Each piece waits until another thread works on the other one.
  work_in_pieces(2, 1, [&](std::size_t, std::size_t) {
    std::unique_lock lock(mutex);
    threads.insert(std::this_thread::get_id());
    changed.notify_all();
    changed.wait_for(lock, troupe_test::kPatience, [&] { return threads.size() == 2; });
  });
  CHECK(threads.size() == 2);
  held->end.count_down();
}
