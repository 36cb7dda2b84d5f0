#include <doctest/doctest.h>

#include <utility>

#include "actors/rounds/fake_mailbox.hpp"
#include "actors/rounds/rounds.hpp"
#include "actors/schedules/virtual_time.hpp"
#include "support/errors.hpp"

using namespace troupe;
using troupe_test::calm_phase;

namespace {

/// Three workers that have arrived, and optionally nodes.
struct Scene {
  explicit Scene(int nodes = 0) : members(3, 1, nodes, 3) {
    for (const int worker : members.workers()) members.come(worker);
  }

  std::vector<From<Done>> ask(const std::vector<int>& to) { return rounds.ask(Fence{}, to, calm_phase()); }
  std::optional<ErrorCode> code_of_asking(const std::vector<int>& to) {
    return code_of([&] { ask(to); });
  }

  troupe_test::FakeMailbox mailbox;
  troupe_test::FakeFailureDetector detector;
  Members members;
  Rounds rounds{mailbox, members, detector};
};

/// Returns the error of a round with all three workers.
Error error_of(Scene& scene) {
  try {
    scene.ask({0, 1, 2});
  } catch (const Error& error) {
    return error;
  }
  FAIL("nothing was thrown");
  return {ErrorCode::system, ""};
}

Failure out_of_luck() { return {static_cast<std::int32_t>(ErrorCode::model_failed), "out of luck", "", "", ""}; }
Applied applied(const Failure& failure) {
  Applied reply;
  reply.round = 2;
  reply.failure = failure;
  return reply;
}
Failure waited_for(const std::string& node) {
  return {static_cast<std::int32_t>(ErrorCode::timeout), "no word of " + node, "", "", node};
}

}  // namespace

TEST_CASE("a round sends one request with its number to each member, and sorts replies by member") {
  Scene scene;
  scene.mailbox.answer(2, Done{1, {}});
  scene.mailbox.answer(0, Done{1, {}});
  scene.mailbox.answer(1, Done{1, {}});
  const auto replies = scene.ask({1, 2, 0});
  REQUIRE(replies.size() == 3);
  for (int member = 0; member < 3; ++member) CHECK(replies[static_cast<std::size_t>(member)].member == member);
  REQUIRE(scene.mailbox.sent().size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(scene.mailbox.sent()[i].member == std::vector{1, 2, 0}[i]);
    REQUIRE(scene.mailbox.sent()[i].content.match_elements<Fence>());
    CHECK(scene.mailbox.sent()[i].content.get_as<Fence>(0).round == 1);
  }
  CHECK(scene.rounds.settled());
}

TEST_CASE("ask_each sends different requests in one round") {
  Scene scene;
  scene.mailbox.answer(0, Done{1, {}});
  scene.mailbox.answer(2, Done{1, {}});
  const std::vector<std::pair<int, Initialize>> requests{{2, {0, 20}}, {0, {0, 10}}};
  CHECK(scene.rounds.ask_each(requests, calm_phase()).size() == 2);
  REQUIRE(scene.mailbox.sent().size() == 2);
  const auto sent = [&](std::size_t i) { return scene.mailbox.sent()[i].content.get_as<Initialize>(0); };
  CHECK(scene.mailbox.sent()[0].member == 2);
  CHECK(sent(0).flat == 20);
  CHECK(scene.mailbox.sent()[1].member == 0);
  CHECK(sent(1).flat == 10);
  CHECK(sent(0).round == 1);
  CHECK(sent(1).round == 1);
}

TEST_CASE("the content of a reply is returned") {
  Scene scene;
  Computed computed;
  computed.round = 1;
  computed.shards = {1};
  computed.loss_bits = {to_bits(-0.0)};
  scene.mailbox.answer(1, computed);
  const auto replies = scene.rounds.ask(Compute{}, {1}, calm_phase());
  REQUIRE(replies.size() == 1);
  CHECK(replies[0].reply.shards == computed.shards);
  CHECK(replies[0].reply.loss_bits == computed.loss_bits);
}

TEST_CASE("members without a reply are checked during a wait, and a member that ends meanwhile is lost") {
  Scene scene;
  scene.detector.every = std::chrono::milliseconds(20);
  scene.mailbox.answer(1, Done{1, {}});
  scene.detector.when_looked = [&] {
    if (scene.detector.looked_at.size() == 3) scene.mailbox.end(2);
  };
  const Error error = error_of(scene);
  CHECK(error.code() == ErrorCode::worker_lost);
  CHECK(error.where().worker == 2);
  CHECK(scene.detector.looked_at == std::vector<std::vector<int>>(3, {0, 2}));
  for (const Deadline& deadline : scene.mailbox.deadlines()) CHECK(deadline.left() <= std::chrono::milliseconds(20));
}

