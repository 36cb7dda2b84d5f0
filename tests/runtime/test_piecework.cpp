#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "runtime/processes/piecework.hpp"
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
  const auto work = [&](std::size_t begin, std::size_t /*end*/) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10 * begin));
    ++ended;
    if (begin == 1) throw Error(ErrorCode::model_failed, "one");
    if (begin == 3) throw std::runtime_error("three");
  };
  CHECK_THROWS_WITH_AS(work_in_pieces(5, 1, work), "one", Error);
  CHECK(ended == 5);
}

TEST_CASE("work that a caller waits for is not delayed by work that was shared earlier") {
  struct Endless final : Piecework {
    bool do_piece() override {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      return !stopped;
    }
    std::atomic<bool> stopped{false};
  };
  const auto endless = std::make_shared<Endless>();
  share_out(endless);
  std::mutex mutex;
  std::set<std::thread::id> threads;
  for (int attempt = 0; attempt < 100 && threads.size() < 2; ++attempt)
    work_in_pieces(64, 1, [&](std::size_t, std::size_t) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      const std::lock_guard lock(mutex);
      threads.insert(std::this_thread::get_id());
    });
  CHECK(threads.size() >= 2);
  endless->stopped = true;
}
