#include <doctest/doctest.h>

#include "actors/driver/forming/generation.hpp"
#include "actors/rounds/fake_home.hpp"
#include "actors/rounds/fake_mailbox.hpp"
#include "support/errors.hpp"

using namespace troupe;
using troupe_test::calm_phase;

namespace {

using GenerationLog = std::vector<std::string>;

constexpr std::size_t kGenerationSize = 3 * 1024;  ///< one page for each worker

/// Three workers and a home of the state, which work without errors by default.
class GenerationScene {
 public:
  explicit GenerationScene(Strategy how = Strategy::sharded, int state_vectors = 2)
      : strategy(how), generation(5, "options", state_vectors) {
    for (const int worker : members.workers()) members.come(worker);
    mailbox.when_sent([this](int member, const caf::message& message) {
      if (message.match_elements<MakeSlabs>()) return reply("MakeSlabs", member, message.get_as<MakeSlabs>(0));
      if (message.match_elements<MapSlabs>()) return reply("MapSlabs", member, message.get_as<MapSlabs>(0));
      FAIL("a message that a generation does not send");
    });
  }

  void begin(std::size_t size = kGenerationSize) {
    generation.begin({strategy, true, 0, members.topology()}, {size, size}, members, rounds, home, versions,
                     calm_phase("start"));
  }
  /// Commits a step.
  void step() {
    REQUIRE(versions.spare());
    home.write(*versions.spare(), ++last_);
    versions.commit(*versions.spare(), {last_, last_});
  }
  /// Makes a call fail: one of the home, or MakeSlabs or MapSlabs at worker 1. If `call` is empty, no call fails.
  void fail_at(const std::string& call) {
    home.fail_at(call);
    fails_ = call;
  }
  /// The worker ends instead of replying to `call`.
  void end_at(const std::string& call) { ends_ = call; }
  bool holds_committed() const { return home.content(versions.buffer()) == versions.committed().step; }
  bool holds(Versions::PinId pin) const {
    return home.content(versions.buffer_of(pin)) == versions.version_of(pin).step;
  }

  Strategy strategy;
  GenerationLog log;
  troupe_test::FakeMailbox mailbox;
  troupe_test::FakeFailureDetector detector;
  Members members{3, 1, 0, 6};
  Rounds rounds{mailbox, members, detector};
  troupe_test::FakeHome home{log};
  Versions versions;
  Generation generation;

 private:
  template <class Request>
  void reply(const std::string& name, int member, const Request& request) {
    log.push_back(name + " to " + std::to_string(member));
    if (member == 1 && name == ends_) return mailbox.end(1);
    Done done{request.round, {}};
    if (member == 1 && name == fails_)
      done.failure = {static_cast<std::int32_t>(ErrorCode::store_full), name + " fails", {}, {}, {}};
    mailbox.answer(member, std::move(done));
  }

  std::string fails_;
  std::string ends_;
  std::int64_t last_ = 0;
};

const GenerationLog kOrder{"begin",   "MakeSlabs to 0", "MakeSlabs to 1", "MakeSlabs to 2",
                           "publish", "MapSlabs to 0",  "MapSlabs to 1",  "MapSlabs to 2"};

/// A scene with a pinned version in buffer 0, a committed version in buffer 1, and no spare buffer.
struct Pinned : GenerationScene {
  Pinned() {
    begin();
    step();
    pin = versions.pin();
    step();
    REQUIRE(versions.buffer() == 1);
    log.clear();
  }
  Versions::PinId pin = 0;
};

}  // namespace

TEST_CASE("all workers make their slabs before the slabs are published, and map them afterwards") {
  GenerationScene scene;
  CHECK_FALSE(scene.generation.stands());
  scene.begin();
  CHECK(scene.log == kOrder);
  CHECK(scene.generation.stands());
  CHECK(scene.rounds.settled());
  const auto make = scene.mailbox.sent().front().content.get_as<MakeSlabs>(0);
  CHECK(make.run == 5);
  CHECK(make.generation == 1);
  CHECK(make.buffers == 2);
  CHECK(make.optimizer == "options");
}

TEST_CASE("the home receives the layout of the slabs of a generation") {
  for (const Strategy strategy : {Strategy::sharded, Strategy::driver}) {
    GenerationScene scene(strategy);
    scene.begin();
    const SlabLayout& layout = scene.home.layout();
    CHECK(layout.run == 5);
    CHECK(layout.generation == 1);
    CHECK(layout.size == kGenerationSize);
    CHECK(layout.vectors == 3);  // the weights, and two vectors of the optimizer
    CHECK(layout.buffers == 2);
    CHECK(layout.num_shards == 6);
    CHECK(layout.shards == Range{0, 6});
    CHECK(layout.mean_gradient == (strategy == Strategy::driver));
    CHECK(scene.generation.layout().generation == 1);
    CHECK(scene.generation.plan().topology.num_shards == 6);
  }
}