TEST_CASE("a member that the failure detector reports as ended is lost, although its connection is open") {
  Scene scene;
  scene.detector.every = std::chrono::milliseconds(20);
  scene.detector.seen_to_have_ended = {2};
  const Error error = error_of(scene);
  CHECK(error.code() == ErrorCode::worker_lost);
  CHECK(error.where().worker == 2);
  CHECK(scene.detector.looked_at.size() == 1);
  scene.mailbox.end(2);  // the end of the connection arrives at last
  scene.mailbox.answer(0, Done{2, {}});
  CHECK(scene.ask({0}).size() == 1);
  CHECK_FALSE(scene.rounds.untold_loss(/*replaced=*/false));
}

TEST_CASE("each end of a worker is reported once, also the end of its predecessor") {
  Scene scene;
  scene.rounds.note_end(1, calm_phase());  // while others are replaced
  scene.members.come(1);
  scene.rounds.note_end(1, calm_phase());  // the end of the replacement
  CHECK(scene.code_of_asking({1}) == ErrorCode::worker_lost);
  CHECK(scene.rounds.untold_loss(/*replaced=*/false));
  CHECK_FALSE(scene.rounds.untold_loss(/*replaced=*/false));
}

TEST_CASE("a driver that was stopped itself reads waiting replies before it reports a timeout") {
  troupe_test::VirtualTime time;
  Scene scene;
  bool stopped = false;
  scene.mailbox.when_asked([&] {
    if (std::exchange(stopped, true)) return scene.mailbox.answer(0, Done{1, {}});
    time.pass(std::chrono::milliseconds(600));
  });
  const Phase short_phase{"compute", 7, Deadline(std::chrono::milliseconds(20))};
  CHECK(scene.rounds.ask(Fence{}, {0}, short_phase).size() == 1);
  CHECK(code_of([&] { scene.rounds.ask(Fence{}, {0}, short_phase); }) == ErrorCode::timeout);
}

TEST_CASE("a member that owes a reply of a closed round must send it before the next round, or is lost") {
  for (const bool pays : {true, false}) {
    Scene scene;
    const Round round = scene.rounds.open(Fence{}, {0}, calm_phase());
    scene.rounds.close<Done>(round);
    CHECK(scene.rounds.settled());
    CHECK(scene.rounds.owes(0));
    if (pays) {
      for (const std::uint64_t number : {1, 2}) scene.mailbox.answer(0, Done{number, {}});
      CHECK(scene.ask({0}).size() == 1);
    } else {
      CHECK(scene.code_of_asking({0}) == ErrorCode::worker_lost);
    }
    CHECK_FALSE(scene.rounds.owes(0));
    CHECK(scene.members.lost(0) != pays);
  }
}

TEST_CASE("members are not checked if all reply at once") {
  Scene scene;
  scene.detector.every = std::chrono::milliseconds(20);
  for (const int member : {0, 1, 2}) scene.mailbox.answer(member, Done{1, {}});
  CHECK(scene.ask({0, 1, 2}).size() == 3);
  CHECK(scene.detector.looked_at.empty());
}

TEST_CASE("a round without members succeeds") {
  Scene scene;
  CHECK(scene.ask({}).empty());
  CHECK(scene.mailbox.deadlines().empty());
  CHECK(scene.rounds.settled());
}

TEST_CASE("replies of earlier rounds, of other members, of other types, and repeated replies do not count") {
  const std::vector<std::function<void(Scene&)>> noises{
      [](Scene& scene) {
        scene.mailbox.answer(1, Done{1, {}});
      },
      [](Scene& scene) {
        scene.mailbox.answer(1, Done{3, {}});
      },
      [](Scene& scene) {
        scene.mailbox.answer(1, Done{1, out_of_luck()});
      },
      [](Scene& scene) {
        scene.mailbox.answer(2, Done{2, {}});
      },
      [](Scene& scene) {
        scene.mailbox.answer(2, Done{2, out_of_luck()});
      },
      [](Scene& scene) {
        scene.mailbox.answer(0, Done{2, {}});
      },
      [](Scene& scene) {
        scene.mailbox.answer(0, Done{2, out_of_luck()});
      },
      [](Scene& scene) { scene.mailbox.answer(1, applied({})); },
      [](Scene& scene) { scene.mailbox.answer(1, applied(out_of_luck())); },
      [](Scene& scene) { scene.mailbox.answer(1, std::string("Done")); },
  };
  for (const auto& noise : noises) {
    Scene scene;
    scene.mailbox.answer(0, Done{1, {}});
    scene.ask({0});
    scene.mailbox.answer(0, Done{2, {}});
    noise(scene);
    CHECK(scene.code_of_asking({0, 1}) == ErrorCode::timeout);  // worker 1 has not replied
    CHECK(scene.mailbox.unheard() == 0);
  }
  for (const auto& noise : noises) {
    Scene scene;
    scene.mailbox.answer(0, Done{1, {}});
    scene.ask({0});
    scene.mailbox.answer(0, Done{2, {}});
    noise(scene);
    scene.mailbox.answer(1, Done{2, {}});
    CHECK(scene.ask({0, 1}).size() == 2);
    CHECK(scene.rounds.settled());
  }
}

