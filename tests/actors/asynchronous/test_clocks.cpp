#include <doctest/doctest.h>

#include <random>
#include <vector>

#include "actors/algorithms/clocks.hpp"

using troupe::Clocks;

TEST_CASE("a worker fetches and pushes at its intervals, and computes all steps in between without a pause") {
  for (const int fetch_every : {1, 2, 3, 5})
    for (const int push_every : {1, 2, 4, 5}) {
      CAPTURE(fetch_every);
      CAPTURE(push_every);
      Clocks clocks({fetch_every, push_every, std::nullopt});
      clocks.enter(7, 100);
      int fetches = 0;
      int pushes = 0;
      int gradients = 0;
      bool has_own = false;
      while (clocks.clock(7) < 160) {
        if (clocks.push_due(7)) {
          clocks.push(7);
          ++pushes;
        }
        if (clocks.fetch_due(7)) {
          clocks.fetch(7);
          ++fetches;
        }
        const Clocks::Leg leg = clocks.next_leg(7);
        CHECK(leg.step == clocks.clock(7));
        CHECK((leg.served || has_own));  // a leg never starts without gradients or weights
        CHECK(leg.served == (gradients % fetch_every == 0));
        CHECK(leg.first == (gradients % push_every == 0));
        gradients += leg.gradients;
        CHECK(leg.goes_on == (gradients % fetch_every != 0));
        has_own = leg.goes_on;
        clocks.advance(7, leg);
      }
      CHECK(gradients == 60);
      CHECK(fetches == 60 / fetch_every);
      CHECK(pushes == 60 / push_every - 1);  // the last push is still due
      CHECK(clocks.push_due(7));
    }
}

TEST_CASE("no worker exceeds its staleness bound, and at least one worker may always continue") {
  std::mt19937 random(3);
  for (const int staleness : {1, 2, 8}) {
    CAPTURE(staleness);
    const std::vector<int> workers{0, 1, 2, 5};
    Clocks clocks({1, 1, staleness});
    for (const int worker : workers) clocks.enter(worker, 10);
    std::int64_t furthest = 0;
    for (int each = 0; each < 2000; ++each) {
      std::vector<int> may;
      std::int64_t least = clocks.clock(0);
      for (const int worker : workers) {
        least = std::min(least, clocks.clock(worker));
        if (clocks.may_go(worker)) may.push_back(worker);
      }
      REQUIRE(!may.empty());
      // Worker 5 is slow most of the time.
      const int worker = may[random() % may.size()];
      if (worker == 5 && random() % 50 != 0 && may.size() > 1) continue;
      furthest = std::max(furthest, clocks.clock(worker) - least);
      clocks.fetch(worker);
      clocks.advance(worker, clocks.next_leg(worker));
      clocks.push(worker);
    }
    CHECK(furthest == staleness);
  }
}

TEST_CASE("a worker that enters again keeps its clock and starts with a fetch, and a removed worker delays no other") {
  Clocks clocks({5, 5, 2});
  clocks.enter(0, 0);
  clocks.enter(1, 0);
  clocks.fetch(0);
  clocks.advance(0, clocks.next_leg(0));
  CHECK(clocks.has_unpushed(0));
  clocks.push(0);
  CHECK_FALSE(clocks.may_go(0));
  clocks.enter(0, 77);
  CHECK(clocks.clock(0) == 5);
  CHECK(clocks.fetch_due(0));
  CHECK_FALSE(clocks.may_go(0));
  clocks.keep({0});
  CHECK(clocks.may_go(0));
}

TEST_CASE("an absent worker delays no other, and when it returns it is not the slowest") {
  Clocks clocks({1, 1, 2});
  for (const int worker : {0, 1, 2}) clocks.enter(worker, 0);
  const auto step = [&](int worker) {
    clocks.fetch(worker);
    clocks.advance(worker, clocks.next_leg(worker));
    clocks.push(worker);
  };
  for (int i = 0; i < 3; ++i) step(0);
  CHECK_FALSE(clocks.may_go(0));
  clocks.leave(1);
  CHECK_FALSE(clocks.may_go(0));  // worker 2 is slow as well
  for (int i = 0; i < 5; ++i) step(2);
  CHECK(clocks.may_go(0));
  step(0);
  clocks.enter(1, 100);
  CHECK(clocks.clock(1) == 4);
  CHECK(clocks.may_go(1));
  CHECK(clocks.may_go(2));
}
