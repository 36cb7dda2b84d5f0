#include <doctest/doctest.h>

#include <string>
#include <thread>
#include <vector>

#include "runtime/net/gate/refusal_log.hpp"
#include "support/captured_errors.hpp"
#include "support/text.hpp"

using namespace troupe;
using namespace troupe_test;

namespace {}  // namespace

TEST_CASE("repeated refusals are counted and logged later") {
  const CapturedErrors errors;
  {
    net::RefusalLog log;
    log.refused("a:1", "a", "bad");
    log.refused("a:2", "a", "bad");
    log.refused("a:3", "a", "bad");
    log.refused("b:1", "b", "bad");
    CHECK(errors.text() == "troupe: refused a:1: bad\ntroupe: refused b:1: bad\n");
    log.tick(Clock::now() + 2 * net::RefusalLog::kSilence);
    CHECK(errors.text().ends_with("troupe: refused a 2 more times: bad\n"));
    log.refused("a:4", "a", "bad");
    CHECK(errors.text().ends_with("troupe: refused a:4: bad\n"));
    for (int i = 0; i < 1000; ++i) log.refused("c", "host" + std::to_string(i), "bad");
  }
  CHECK(count(errors.text(), "\n") < 80);
  CHECK(errors.text().find("various reasons") != std::string::npos);
}

TEST_CASE("a log of refusals is thread-safe, also logs dropped connections, and prints no control characters") {
  const CapturedErrors errors;
  {
    net::RefusalLog log;
    std::vector<std::thread> threads;
    threads.reserve(4);
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < 100; ++i) log.dropped("a data connection of alice", "no segment");
      });
    for (std::thread& thread : threads) thread.join();
    log.refused("\x1b[2J:1", "\x1b[2J", std::string(1000, '\n') + "\xc2\x9b");
  }
  CHECK(count(errors.text(), "troupe: dropped a data connection of alice: no segment\n") == 1);
  CHECK(count(errors.text(), "troupe: dropped a data connection of alice 399 more times: no segment\n") == 1);
  CHECK(count(errors.text(), "troupe: refused ?[2J:1: ") == 1);
  CHECK(count(errors.text(), "\n") == 3);
  CHECK(errors.text().find('\x1b') == std::string::npos);
}