TEST_CASE("a failure that blames no other member ends the round at once") {
  Scene scene;
  scene.mailbox.answer(2, Done{1, {}});
  scene.mailbox.answer(1, Done{1, out_of_luck()});
  scene.mailbox.answer(0, Done{1, {}});
  const Error error = error_of(scene);
  CHECK(error.code() == ErrorCode::model_failed);
  CHECK(error.message() == "out of luck");
  CHECK(error.where() == Where{1, "m1", "compute", 7, ""});
  CHECK(scene.mailbox.unheard() == 1);
  CHECK(scene.members.lost_workers().empty());
  CHECK_FALSE(scene.rounds.settled());
}

TEST_CASE("after a failure that blames another member, the round waits for the others, but with a shorter limit") {
  Scene scene;
  scene.detector.homes = {{0, "alice"}, {1, "bob"}, {2, "carol"}};
  scene.mailbox.answer(0, Done{1, waited_for("bob")});
  scene.mailbox.answer(1, Done{1, waited_for("carol")});
  const Phase phase = calm_phase();
  CHECK(message_of([&] { scene.rounds.ask(Fence{}, {0, 1, 2}, phase); }).find("no word of carol") == 0);
  REQUIRE(scene.mailbox.deadlines().size() == 3);
  CHECK(scene.mailbox.deadlines()[0].at() == phase.deadline.at());
  CHECK(scene.mailbox.deadlines()[1].at() < phase.deadline.at());
  // The wait is limited from the first failure on. Later failures do not extend it.
  CHECK(scene.mailbox.deadlines()[2].at() == scene.mailbox.deadlines()[1].at());
  CHECK(scene.members.lost_workers().empty());  // silent members may be waiting for others themselves
  CHECK_FALSE(scene.rounds.settled());
}

TEST_CASE("among blamed nodes, the error names one without a reply if there is one, otherwise the first") {
  struct Row {
    std::vector<std::pair<int, std::string>> blames;  ///< in order of arrival
    std::string named;
    std::string by;
  };
  for (const auto& [blames, named, by] :
       {Row{{{0, "bob"}, {1, "carol"}}, "carol", "bob"}, Row{{{1, "carol"}, {0, "bob"}}, "carol", "bob"},
        Row{{{0, "bob"}}, "bob", "alice"}, Row{{{0, "bob"}, {1, "alice"}}, "bob", "alice"},
        Row{{{1, "alice"}, {0, "bob"}, {2, "alice"}}, "alice", "bob"}}) {
    Scene scene;
    scene.detector.homes = {{0, "alice"}, {1, "bob"}, {2, "carol"}};
    for (const auto& [member, node] : blames) scene.mailbox.answer(member, Done{1, waited_for(node)});
    const Error error = error_of(scene);
    CHECK(error.message() == "no word of " + named + " (reported by " + by + ")");
    CHECK(error.where().node == named);
  }
}

TEST_CASE("the round stops waiting once a member reports the cause of the failure") {
  Scene scene;
  scene.detector.homes = {{0, "alice"}, {1, "bob"}, {2, "carol"}};
  scene.mailbox.answer(0, Done{1, waited_for("bob")});
  scene.mailbox.answer(1, Done{1, out_of_luck()});
  scene.mailbox.answer(2, Done{1, {}});
  error_of(scene);
  CHECK(scene.mailbox.unheard() == 1);
}

TEST_CASE("after a failure that blames another member, the round ends early if all members have replied") {
  Scene scene;
  scene.detector.homes = {{0, "alice"}, {1, "bob"}, {2, "carol"}};
  scene.mailbox.answer(0, Done{1, waited_for("bob")});
  scene.mailbox.answer(1, Done{1, {}});
  scene.mailbox.answer(2, Done{1, {}});
  CHECK(error_of(scene).where().node == "bob");
  CHECK(scene.mailbox.deadlines().size() == 3);  // the round did not wait until the end of the limit
}

