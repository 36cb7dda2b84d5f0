#include <doctest/doctest.h>

#include "runtime/silence.hpp"

using namespace troupe;
using namespace std::chrono_literals;

namespace {

/// Somebody who is looked at by a clock of the test's.
struct Scene {
  Silence::Verdict look(std::chrono::milliseconds later, std::uint64_t sign) {
    return silence.look(sign, now += later);
  }
  /// So many looks, each as late as it should be, at somebody who gives no sign; the verdict of the last.
  Silence::Verdict look_often(int times, std::uint64_t sign) {
    Silence::Verdict verdict = Silence::Verdict::lives;
    for (int i = 0; i < times; ++i) verdict = look(Silence::kEvery, sign);
    return verdict;
  }

  Silence silence{{.suspect_after = 1s, .cut_after = 5s}};
  Clock::time_point now;
};

}  // namespace

TEST_CASE("who is silent is suspect, once, and then gone") {
  Scene scene;
  CHECK(scene.look(0ms, 7) == Silence::Verdict::lives);
  CHECK(scene.look_often(4, 7) == Silence::Verdict::lives);
  CHECK(scene.look_often(1, 7) == Silence::Verdict::suspect);
  CHECK(scene.silence.text() == "no sign of life for 1.0 s");
  CHECK(scene.look_often(19, 7) == Silence::Verdict::lives);
  CHECK(scene.look_often(1, 7) == Silence::Verdict::gone);
  CHECK(scene.look_often(1, 7) == Silence::Verdict::gone);
}

TEST_CASE("a sign of life ends a silence, and the next one is told again") {
  Scene scene;
  scene.look(0ms, 7);
  CHECK(scene.look_often(5, 7) == Silence::Verdict::suspect);
  CHECK(scene.look_often(1, 8) == Silence::Verdict::lives);
  CHECK(scene.silence.text() == "no sign of life for 0.0 s");
  CHECK(scene.look_often(5, 8) == Silence::Verdict::suspect);
  CHECK(scene.look_often(1, 7) == Silence::Verdict::lives);  // other is enough
}

TEST_CASE("time in which nobody looked does not count") {
  Scene scene;
  scene.look(0ms, 7);
  CHECK(scene.look(1h, 7) == Silence::Verdict::lives);
  CHECK(scene.look(1h, 7) == Silence::Verdict::lives);
  CHECK(scene.look(1h, 7) == Silence::Verdict::suspect);  // each look stands for twice its time
  for (int i = 0; i < 9; ++i) CHECK(scene.look(1h, 7) == Silence::Verdict::lives);
  CHECK(scene.look(1h, 7) == Silence::Verdict::gone);
}

TEST_CASE("a limit beyond all reason is as good as none") {
  Silence silence(Silence::Limits{std::chrono::milliseconds::max(), std::chrono::milliseconds::max()});
  Clock::time_point now;
  for (int i = 0; i < 1000; ++i) CHECK(silence.look(7, now += Silence::kEvery) == Silence::Verdict::lives);
}

TEST_CASE("a limit of zero is none") {
  Silence silence(Silence::Limits{});
  Clock::time_point now;
  for (int i = 0; i < 1000; ++i) CHECK(silence.look(7, now += Silence::kEvery) == Silence::Verdict::lives);
}
