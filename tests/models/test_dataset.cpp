#include <doctest/doctest.h>

#include <limits>
#include <vector>

#include "files.hpp"
#include "troupe/data.hpp"

using namespace troupe;
using troupe::testing::check_throws;

TEST_CASE("a dataset gathers samples in the order asked for") {
  const Dataset set = Dataset::classes({2}, std::vector<float>{0, 1, 10, 11, 20, 21}, {2, 0, 1}, 3);
  CHECK(set.size() == 3);
  CHECK(set.sample_size() == 2);
  CHECK(set.num_classes() == 3);
  std::vector<float> out(6);
  set.gather(std::vector<std::int64_t>{2, 0, 2}, out);
  CHECK(out == std::vector<float>{20, 21, 0, 1, 20, 21});
}

TEST_CASE("bytes become scaled floats") {
  const Dataset set = Dataset::classes({1, 2}, std::vector<std::uint8_t>{0, 255, 51, 102}, 1.0F / 255, {0, 0}, 1);
  std::vector<float> out(2);
  set.gather(std::vector<std::int64_t>{1}, out);
  CHECK(out[0] == doctest::Approx(0.2));
  CHECK(out[1] == doctest::Approx(0.4));
}

TEST_CASE("a regression has targets and no classes") {
  const Dataset set = Dataset::targets({1}, {1, 2}, {3, 4});
  CHECK(set.num_classes() == 0);
  CHECK(set.labels().empty());
  CHECK(set.target_values()[1] == 4);
}

TEST_CASE("data that does not fit is refused") {
  using Floats = std::vector<float>;
  const auto bad = [](const std::string& what, auto call) { check_throws(ErrorCode::bad_data, what, call); };
  bad("5 values", [] { Dataset::classes({2}, Floats(5), {0, 0}, 1); });
  bad("4 values", [] { Dataset::classes({2}, Floats(4), {0, 0, 0}, 1); });
  bad("4 values", [] { Dataset::targets({3}, Floats(4), {0, 0}); });
  bad("label 3", [] { Dataset::classes({1}, Floats(2), {0, 3}, 3); });
  bad("label -1", [] { Dataset::classes({1}, std::vector<std::uint8_t>(2), 1, {0, -1}, 3); });
  bad("classes", [] { Dataset::classes({1}, Floats(1), {0}, 0); });
  bad("without samples", [] { Dataset::targets({1}, {}, {}); });
  bad("a length of 0", [] { Dataset::targets({3, 0}, {}, {1}); });
  bad("too large", [] {
    constexpr std::int64_t kHuge = std::int64_t{1} << 40;
    Dataset::targets({kHuge, kHuge}, {}, {1});
  });
}

TEST_CASE("gathering outside of the samples or into another length is refused") {
  const Dataset set = Dataset::targets({1}, {1, 2}, {3, 4});
  std::vector<float> out(1);
  const auto gather = [&](std::int64_t index) { set.gather(std::vector<std::int64_t>{index}, out); };
  check_throws(ErrorCode::invalid_argument, "sample 2", [&] { gather(2); });
  check_throws(ErrorCode::invalid_argument, "sample -1", [&] { gather(-1); });
  out.resize(2);
  check_throws(ErrorCode::invalid_argument, "2 floats", [&] { gather(0); });
}