TEST_CASE("the end of an awaited member ends the round with an error that describes the member") {
  Scene scene;
  scene.detector.ends[1] = "its process was ended by signal 9";
  scene.mailbox.answer(0, Done{1, {}});
  scene.mailbox.end(1);
  scene.mailbox.answer(2, Done{1, {}});
  const Error error = error_of(scene);
  CHECK(error.code() == ErrorCode::worker_lost);
  CHECK(error.message() == "a worker was lost: its process was ended by signal 9");
  CHECK(error.where() == Where{1, "m1", "compute", 7, ""});
  CHECK(scene.members.lost_workers() == std::vector{1});
  CHECK(scene.detector.ended == std::vector{1});
  CHECK(scene.mailbox.unheard() == 1);
  CHECK_FALSE(scene.rounds.settled());
  // Another round does not wait for the member, either.
  CHECK(scene.code_of_asking({1}) == ErrorCode::worker_lost);
}

TEST_CASE("the error for a lost member works without a cause, and for nodes") {
  Scene scene(2);
  scene.mailbox.end(4);
  const auto code = code_of([&] { scene.ask({3, 4}); });
  CHECK(code == ErrorCode::worker_lost);
  CHECK(scene.members.lost(4));
  CHECK_FALSE(scene.members.lost(3));
  CHECK(message_of([&] { scene.ask({4}); }).starts_with("a node was lost ("));
  CHECK(where_of([&] { scene.ask({4}); }) == Where{-1, "m4", "compute", 7, ""});
}

TEST_CASE("the round continues if another member ends") {
  Scene scene(1);
  scene.mailbox.answer(0, Done{1, {}});
  scene.mailbox.end(0);  // has replied
  scene.mailbox.end(2);  // was not asked
  scene.mailbox.end(3);
  scene.mailbox.answer(1, Done{1, {}});
  CHECK(scene.ask({0, 1}).size() == 2);
  CHECK(scene.rounds.settled());
  CHECK(scene.members.lost_workers() == std::vector{0, 2});
  CHECK(scene.members.lost(3));
  CHECK(scene.detector.ended == std::vector{0, 2, 3});
}

TEST_CASE("a timeout names all members without a reply, and the workers among them are lost") {
  Scene scene;
  scene.mailbox.answer(1, Done{1, {}});
  const Error error = error_of(scene);
  CHECK(error.code() == ErrorCode::timeout);
  CHECK(error.message() == "workers 0, 2 did not answer in time");
  CHECK(error.where() == Where{0, "m0", "compute", 7, ""});
  CHECK(scene.members.lost_workers() == std::vector{0, 2});
  CHECK(scene.members.silent_workers());
  CHECK_FALSE(scene.rounds.settled());
  Scene one;
  one.mailbox.answer(0, Done{1, {}});
  one.mailbox.answer(1, Done{1, {}});
  CHECK(error_of(one).message() == "worker 2 did not answer in time");
}

TEST_CASE("a timeout names a silent node, but the node is not lost while its connection is open") {
  Scene scene(2);
  scene.detector.homes = {{3, "alice"}, {4, "bob"}};
  CHECK(message_of([&] { scene.ask({4, 3}); }).starts_with("nodes bob, alice did not answer in time"));
  CHECK(where_of([&] { scene.ask({4, 3}); }) == Where{-1, "bob", "compute", 7, ""});
  CHECK_FALSE(scene.members.lost(3));
  CHECK_FALSE(scene.members.lost(4));
}

TEST_CASE("only a successful round settles the earlier ones") {
  Scene scene;
  CHECK_FALSE(scene.rounds.settled());
  scene.mailbox.answer(0, Done{1, {}});
  scene.ask({0});
  CHECK(scene.rounds.settled());
  scene.rounds.unsettle();
  CHECK_FALSE(scene.rounds.settled());
  scene.mailbox.answer(0, Done{2, {}});
  scene.ask({0});
  CHECK(scene.rounds.settled());
  scene.mailbox.answer(0, Done{3, out_of_luck()});
  CHECK(scene.code_of_asking({0}) == ErrorCode::model_failed);
  CHECK_FALSE(scene.rounds.settled());
  // A failure does not affect the next round.
  scene.mailbox.answer(0, Done{4, {}});
  CHECK(scene.ask({0}).size() == 1);
  CHECK(scene.rounds.settled());
  // The shortened wait does not affect it, either.
  scene.mailbox.answer(0, Done{5, waited_for("bob")});
  CHECK(scene.code_of_asking({0, 1}) == ErrorCode::timeout);
  scene.mailbox.answer(0, Done{6, {}});
  CHECK(message_of([&] { scene.ask({0, 1}); }).starts_with("worker 1 did not answer in time"));
  CHECK(scene.members.lost_workers() == std::vector{1});
}
