#include <doctest/doctest.h>

#include <map>

#include "actors/algorithms/synchronous.hpp"
#include "actors/rounds/fake_mailbox.hpp"
#include "support/errors.hpp"

using namespace troupe;

namespace {

/// The report of a node's worker about values that are not finite.
struct Told {
  bool finite = true;
  std::int32_t not_finite_from = -1;
  std::int32_t sums_from = -1;
};

/// A step of three nodes with one worker each. They work normally, except for the given reports.
class ThreeNodes {
 public:
  /// @param in_tree each node receives sums directly from the node that computed them
  /// @param floats in the slice of each node
  explicit ThreeNodes(std::map<int, Told> told, bool in_tree = false, Strategy strategy = Strategy::ring,
                      std::size_t floats = 1024)
      : told_(std::move(told)), in_tree_(in_tree), strategy_(strategy) {
    model_.traits = {3 * floats, 3 * floats, "plain", 0};
    model_.tensors = {{"w", {static_cast<std::int64_t>(3 * floats)}}};
    for (const int worker : members_.workers()) members_.come(worker);
    versions_.begin(2);
    versions_.commit(0, {4, 4});
    mailbox_.when_sent([this](int member, const caf::message& message) { answer(member, message); });
  }

  /// Returns the error of the step. Checks that nothing is committed.
  Error refused() {
    const UpdateRules optimizer(settings_of(options_));
    const Plan plan = make_plan({strategy_, in_tree_, 0, members_.topology()}, model_.traits.size);
    const std::vector<int> appliers = members_.workers();
    const StepContext context{options_,  members_, rounds_,  versions_, model_,
                              optimizer, plan,     appliers, nullptr,   /*settles_by_fence=*/false,
                              1,         0,        0.01};
    std::optional<Error> thrown;
    try {
      SynchronousRunner().step(context, Deadline(std::chrono::hours(1)), /*rehearse=*/false);
    } catch (const Error& error) {
      thrown = error;
    }
    REQUIRE(thrown);
    CHECK(versions_.committed().step == 4);
    return *thrown;
  }

 private:
  void answer(int member, const caf::message& message) {
    const Told& told = told_[member];
    if (message.match_elements<Compute>()) {
      mailbox_.answer(member, Computed{message.get_as<Compute>(0).round, {}, {member}, {to_bits(0.5)}, {1}, 0});
    } else if (message.match_elements<Apply>()) {
      mailbox_.answer(member,
                      Applied{message.get_as<Apply>(0).round, {}, 0, 0, 0, told.finite, told.not_finite_from, {}});
    } else {
      REQUIRE(message.match_elements<FindNonFinite>());
      mailbox_.answer(member, Found{message.get_as<FindNonFinite>(0).round, {}, {0, 0}, told.sums_from});
    }
  }

  std::map<int, Told> told_;
  bool in_tree_;
  Strategy strategy_;
  Options options_;
  ModelDescription model_;
  troupe_test::FakeMailbox mailbox_;
  troupe_test::FakeFailureDetector detector_;
  Members members_{3, 1, 3, 3};
  Rounds rounds_{mailbox_, members_, detector_};
  Versions versions_;
};

/// Returns the name of the node in errors.
std::string node(int number) { return troupe_test::FakeFailureDetector().node(3 + number); }

bool has(const Error& error, const std::string& part) { return error.message().find(part) != std::string::npos; }

}  // namespace

TEST_CASE("an error names the node that sent non-finite weights without reporting them, and the node that reports it") {
  const Error error = ThreeNodes({{1, {.not_finite_from = 0}}}).refused();
  INFO(std::string(error.what()));
  CHECK(error.code() == ErrorCode::non_finite_weights);
  CHECK(error.where().node == node(0));
  CHECK(has(error, "reported by " + node(1)));
}

TEST_CASE("a node that only passes non-finite weights on is not named; a node that sends its own weights is") {
  constexpr std::size_t kLargeSlice = 32 * 1024;  // of floats; such slices are sent from node to node
  const std::map<int, Told> told{{1, {.not_finite_from = 2}}, {2, {.not_finite_from = 0}}};
  for (const Strategy strategy : {Strategy::ring, Strategy::hierarchical}) {
    const Error passed_on = ThreeNodes(told, false, strategy, kLargeSlice).refused();
    CHECK(passed_on.where().node == node(0));
    CHECK(has(passed_on, "reported by " + node(2)));
    CHECK(ThreeNodes(told, false, strategy).refused().where().node == node(2));  // it cannot move the blame to node 0
  }
}

TEST_CASE("an error names the node with the gradients that cause non-finite weights, not the node that adds them") {
  const Error error = ThreeNodes({{2, {.finite = false, .sums_from = 1}}, {1, {.sums_from = 0}}}).refused();
  INFO(std::string(error.what()));
  CHECK(error.code() == ErrorCode::non_finite_weights);
  CHECK(error.where().node == node(0));
  CHECK(error.where().object == "tensor 'w'");
  CHECK(has(error, "reported by " + troupe_test::FakeFailureDetector().node(2)));
  // If nodes add in the tree, no node can have received such sums from a third node, so this report does not count.
  CHECK(ThreeNodes({{2, {.finite = false, .sums_from = 1}}, {1, {.sums_from = 0}}}, true).refused().where().node ==
        node(1));
  CHECK(ThreeNodes({{2, {.finite = false}}}).refused().where().worker == 2);
}

TEST_CASE("reports that form a circle, and reports with invalid node numbers, still end the step with an error") {
  CHECK(ThreeNodes({{1, {.not_finite_from = 2}}, {2, {.not_finite_from = 1}}}).refused().code() ==
        ErrorCode::non_finite_weights);
  CHECK(ThreeNodes({{1, {.finite = false, .sums_from = 2}}, {2, {.sums_from = 1}}}).refused().code() ==
        ErrorCode::non_finite_weights);
  for (const std::int32_t from : {-2, 1, 3, INT32_MAX, INT32_MIN}) {
    const Error error = ThreeNodes({{1, {.not_finite_from = from}}}).refused();
    CHECK(error.code() == ErrorCode::protocol);
    CHECK(error.where().worker == 1);
  }
}
