#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <stdexcept>

#include "collectives/state/versions.hpp"

using namespace troupe;

namespace {

/// Returns versions with two buffers. The first version is committed in buffer 0.
Versions begun() {
  Versions versions;
  versions.begin(2);
  versions.commit(*versions.spare(), {10, 4});
  return versions;
}

/// Commits a step into the spare buffer.
void step(Versions& versions) {
  const Version from = versions.committed();
  versions.commit(*versions.spare(), {from.step + 1, from.updates + 1});
}

/// The contents of buffers: for each buffer, the number of the last write.
class Contents {
 public:
  explicit Contents(int buffers) : buffers_(static_cast<std::size_t>(buffers)) {}

  std::int64_t& at(int buffer) { return buffers_.at(static_cast<std::size_t>(buffer)); }
  void carry(const std::vector<int>& from, int buffers) {
    std::vector<std::int64_t> next(static_cast<std::size_t>(buffers), -1);
    for (std::size_t i = 0; i < from.size(); ++i) next.at(i) = at(from[i]);
    buffers_ = next;
  }

 private:
  std::vector<std::int64_t> buffers_;
};

}  // namespace

TEST_CASE("without weights there are no live buffers, and begin() provides a spare buffer") {
  Versions versions;
  CHECK_FALSE(versions.any());
  CHECK(versions.live().empty());
  CHECK(versions.pinned() == 0);
  CHECK(versions.buffers_needed() == 2);
  CHECK_FALSE(versions.spare());
  versions.begin(2);
  CHECK_FALSE(versions.any());
  CHECK(versions.spare() == 0);
}

TEST_CASE("a commit makes the written buffer the committed one") {
  Versions versions = begun();
  CHECK(versions.any());
  CHECK(versions.buffer() == 0);
  CHECK(versions.committed() == Version{10, 4});
  CHECK(versions.spare() == 1);
  step(versions);
  CHECK(versions.buffer() == 1);
  CHECK(versions.committed() == Version{11, 5});
  CHECK(versions.live() == std::vector{1});
  CHECK(versions.spare() == 0);  // the old buffer is not pinned
  CHECK(versions.buffers_needed() == 2);
}

TEST_CASE("the buffer of a pinned version is not spare") {
  Versions versions = begun();
  const auto pin = versions.pin();
  CHECK(versions.pinned() == 0);  // the pinned buffer is also the committed one
  CHECK(versions.buffers_needed() == 2);
  step(versions);
  CHECK(versions.buffer_of(pin) == 0);
  CHECK(versions.version_of(pin) == Version{10, 4});
  CHECK(versions.live() == std::vector{0, 1});
  CHECK(versions.pinned() == 1);
  CHECK(versions.buffers_needed() == 3);
  CHECK_FALSE(versions.spare());
  versions.unpin(pin);
  CHECK(versions.spare() == 0);
  CHECK(versions.pinned() == 0);
  CHECK(versions.buffers_needed() == 2);
  CHECK_THROWS_AS(versions.buffer_of(pin), std::out_of_range);
  CHECK_THROWS_AS(versions.version_of(pin), std::out_of_range);
}

TEST_CASE("a version stays pinned until its last pin is released") {
  Versions versions = begun();
  const auto first = versions.pin();
  const auto second = versions.pin();
  CHECK(first != second);
  step(versions);
  CHECK(versions.pinned() == 1);  // one buffer, with any number of pins
  versions.unpin(first);
  CHECK(versions.buffer_of(second) == 0);
  CHECK_FALSE(versions.spare());
  versions.unpin(first);  // repeated unpin has no effect
  CHECK(versions.pinned() == 1);
  versions.unpin(second);
  CHECK(versions.spare() == 0);
}

TEST_CASE("each pin of another version keeps a buffer and has a new number") {
  Versions versions;
  versions.begin(4);
  versions.commit(*versions.spare(), {1, 1});
  std::vector<Versions::PinId> pins;
  for (int i = 0; i < 3; ++i) {
    pins.push_back(versions.pin());
    step(versions);
  }
  CHECK(versions.live() == std::vector{0, 1, 2, 3});
  CHECK(versions.pinned() == 3);
  CHECK(versions.buffers_needed() == 5);
  CHECK_FALSE(versions.spare());
  versions.unpin(pins[1]);
  CHECK(versions.live() == std::vector{0, 2, 3});
  CHECK(versions.spare() == 1);
  const auto again = versions.pin();
  CHECK(std::find(pins.begin(), pins.end(), again) == pins.end());
  CHECK(versions.version_of(pins[0]) == Version{1, 1});
  CHECK(versions.version_of(pins[2]) == Version{3, 3});
  CHECK(versions.version_of(again) == Version{4, 4});
}

TEST_CASE("a new generation numbers the live buffers from 0 on, in their earlier order") {
  Versions versions;
  versions.begin(4);
  versions.commit(3, {1, 1});
  const auto old = versions.pin();
  versions.commit(0, {2, 2});
  versions.commit(1, {3, 3});
  REQUIRE(versions.live() == std::vector{1, 3});
  versions.begin(versions.buffers_needed());
  CHECK(versions.buffer() == 0);
  CHECK(versions.buffer_of(old) == 1);
  CHECK(versions.version_of(old) == Version{1, 1});
  CHECK(versions.committed() == Version{3, 3});
  CHECK(versions.spare() == 2);
  step(versions);
  CHECK(versions.spare() == 0);  // there are three buffers and no fourth one
  versions.unpin(old);
  versions.begin(2);
  CHECK(versions.buffer() == 0);
  CHECK(versions.spare() == 1);
}

TEST_CASE("committed and pinned versions stay in their buffers for any order of writes, pins and new generations") {
  std::mt19937 random(5);
  for (int run = 0; run < 50; ++run) {
    Versions versions;
    Contents contents(2);
    std::map<Versions::PinId, std::int64_t> pins;
    versions.begin(2);
    for (std::int64_t step = 1; step < 200; ++step) {
      if (!versions.spare() || random() % 8 == 0) {
        const int buffers = versions.buffers_needed();
        contents.carry(versions.live(), buffers);
        versions.begin(buffers);
        REQUIRE(versions.spare());
      }
      contents.at(*versions.spare()) = step;
      if (random() % 4 != 0) versions.commit(*versions.spare(), {step, step});  // otherwise the step failed
      if (versions.any() && random() % 3 == 0) pins[versions.pin()] = versions.committed().step;
      if (!pins.empty() && (random() % 3 == 0 || pins.size() > 5)) {
        const auto pin = std::next(pins.begin(), static_cast<std::ptrdiff_t>(random() % pins.size()));
        versions.unpin(pin->first);
        pins.erase(pin);
      }
      if (versions.any()) REQUIRE(contents.at(versions.buffer()) == versions.committed().step);
      for (const auto& [pin, written] : pins) REQUIRE(contents.at(versions.buffer_of(pin)) == written);
    }
  }
}

TEST_CASE("forget() removes the committed version and all pins, and pin numbers are not reused") {
  Versions versions;
  versions.reserve(1);
  versions.begin(3);
  versions.commit(1, {4, 2});
  const auto pin = versions.pin();
  CHECK(versions.holds(pin));
  versions.forget();
  CHECK_FALSE(versions.any());
  CHECK(versions.live().empty());
  CHECK(versions.committed() == Version{});
  CHECK_FALSE(versions.holds(pin));
  versions.unpin(pin);
  CHECK(versions.buffers_needed() == 3);
  versions.begin(3);
  versions.commit(0, {});
  CHECK(versions.pin() != pin);
}
