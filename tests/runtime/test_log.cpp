#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "runtime/log.hpp"
#include "support/captured_errors.hpp"

using namespace troupe;
using troupe_test::CapturedErrors;

namespace {

/// Installs a log sink of the process for its lifetime.
struct Sink {
  explicit Sink(LogSink sink) { set_log_sink(std::move(sink)); }
  ~Sink() { set_log_sink(nullptr); }
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
};

}  // namespace

TEST_CASE("without a sink a log record becomes a line on standard error") {
  const CapturedErrors errors;
  log_line(LogLevel::info, "all is well", {.worker = 3});
  CHECK(errors.text() == "troupe: all is well\n");
}

TEST_CASE("a sink receives all records instead of standard error until it is removed") {
  const CapturedErrors errors;
  std::vector<LogRecord> records;
  {
    const Sink sink([&](const LogRecord& record) { records.push_back(record); });
    log_line(LogLevel::warning, "not quite", {.worker = 3, .phase = "apply"});
  }
  log_line(LogLevel::error, "after it");
  REQUIRE(records.size() == 1);
  CHECK(records[0].level == LogLevel::warning);
  CHECK(records[0].text == "not quite");
  CHECK(records[0].where == Where{.worker = 3, .phase = "apply"});
  CHECK(errors.text() == "troupe: after it\n");
}

TEST_CASE("records that a sink fails to take are written to standard error") {
  const CapturedErrors errors;
  const Sink sink([](const LogRecord& record) {
    if (record.text == "throw") throw std::runtime_error("the sink fails");
    if (record.text == "throw a number") throw 42;  // NOLINT(hicpp-exception-baseclass)
    log_line(LogLevel::info, "of the sink");
  });
  for (const char* text : {"throw", "throw a number", "say more"}) log_line(LogLevel::info, text);
  CHECK(errors.text() == "troupe: throw\ntroupe: throw a number\ntroupe: of the sink\n");
}

TEST_CASE("a sink may install another sink and is destroyed after its own record") {
  const CapturedErrors errors;
  int told = 0;
  const auto first = std::make_shared<int>(7);
  const std::weak_ptr<int> alive = first;
  set_log_sink([&told, first](const LogRecord&) {
    set_log_sink([&told](const LogRecord&) { told += 100; });
    told += *first;
  });
  log_line(LogLevel::info, "one");
  log_line(LogLevel::info, "two");
  set_log_sink(nullptr);
  CHECK(told == 107);
  CHECK(alive.use_count() == 1);  // `first` itself
  CHECK(errors.text().empty());
}

TEST_CASE("a sink is called by one thread at a time, and not after it was replaced") {
  std::atomic<int> inside = 0;
  std::atomic<bool> gone = false;
  std::atomic<int> wrong = 0;
  int told = 0;
  set_log_sink([&](const LogRecord&) {
    if (inside.exchange(1) != 0 || gone) ++wrong;
    ++told;
    inside = 0;
  });
  std::vector<std::thread> threads;
  std::atomic<int> started = 0;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 2000; ++i) {
        log_line(LogLevel::info, "again");
        if (i == 500) ++started;
      }
    });
  while (started == 0) std::this_thread::yield();
  int later = 0;
  set_log_sink([&](const LogRecord&) { ++later; });
  gone = true;
  for (std::thread& thread : threads) thread.join();
  set_log_sink(nullptr);
  CHECK(wrong == 0);
  CHECK(told > 500);
  CHECK(told + later == 8000);
}

TEST_CASE("levels have names") {
  CHECK(to_string(LogLevel::info) == std::string("info"));
  CHECK(to_string(LogLevel::error) == std::string("error"));
}

TEST_CASE("records below the log level are dropped, with and without a sink") {
  const CapturedErrors errors;
  std::vector<std::string> told;
  {
    const Sink sink([&](const LogRecord& record) { told.push_back(record.text); });
    set_log_level(LogLevel::warning);
    log_line(LogLevel::info, "all is well");
    log_line(LogLevel::warning, "not quite");
  }
  set_log_level(LogLevel::error);
  log_line(LogLevel::warning, "not quite");
  log_line(LogLevel::error, "not at all");
  set_log_level(LogLevel::info);
  log_line(LogLevel::info, "well again");
  CHECK(told == std::vector<std::string>{"not quite"});
  CHECK(errors.text() == "troupe: not at all\ntroupe: well again\n");
}
