#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "collectives/state/page_sum.hpp"
#include "collectives/state/state_copy.hpp"
#include "support/errors.hpp"

using namespace troupe;

namespace {

const CopyContents kContents{
    .run = 7, .number = 3, .holder = 1, .vectors = 3, .size = 5000, .own = {1024, 3072}, .kept = {0, 1024}};

}  // namespace

TEST_CASE("checksums of the parts of a range add up if it is divided at page borders") {
  std::vector<float> floats(5000);
  std::iota(floats.begin(), floats.end(), 1.0F);
  const std::span<const float> all(floats);
  const std::uint64_t whole = page_sum(all, 0);
  CHECK(page_sum(all.first(1024), 0) + page_sum(all.subspan(1024), 1024) == whole);
  CHECK(page_sum(all.first(3072), 0) + page_sum(all.subspan(3072), 3072) == whole);
  std::swap(floats[0], floats[1024]);
  CHECK(page_sum(all, 0) != whole);
  std::swap(floats[0], floats[1024]);
  CHECK(page_sum(all, 0) == whole);
  std::swap_ranges(floats.begin(), floats.begin() + 1024, floats.begin() + 1024);  // two whole pages
  CHECK(page_sum(all, 0) != whole);
  CHECK(page_sum({}, 0) == 0);
}

TEST_CASE("a complete copy survives the object that made it, an incomplete one does not") {
  const FileDescriptor file = open_memory_file("test");
  {
    StateCopy copy(duplicate(file.get()));
    CHECK_FALSE(copy.contents());
    copy.begin(kContents);
    CHECK_FALSE(copy.contents());
    CHECK(copy.weights().size() == 5000);
    CHECK(copy.own(1).size() == 2048);
    CHECK(copy.kept(2).size() == 1024);
    CHECK(copy.all_own().data() == copy.own(1).data());
    CHECK(copy.all_kept().data() + 1024 == copy.kept(2).data());
    std::ranges::fill(copy.weights(), 1.0F);
    std::ranges::fill(copy.all_own(), 2.0F);
    std::ranges::fill(copy.all_kept(), 3.0F);
    copy.complete();
  }
  {
    StateCopy copy(duplicate(file.get()));
    REQUIRE(copy.contents() == kContents);
    CHECK(copy.weights().back() == 1.0F);
    CHECK(copy.own(2).front() == 2.0F);
    CHECK(copy.own(2).back() == 2.0F);
    CHECK(copy.kept(1).front() == 3.0F);
    CHECK(copy.kept(2).back() == 3.0F);
    CHECK(code_of([&] { copy.own(3); }) == ErrorCode::protocol);
    CopyContents next = kContents;
    next.number = 5;
    copy.begin(next);
  }
  StateCopy copy(duplicate(file.get()));
  CHECK_FALSE(copy.contents());
  CHECK(copy.bytes() == 0);
  CHECK(code_of([&] { copy.weights(); }) == ErrorCode::protocol);
}
