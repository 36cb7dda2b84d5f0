#include <doctest/doctest.h>

#include "runtime/silence.hpp"

using namespace troupe;
using namespace std::chrono_literals;

namespace {

/// A watched process and a clock that the test controls.
struct Scene {
  Silence::Verdict look(std::chrono::milliseconds later, std::uint64_t sign) {
    return silence.look(sign, now += later);
  }
  /// Looks `times` times in the regular interval, without a new sign of life. Returns the last verdict.
  Silence::Verdict look_often(int times, std::uint64_t sign) {
    Silence::Verdict verdict = Silence::Verdict::lives;
    for (int i = 0; i < times; ++i) verdict = look(Silence::kEvery, sign);
    return verdict;
  }

  Silence silence{{.suspect_after = 1s, .cut_after = 5s}};
  Clock::time_point now;
};

}  // namespace

TEST_CASE("a silent process is suspected once and then reported as gone") {
  Scene scene;
  CHECK(scene.look(0ms, 7) == Silence::Verdict::lives);
  CHECK(scene.look_often(4, 7) == Silence::Verdict::lives);
  CHECK(scene.look_often(1, 7) == Silence::Verdict::suspect);
  CHECK(scene.silence.text() == "no sign of life for 1.0 s");
  CHECK(scene.look_often(19, 7) == Silence::Verdict::lives);
  CHECK(scene.look_often(1, 7) == Silence::Verdict::gone);
  CHECK(scene.look_often(1, 7) == Silence::Verdict::gone);
}

TEST_CASE("a sign of life ends a silence, and the next silence is reported again") {
  Scene scene;
  scene.look(0ms, 7);
  CHECK(scene.look_often(5, 7) == Silence::Verdict::suspect);
  CHECK(scene.look_often(1, 8) == Silence::Verdict::lives);
  CHECK(scene.silence.text() == "no sign of life for 0.0 s");
  CHECK(scene.look_often(5, 8) == Silence::Verdict::suspect);
  CHECK(scene.look_often(1, 7) == Silence::Verdict::lives);  // any other value is a sign
}

TEST_CASE("time without looks does not count as silence") {
  Scene scene;
  scene.look(0ms, 7);
  CHECK(scene.look(1h, 7) == Silence::Verdict::lives);
  CHECK(scene.look(1h, 7) == Silence::Verdict::lives);
  CHECK(scene.look(1h, 7) == Silence::Verdict::suspect);  // each look counts for at most twice the interval
  for (int i = 0; i < 9; ++i) CHECK(scene.look(1h, 7) == Silence::Verdict::lives);
  CHECK(scene.look(1h, 7) == Silence::Verdict::gone);
}

TEST_CASE("an enormous limit means no limit") {
  Silence silence(Silence::Limits{std::chrono::milliseconds::max(), std::chrono::milliseconds::max()});
  Clock::time_point now;
  for (int i = 0; i < 1000; ++i) CHECK(silence.look(7, now += Silence::kEvery) == Silence::Verdict::lives);
}

TEST_CASE("a limit of zero means no limit") {
  Silence silence(Silence::Limits{});
  Clock::time_point now;
  for (int i = 0; i < 1000; ++i) CHECK(silence.look(7, now += Silence::kEvery) == Silence::Verdict::lives);
}
