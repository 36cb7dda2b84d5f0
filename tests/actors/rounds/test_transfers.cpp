#include <doctest/doctest.h>

#include "actors/driver/transfers.hpp"
#include "actors/rounds/fake_home.hpp"
#include "actors/rounds/fake_mailbox.hpp"
#include "support/errors.hpp"

using namespace troupe;
using troupe_test::calm_phase;

namespace {

using TransferLog = std::vector<std::string>;

/// Two workers on one node each, which work without errors by default.
class TransferScene {
 public:
  TransferScene() {
    for (const int worker : members.workers()) members.come(worker);
    mailbox.when_sent([this](int member, const caf::message& message) { hear(member, message); });
  }

  void fail_at(const std::string& call) {
    home.fail_at(call);
    fails_ = call;
  }

  TransferLog log;
  troupe_test::FakeMailbox mailbox;
  troupe_test::FakeFailureDetector detector;
  Members members{2, 1, 2, 2};
  Rounds rounds{mailbox, members, detector};
  troupe_test::FakeHome home{log};
  Transfers transfers{members, rounds, home};

 private:
  void hear(int member, const caf::message& message) {
    if (message.match_elements<ExportVector>()) {
      const auto x = message.get_as<ExportVector>(0);
      reply("ExportVector " + text(x.vector, x.buffer, x.canonical, x.begin, x.floats), member, x.round);
    } else if (message.match_elements<ImportVector>()) {
      const auto x = message.get_as<ImportVector>(0);
      reply("ImportVector " + text(x.canonical, x.flat), member, x.round);
    } else if (message.match_elements<Initialize>()) {
      const auto x = message.get_as<Initialize>(0);
      reply("Initialize " + text(x.flat), member, x.round);
    } else {
      FAIL("a message that transfers do not send");
    }
  }
  template <class... Numbers>
  static std::string text(Numbers... numbers) {
    std::string all;
    ((all += (all.empty() ? "" : " ") + std::to_string(numbers)), ...);
    return all;
  }
  void reply(const std::string& what, int member, std::uint64_t round) {
    log.push_back(what + " to " + std::to_string(member));
    Done done{round, {}};
    if (!fails_.empty() && what.starts_with(fails_))
      done.failure = {static_cast<std::int32_t>(ErrorCode::model_failed), what + " fails", {}, {}, {}};
    mailbox.answer(member, std::move(done));
  }

  std::string fails_;
};

}  // namespace

TEST_CASE("a vector is gathered, and exported by the first worker's model") {
  TransferScene scene;
  CHECK(scene.transfers.fetch({2, 0, 70}, 1, calm_phase()).floats.size() == 70);
  CHECK(scene.log == TransferLog{"gather 2 1", "create 1 0", "ExportVector 2 1 1 0 70 to 0", "fetch 1 0"});
  CHECK(scene.rounds.settled());
}

TEST_CASE("every worker has all weights, and any worker's model can export them") {
  TransferScene scene;
  CHECK(scene.transfers.fetch_weights(1, 0, 70, calm_phase()).floats.size() == 70);
  CHECK(scene.log == TransferLog{"create 1 1", "ExportVector 0 0 1 0 70 to 1", "fetch 1 1"});
}

TEST_CASE("writing canonical values uses two transfers per vector, and transfer numbers are not reused") {
  TransferScene scene;
  int filled = 0;
  const auto fill = [&](std::span<float> floats) { filled += static_cast<int>(floats.size()); };
  for (std::uint64_t first : {1, 3}) {
    scene.log.clear();
    {
      Transfers::Writing writing(scene.transfers, 70, 96);
      for (const int vector : {0, 1}) writing.write(fill, vector, 1, calm_phase());
    }
    const std::string from = std::to_string(first);
    const std::string flat = std::to_string(first + 1);
    const std::string import = "ImportVector " + from + " " + flat + " to 0";
    const std::string put = "put " + from + " 1";
    CHECK(scene.log == TransferLog{put, "create " + flat + " 0", import, "place " + flat + " 0 1",  //
                                   put, "create " + flat + " 0", import, "place " + flat + " 1 1", "forget"});
  }
  CHECK(filled == 280);
}

TEST_CASE("the model of a worker initializes weights, and the home clears vectors") {
  TransferScene scene;
  scene.transfers.initialize(96, 0, calm_phase());
  scene.transfers.clear(1, calm_phase());
  CHECK(scene.log == TransferLog{"create 1 0", "Initialize 1 to 0", "place 1 0 0", "forget", "clear 1"});
}

TEST_CASE("a lent text exists while it is used, also if the use throws") {
  TransferScene scene;
  scene.transfers.initialize(96, 0, calm_phase());  // settles the members
  scene.log.clear();
  std::vector<std::uint64_t> used;
  const auto use = [&](std::uint64_t transfer) { used.push_back(transfer); };
  scene.transfers.lend_text("12345", {0, 1}, use, calm_phase());
  CHECK(used == std::vector<std::uint64_t>{2});
  CHECK(scene.log == TransferLog{"put 2 2", "withdraw 2"});
  CHECK(scene.rounds.settled());
  const auto fail = [](std::uint64_t) { throw Error(ErrorCode::model_failed, "the function fails"); };
  CHECK(message_of([&] { scene.transfers.lend_text("1", {1}, fail, calm_phase()); }) == "the function fails");
  CHECK(scene.log == TransferLog{"put 2 2", "withdraw 2", "put 3 1", "forget"});
  CHECK_FALSE(scene.rounds.settled());
}

TEST_CASE("if a transfer fails in any call, its objects are freed and the members are not settled") {
  const auto fill = [](std::span<float>) {};
  for (const std::string call : {"gather", "create", "ExportVector", "fetch", "put", "ImportVector", "place"}) {
    CAPTURE(call);
    TransferScene scene;
    scene.fail_at(call);
    const bool reads = call == "gather" || call == "ExportVector" || call == "fetch";
    const auto move = [&] {
      if (reads) scene.transfers.fetch({0, 0, 70}, 1, calm_phase());
      Transfers::Writing(scene.transfers, 70, 96).write(fill, 0, 1, calm_phase());
    };
    CHECK(message_of(move).find(call) == 0);
    CHECK(scene.log.back() == "forget");
    CHECK_FALSE(scene.rounds.settled());
  }
}
