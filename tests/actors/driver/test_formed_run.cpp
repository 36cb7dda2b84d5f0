#include <doctest/doctest.h>

#include "actors/driver/fake_runtime.hpp"
#include "actors/driver/forming/formed_run.hpp"
#include "actors/messages/settle.hpp"

using namespace troupe;

namespace {

using Log = std::vector<std::string>;

struct Forming {
  std::unique_ptr<troupe_test::FakeRuntime> runtime = std::make_unique<troupe_test::FakeRuntime>(2);
  const std::shared_ptr<Log> log = runtime->kept_log;
  troupe_test::FakeRuntime& given = *runtime;

  std::unique_ptr<FormedRun> form() {
    return std::make_unique<FormedRun>(std::move(runtime), CreateModel(), Generation(7, "{}", 0));
  }
};

}  // namespace

TEST_CASE("at its end, a run stops the workers of this process, stops receiving, and ends the workers") {
  Forming forming;
  auto run = forming.form();
  CHECK(run->members().num_workers() == 2);
  CHECK_FALSE(run->generation().stands());
  forming.given.fake_host->stop_time = std::chrono::milliseconds(1);
  Log& log = *forming.log;
  forming.given.reception.when_sent = [&](int member, const caf::message& message) {
    log.push_back("stop " + std::to_string(member));
    forming.given.reception.answer(member, Done{message.get_as<Stop>(0).round, {}});
  };
  run.reset();
  CHECK(log == Log{"stop 0", "stop 1", "unseat 0", "unseat 1", "end all", "gone"});
}

TEST_CASE("worker processes end without a stop request, and lost workers get no request") {
  Forming forming;
  auto run = forming.form();
  run->members().lose(1);
  run.reset();
  CHECK(*forming.log == Log{"unseat 0", "unseat 1", "end all", "gone"});
}

TEST_CASE("if a worker hangs, the memory that it may use is not freed") {
  Forming forming;
  auto run = forming.form();
  forming.given.fake_host->stop_time = std::chrono::milliseconds(1);  // no worker replies
  run.reset();
  CHECK(*forming.log == Log{"unseat 0", "unseat 1", "end all"});
}