TEST_CASE("workers without a slice do not take part in the apply phase") {
  GenerationScene scene;
  scene.begin(10);
  CHECK(scene.generation.appliers() == std::vector{0});
  scene.begin(2 * 1024);
  CHECK(scene.generation.appliers() == std::vector{0, 1});
  scene.begin(kGenerationSize);
  CHECK(scene.generation.appliers() == std::vector{0, 1, 2});
}

TEST_CASE("a new generation carries committed and pinned versions, with as many buffers as needed") {
  GenerationScene scene;
  scene.begin();
  std::vector<Versions::PinId> pins;
  for (int buffers = 2; buffers < 6; ++buffers) {
    CHECK(scene.generation.layout().buffers == buffers);
    while (scene.versions.spare()) {
      scene.step();
      pins.push_back(scene.versions.pin());
    }
    pins.resize(static_cast<std::size_t>(buffers));
    scene.begin();
    CHECK(scene.mailbox.sent().back().content.match_elements<MapSlabs>());
    CHECK(scene.holds_committed());
    for (const auto pin : pins) CHECK(scene.holds(pin));
    CHECK(scene.versions.spare() == buffers);
  }
  for (const auto pin : pins) scene.versions.unpin(pin);
  scene.begin();
  CHECK(scene.generation.layout().buffers == 2);
  CHECK(scene.holds_committed());
  CHECK(scene.versions.spare() == 1);
}

TEST_CASE("if a generation fails to begin, the next one still carries the committed and pinned versions") {
  for (const std::string call : {"begin", "MakeSlabs", "publish", "MapSlabs"}) {
    CAPTURE(call);
    Pinned scene;
    scene.fail_at(call);
    for (std::uint64_t number = 2; number < 5; ++number) {
      CHECK(message_of([&] { scene.begin(); }).find(call + " fails") != std::string::npos);
      CHECK(scene.generation.stands() == (call == "begin"));
      CHECK(scene.generation.layout().generation == (call == "begin" ? 1 : number));
      CHECK(scene.holds_committed());
      CHECK(scene.holds(scene.pin));
      CHECK(scene.versions.committed().step == 2);
      // The buffers have new numbers only if they have moved to the new generation.
      CHECK(scene.versions.spare().has_value() == (call != "begin"));
    }
    scene.fail_at("");
    scene.begin();
    CHECK(scene.generation.stands());
    CHECK(scene.home.layout().generation == 5);
    CHECK(scene.home.layout().buffers == 3);
    CHECK(scene.holds_committed());
    CHECK(scene.holds(scene.pin));
    CHECK(scene.versions.spare() == 2);
  }
}

TEST_CASE("workers keep the slabs of their gradients in later generations until renew_gradients") {
  GenerationScene scene;
  const auto asked_for = [&] {
    std::vector<std::uint64_t> gradients;
    for (const auto& [to, content] : scene.mailbox.sent())
      if (content.match_elements<MakeSlabs>()) gradients.push_back(content.get_as<MakeSlabs>(0).gradients);
    gradients.erase(gradients.begin(), gradients.end() - 3);
    return gradients;
  };
  using Numbers = std::vector<std::uint64_t>;
  scene.begin();
  CHECK(asked_for() == Numbers{1, 1, 1});
  scene.begin();
  CHECK(asked_for() == Numbers{1, 1, 1});
  scene.generation.renew_gradients({1});
  scene.fail_at("MakeSlabs");
  CHECK(code_of([&] { scene.begin(); }) == ErrorCode::store_full);
  scene.fail_at("");
  scene.begin();
  CHECK(asked_for() == Numbers{1, 3, 1});
  CHECK(scene.home.published().at(0) == Numbers{1, 1, 3, 3, 1, 1});
  // Each worker is the backup of the worker before it.
  CHECK(scene.home.published().at(1) == Numbers{3, 3, 1, 1, 1, 1});
  CHECK(scene.mailbox.sent().back().content.get_as<MapSlabs>(0).gradients == Numbers{1, 3, 1});
}

TEST_CASE("nothing is published before all workers have made their slabs") {
  Pinned scene;
  scene.fail_at("MakeSlabs");
  CHECK(code_of([&] { scene.begin(); }) == ErrorCode::store_full);
  CHECK(scene.log == GenerationLog(kOrder.begin(), kOrder.begin() + 4));
  scene.log.clear();
  scene.fail_at("publish");
  CHECK(code_of([&] { scene.begin(); }) == ErrorCode::store_full);
  CHECK(scene.log == GenerationLog(kOrder.begin(), kOrder.begin() + 5));
}

TEST_CASE("if a worker ends while a generation begins, no generation stands") {
  for (const char* call : {"MakeSlabs", "MapSlabs"}) {
    Pinned scene;
    scene.end_at(call);
    CHECK(code_of([&] { scene.begin(); }) == ErrorCode::worker_lost);
    CHECK_FALSE(scene.generation.stands());
    CHECK(scene.members.lost_workers() == std::vector{1});
    scene.members.come(1);
    scene.end_at("");
    scene.begin();
    CHECK(scene.generation.stands());
    CHECK(scene.holds_committed());
    CHECK(scene.holds(scene.pin));
  }
}
