#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "actors/algorithms/synchronous.hpp"
#include "actors/rounds/fake_mailbox.hpp"
#include "support/errors.hpp"

using namespace troupe;

namespace {

using Sums = std::vector<double>;

/// A clipped step of two workers with slices of two pages and of one page. Worker 1 sends false sums of squares.
class LyingScene {
 public:
  explicit LyingScene(Sums of_second) : of_second_(std::move(of_second)) {
    options_.gradients.clip_norm = 2;
    model_.traits = {3 * 1024, 3 * 1024, "plain", 0};
    for (const int worker : members_.workers()) members_.come(worker);
    versions_.begin(2);
    versions_.commit(0, {4, 4});
    mailbox_.when_sent([this](int member, const caf::message& message) { answer(member, message); });
  }

  StepReport step() {
    const UpdateRules optimizer(settings_of(options_));
    const Plan plan = make_plan({Strategy::automatic, true, 0, members_.topology()}, model_.traits.size);
    const std::vector<int> appliers = members_.workers();
    const StepContext context{options_,  members_, rounds_,  versions_, model_,
                              optimizer, plan,     appliers, nullptr,   /*settles_by_fence=*/true,
                              1,         0,        0.01};
    return SynchronousRunner().step(context, Deadline(std::chrono::hours(1)), /*rehearse=*/false);
  }
  std::int64_t committed() const { return versions_.committed().step; }
  /// The factor for the mean gradient that the driver sent to workers, or 0 if it sent none.
  double clip_factor() const { return clip_factor_; }

 private:
  void answer(int member, const caf::message& message) {
    if (message.match_elements<Compute>()) {
      mailbox_.answer(member, Computed{message.get_as<Compute>(0).round, {}, {member}, {to_bits(0.5)}, {1}, 0});
    } else if (message.match_elements<ReduceMean>()) {
      MeanReduced reply;
      reply.round = message.get_as<ReduceMean>(0).round;
      for (const double sum : member == 0 ? Sums{9} : of_second_) reply.square_bits.push_back(to_bits(sum));
      mailbox_.answer(member, reply);
    } else {
      REQUIRE(message.match_elements<Apply>());
      clip_factor_ = from_bits(message.get_as<Apply>(0).clip_bits);
      mailbox_.answer(member, Applied{message.get_as<Apply>(0).round, {}, 0, 0, 0, true});
    }
  }

  Sums of_second_;
  Options options_;
  ModelDescription model_;
  troupe_test::FakeMailbox mailbox_;
  troupe_test::FakeFailureDetector detector_;
  Members members_{2, 1, 0, 2};
  Rounds rounds_{mailbox_, members_, detector_};
  Versions versions_;
  double clip_factor_ = 0;
};

}  // namespace

TEST_CASE("the driver adds the workers' sums of squares and sends them the factor for clipping") {
  LyingScene scene({16});
  const StepReport report = scene.step();
  CHECK(report.gradient_norm == 5);
  CHECK(scene.clip_factor() == static_cast<double>(static_cast<float>(2 / (5 + 1e-6))));
  CHECK(scene.committed() == 5);
}

TEST_CASE("if a worker sends invalid sums of squares, the error names the worker, and nothing is committed") {
  for (const Sums& lie : {Sums{}, Sums{8, 8}, Sums(128, 1), Sums{-1}, Sums{-std::numeric_limits<double>::infinity()}}) {
    LyingScene scene(lie);
    const auto step = [&] { scene.step(); };
    CHECK(code_of(step) == ErrorCode::protocol);
    CHECK(where_of(step).worker == 1);
    CHECK(scene.committed() == 4);
    CHECK(scene.clip_factor() == 0);
  }
}

TEST_CASE("if a worker sends a sum that is not finite, the error names the worker, even if its weights are finite") {
  for (const double sum : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    LyingScene scene({sum});
    const auto step = [&] { scene.step(); };
    CHECK(code_of(step) == ErrorCode::non_finite_weights);
    CHECK(where_of(step).worker == 1);
    CHECK(scene.committed() == 4);
    CHECK(scene.clip_factor() == 1);
  }
}
