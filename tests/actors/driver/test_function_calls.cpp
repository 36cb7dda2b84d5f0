#include <doctest/doctest.h>

#include "actors/driver/function_calls.hpp"
#include "actors/rounds/fake_home.hpp"
#include "actors/rounds/fake_mailbox.hpp"
#include "support/errors.hpp"

using namespace troupe;
using troupe_test::calm_phase;

namespace {

/// Two workers with two replicas each. Their functions return nothing.
class CallScene {
 public:
  CallScene() {
    for (const int worker : members.workers()) members.come(worker);
    mailbox.when_sent([this](int member, const caf::message& message) { hear(member, message); });
  }

  std::vector<std::string> log;
  std::size_t too_many = 0;  ///< number of excess values that a worker returns
  troupe_test::FakeMailbox mailbox;
  troupe_test::FakeFailureDetector detector;
  Members members{2, 2, 0, 4};
  Rounds rounds{mailbox, members, detector};
  troupe_test::FakeHome home{log};
  Transfers transfers{members, rounds, home};
  FunctionCalls calls{members, rounds, transfers};

 private:
  void hear(int member, const caf::message& message) {
    const auto answer = [&](std::uint64_t round, std::size_t values) {
      mailbox.answer(member, Called{round, {}, std::vector<std::uint64_t>(values + too_many)});
    };
    if (message.match_elements<CallModel>()) {
      const auto x = message.get_as<CallModel>(0);
      log.push_back(x.name + " in " + std::to_string(x.buffer) + " of " + std::to_string(member));
      answer(x.round, x.first_replica_only ? 1 : 2);
    } else if (message.match_elements<CallWorker>()) {
      const auto x = message.get_as<CallWorker>(0);
      log.push_back(x.name + " with " + std::to_string(x.argument_bytes) + " of " + std::to_string(member));
      answer(x.round, 1);
    } else {
      FAIL("a message that function calls do not send");
    }
  }
};

using CallLog = std::vector<std::string>;

}  // namespace

TEST_CASE("functions can be called on all replicas, on the first replica, and on all workers") {
  CallScene scene;
  CHECK(scene.calls.on_replicas({"sum", Json()}, 1, calm_phase()).size() == 4);
  CHECK(scene.log == CallLog{"sum in 1 of 0", "sum in 1 of 1"});
  scene.log.clear();
  CHECK(scene.calls.on_first_replica({"sum", Json()}, 0, calm_phase()).is_null());
  CHECK(scene.log == CallLog{"sum in 0 of 0"});
  CHECK(scene.calls.on_workers({"pid", Json()}, calm_phase()).size() == 2);
}

TEST_CASE("arguments are shared only while the functions run") {
  CallScene scene;
  scene.calls.on_workers({"pid", Json(12)}, calm_phase());
  CHECK(scene.log == CallLog{"put 1 2", "pid with 2 of 0", "pid with 2 of 1", "withdraw 2"});
}

TEST_CASE("an invalid call is refused before a request is sent, and an invalid reply is refused") {
  CHECK(code_of([] { NamedCall(std::string(5000, 'a'), Json()); }) == ErrorCode::invalid_argument);
  CHECK(code_of([] { NamedCall("f", Json("\xff")); }) == ErrorCode::invalid_argument);
  CallScene scene;
  scene.too_many = 1;
  CHECK(code_of([&] { scene.calls.on_workers({"pid", Json()}, calm_phase()); }) == ErrorCode::protocol);
}
