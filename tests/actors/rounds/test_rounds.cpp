#include <doctest/doctest.h>

#include <utility>

#include "actors/rounds/fake_mailbox.hpp"
#include "actors/rounds/rounds.hpp"
#include "actors/schedules/virtual_time.hpp"
#include "support/errors.hpp"

using namespace troupe;
using troupe_test::calm_phase;

namespace {

/// Three workers that have come, and perhaps nodes.
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

/// The error of asking all three workers.
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

TEST_CASE("one request goes to each, with the round's number, and replies come in order of member") {
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

TEST_CASE("each may be asked something of its own, in the same round") {
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

TEST_CASE("what a reply says is handed on") {
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

TEST_CASE("who has not answered is looked at while nothing comes, and who is ended by that is lost") {
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

TEST_CASE("who is seen to have ended is lost, though his connection has not") {
  Scene scene;
  scene.detector.every = std::chrono::milliseconds(20);
  scene.detector.seen_to_have_ended = {2};
  const Error error = error_of(scene);
  CHECK(error.code() == ErrorCode::worker_lost);
  CHECK(error.where().worker == 2);
  CHECK(scene.detector.looked_at.size() == 1);
  scene.mailbox.end(2);  // that is told at last
  scene.mailbox.answer(0, Done{2, {}});
  CHECK(scene.ask({0}).size() == 1);
  CHECK_FALSE(scene.rounds.untold_loss(/*replaced=*/false));
}

TEST_CASE("each end of a worker is told once, be it of who was in its place before") {
  Scene scene;
  scene.rounds.note_end(1, calm_phase());  // while others are replaced
  scene.members.come(1);
  scene.rounds.note_end(1, calm_phase());  // and so is its successor
  CHECK(scene.code_of_asking({1}) == ErrorCode::worker_lost);
  CHECK(scene.rounds.untold_loss(/*replaced=*/false));
  CHECK_FALSE(scene.rounds.untold_loss(/*replaced=*/false));
}

TEST_CASE("a driver that was stopped itself hears what has come before it says that others are silent") {
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

TEST_CASE("who owes an answer of a round that is closed pays it before the next one, or is lost") {
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

TEST_CASE("nobody is looked at where all answer at once") {
  Scene scene;
  scene.detector.every = std::chrono::milliseconds(20);
  for (const int member : {0, 1, 2}) scene.mailbox.answer(member, Done{1, {}});
  CHECK(scene.ask({0, 1, 2}).size() == 3);
  CHECK(scene.detector.looked_at.empty());
}

TEST_CASE("nobody to ask is a round that ended well") {
  Scene scene;
  CHECK(scene.ask({}).empty());
  CHECK(scene.mailbox.deadlines().empty());
  CHECK(scene.rounds.settled());
}

TEST_CASE("answers of earlier rounds, of others, of another type, or twice do not count") {
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
    CHECK(scene.code_of_asking({0, 1}) == ErrorCode::timeout);  // worker 1 has not answered
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

TEST_CASE("a failure that blames nobody is thrown at once, and the others are not waited for") {
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

TEST_CASE("a failure that blames another waits for others, but not as long as the phase") {
  Scene scene;
  scene.detector.homes = {{0, "alice"}, {1, "bob"}, {2, "carol"}};
  scene.mailbox.answer(0, Done{1, waited_for("bob")});
  scene.mailbox.answer(1, Done{1, waited_for("carol")});
  const Phase phase = calm_phase();
  CHECK(message_of([&] { scene.rounds.ask(Fence{}, {0, 1, 2}, phase); }).find("no word of carol") == 0);
  REQUIRE(scene.mailbox.deadlines().size() == 3);
  CHECK(scene.mailbox.deadlines()[0].at() == phase.deadline.at());
  CHECK(scene.mailbox.deadlines()[1].at() < phase.deadline.at());
  // The patience is that of the first failure: no later one makes it longer.
  CHECK(scene.mailbox.deadlines()[2].at() == scene.mailbox.deadlines()[1].at());
  CHECK(scene.members.lost_workers().empty());  // who is silent may still be waiting itself
  CHECK_FALSE(scene.rounds.settled());
}

TEST_CASE("of blamed nodes one is named that has not answered, else the first one") {
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

TEST_CASE("once somebody says what went wrong, nobody else is waited for") {
  Scene scene;
  scene.detector.homes = {{0, "alice"}, {1, "bob"}, {2, "carol"}};
  scene.mailbox.answer(0, Done{1, waited_for("bob")});
  scene.mailbox.answer(1, Done{1, out_of_luck()});
  scene.mailbox.answer(2, Done{1, {}});
  error_of(scene);
  CHECK(scene.mailbox.unheard() == 1);
}

TEST_CASE("all failures told in time are heard when everybody has answered") {
  Scene scene;
  scene.detector.homes = {{0, "alice"}, {1, "bob"}, {2, "carol"}};
  scene.mailbox.answer(0, Done{1, waited_for("bob")});
  scene.mailbox.answer(1, Done{1, {}});
  scene.mailbox.answer(2, Done{1, {}});
  CHECK(error_of(scene).where().node == "bob");
  CHECK(scene.mailbox.deadlines().size() == 3);  // it did not wait for the patience to end
}

TEST_CASE("the end of a member that the round waits for ends the round, and is told with its place") {
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
  // Nor is it waited for in another round.
  CHECK(scene.code_of_asking({1}) == ErrorCode::worker_lost);
}

TEST_CASE("an end without a cause, and the end of a node") {
  Scene scene(2);
  scene.mailbox.end(4);
  const auto code = code_of([&] { scene.ask({3, 4}); });
  CHECK(code == ErrorCode::worker_lost);
  CHECK(scene.members.lost(4));
  CHECK_FALSE(scene.members.lost(3));
  CHECK(message_of([&] { scene.ask({4}); }).starts_with("a node was lost ("));
  CHECK(where_of([&] { scene.ask({4}); }) == Where{-1, "m4", "compute", 7, ""});
}

TEST_CASE("the end of a member that the round does not wait for is noted, and the round goes on") {
  Scene scene(1);
  scene.mailbox.answer(0, Done{1, {}});
  scene.mailbox.end(0);  // it has answered
  scene.mailbox.end(2);  // it was not asked
  scene.mailbox.end(3);
  scene.mailbox.answer(1, Done{1, {}});
  CHECK(scene.ask({0, 1}).size() == 2);
  CHECK(scene.rounds.settled());
  CHECK(scene.members.lost_workers() == std::vector{0, 2});
  CHECK(scene.members.lost(3));
  CHECK(scene.detector.ended == std::vector{0, 2, 3});
}

TEST_CASE("silence is a timeout that names all who are missing, and loses workers") {
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

TEST_CASE("a silent node is named, and not lost: its connection will tell") {
  Scene scene(2);
  scene.detector.homes = {{3, "alice"}, {4, "bob"}};
  CHECK(message_of([&] { scene.ask({4, 3}); }).starts_with("nodes bob, alice did not answer in time"));
  CHECK(where_of([&] { scene.ask({4, 3}); }) == Where{-1, "bob", "compute", 7, ""});
  CHECK_FALSE(scene.members.lost(3));
  CHECK_FALSE(scene.members.lost(4));
}

TEST_CASE("only a round that ended well settles what was before") {
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
  // A failure does not reach into the next round.
  scene.mailbox.answer(0, Done{4, {}});
  CHECK(scene.ask({0}).size() == 1);
  CHECK(scene.rounds.settled());
  // Nor does the patience that it left.
  scene.mailbox.answer(0, Done{5, waited_for("bob")});
  CHECK(scene.code_of_asking({0, 1}) == ErrorCode::timeout);
  scene.mailbox.answer(0, Done{6, {}});
  CHECK(message_of([&] { scene.ask({0, 1}); }).starts_with("worker 1 did not answer in time"));
  CHECK(scene.members.lost_workers() == std::vector{1});
}
