#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "models/data/samples.hpp"
#include "models/files.hpp"
#include "troupe/data.hpp"
#include "troupe/models.hpp"

using namespace troupe;
using namespace troupe::testing;

TEST_CASE("a dataset returns samples and classes in the requested order") {
  const Dataset set = Dataset::classes({2}, std::vector<float>{0, 1, 10, 11, 20, 21}, {2, 0, 1}, 3);
  CHECK(set.info().num_samples == 3);
  CHECK(set.info().sample_size() == 2);
  CHECK(set.info().num_classes == 3);
  CHECK(set.info().num_targets == 0);
  const Samples read = read_samples(set, {2, 0, 2});
  CHECK(read.values == std::vector<float>{20, 21, 0, 1, 20, 21});
  CHECK(read.labels == std::vector<std::int32_t>{1, 2, 1});
}

TEST_CASE("bytes become scaled floats") {
  const Dataset set = Dataset::classes({1, 2}, std::vector<std::uint8_t>{0, 255, 51, 102}, 1.0F / 255, {0, 0}, 1);
  const Samples read = read_samples(set, {1});
  CHECK(read.values[0] == doctest::Approx(0.2));
  CHECK(read.values[1] == doctest::Approx(0.4));
}

TEST_CASE("a regression dataset has one or several targets a sample and no classes") {
  const Dataset one = Dataset::targets({1}, {1, 2}, {3, 4});
  CHECK(one.info().num_classes == 0);
  CHECK(one.info().num_targets == 1);
  CHECK(read_samples(one, {1}).targets == std::vector<float>{4});
  const Dataset several = Dataset::targets({1}, {1, 2}, {3, 4, 5, 6, 7, 8}, 3);
  CHECK(several.info().num_samples == 2);
  CHECK(several.info().num_targets == 3);
  CHECK(read_samples(several, {1, 0}).targets == std::vector<float>{6, 7, 8, 3, 4, 5});
}

TEST_CASE("data with mismatched sizes or values that are not finite is refused") {
  using Values = std::vector<float>;
  const auto bad = [](const std::string& what, auto call) { check_throws(ErrorCode::bad_data, what, call); };
  bad("5 values", [] { Dataset::classes({2}, Values(5), {0, 0}, 1); });
  bad("4 values", [] { Dataset::classes({2}, Values(4), {0, 0, 0}, 1); });
  bad("4 values", [] { Dataset::targets({3}, Values(4), {0, 0}); });
  bad("5 targets cannot be split into 2 per sample", [] { Dataset::targets({1}, Values(2), Values(5), 2); });
  bad("0 per sample", [] { Dataset::targets({1}, Values(2), Values(2), 0); });
  bad("target inf of sample 1 is not finite", [] { Dataset::targets({1}, Values(2), {0, 1, INFINITY, 2}, 2); });
  bad("value nan of sample 1 is not finite", [] { Dataset::classes({2}, Values{0, 1, NAN, 2}, {0, 0}, 1); });
  bad("my.csv", [] { Dataset::classes({1}, Values(2), {0, 3}, 3, "my.csv"); });
  bad("label 3", [] { Dataset::classes({1}, Values(2), {0, 3}, 3); });
  bad("label -1", [] { Dataset::classes({1}, std::vector<std::uint8_t>(2), 1, {0, -1}, 3); });
  bad("not in [0, 0)", [] { Dataset::classes({1}, Values(1), {0}, 0); });
  bad("has no samples", [] { Dataset::targets({1}, {}, {}); });
  bad("a length of 0", [] { Dataset::targets({3, 0}, {}, {1}); });
  bad("too large", [] {
    constexpr std::int64_t kHuge = std::int64_t{1} << 40;
    Dataset::targets({kHuge, kHuge}, {}, {1});
  });
}

TEST_CASE("unlabelled samples have neither classes nor targets") {
  const Dataset set = Dataset::unlabelled({2}, {1, 2, 3, 4}, "new.npy");
  CHECK(set.info().num_samples == 2);
  CHECK(set.info().num_classes + set.info().num_targets == 0);
  CHECK(read_samples(set, {1}).values == std::vector<float>{3, 4});
  check_throws(ErrorCode::bad_data, "3 values", [] { Dataset::unlabelled({2}, {1, 2, 3}); });
  check_throws(ErrorCode::bad_data, "has no samples", [] { Dataset::unlabelled({2}, {}); });
  const auto shared = std::make_shared<const Dataset>(set);
  check_throws(ErrorCode::bad_data, "neither classes nor targets", [&] {
    models::network({models::flatten(), models::linear(2)}, {.train = shared});
  });
}
