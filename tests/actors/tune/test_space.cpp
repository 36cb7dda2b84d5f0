#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <set>
#include <string>

#include "actors/tune/space.hpp"
#include "troupe/error.hpp"
#include "troupe/tune.hpp"

namespace troupe::tune {
namespace {

std::string refusal(const Json& space) {
  try {
    Space{space};
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::invalid_argument);
    return error.message();
  }
  return "";
}

TEST_CASE("values are drawn from the whole range and only from it") {
  const Space space(Json{{"a", uniform(-1, 1)},
                         {"b", loguniform(1e-4, 1)},
                         {"c", quniform(0, 1, 0.25)},
                         {"d", randint(-2, 3)},
                         {"e", choice({"x", 7, Json::object({{"y", 1}})})},
                         {"f", {{"g", uniform(5, 6)}, {"h", Json::array({1, 2})}}},
                         {"i", "as it is"}});
  std::map<std::string, int> below, seen;
  for (std::int64_t i = 0; i < 4000; ++i) {
    const Json config = space.config(3, i);
    const double a = config["a"], b = config["b"], c = config["c"], g = config["f"]["g"];
    CHECK((a >= -1 && a < 1));
    CHECK((b >= 1e-4 && b < 1));
    CHECK((g >= 5 && g < 6));
    CHECK(c * 4 == std::round(c * 4));
    below["a"] += a < 0;
    below["b"] += b < 1e-2;
    ++seen["c" + std::to_string(c)];
    ++seen["d" + std::to_string(config["d"].get<int>())];
    ++seen["e" + config["e"].dump()];
    CHECK(config["f"]["h"] == Json::array({1, 2}));
    CHECK(config["i"] == "as it is");
  }
  // Of 4,000 values 2,000 +- 32 are below the middle. The limit is five standard deviations.
  CHECK(std::abs(below["a"] - 2000) < 160);
  CHECK(std::abs(below["b"] - 2000) < 160);
  CHECK(seen.size() == 5 + 5 + 3);
  CHECK(std::abs(seen["d-2"] - 800) < 130);
  CHECK(std::abs(seen["e7"] - 1333) < 150);
  CHECK(std::abs(seen["c0.250000"] - 1000) < 140);
}

TEST_CASE("a trial's values are a function of seed and number, independent of other values in the space") {
  const Space few(Json{{"lr", uniform(0, 1)}});
  const Space more(Json{{"also", randint(0, 10)}, {"lr", uniform(0, 1)}, {"n", grid({1, 2})}});
  std::set<double> values;
  for (std::int64_t i = 0; i < 100; ++i) {
    CHECK(few.config(1, i) == few.config(1, i));
    CHECK(few.config(1, i)["lr"] == more.config(1, i)["lr"]);
    CHECK(few.config(1, i)["lr"] != few.config(2, i)["lr"]);
    values.insert(few.config(1, i)["lr"].get<double>());
  }
  CHECK(values.size() == 100);
}

TEST_CASE("multiples of a step stay within their range, and are whole numbers if range and step are") {
  const Space space(Json{{"a", {{"quniform", {16, 64, 16}}}}, {"b", quniform(0, 1, 0.4)}, {"c", quniform(4, 4, 2)}});
  std::set<std::string> seen;
  for (std::int64_t i = 0; i < 200; ++i) {
    const Json config = space.config(1, i);
    seen.insert(config["a"].dump());
    seen.insert(config["b"].dump());
    CHECK(config["c"] == 4);
  }
  CHECK(seen == std::set<std::string>{"16", "32", "48", "64", "0.0", "0.4", "0.8"});
}

TEST_CASE("grids produce all combinations in turn") {
  const Space space(Json{{"a", grid({1, 2, 3})}, {"b", {{"c", grid({"x", "y"})}}}});
  CHECK(space.combinations() == 6);
  std::set<std::string> all;
  for (std::int64_t i = 0; i < 6; ++i) all.insert(space.config(1, i).dump());
  CHECK(all.size() == 6);
  CHECK(space.config(1, 0) == space.config(1, 6));
  CHECK(space.config(1, 0)["a"] == space.config(1, 1)["a"]);
}

TEST_CASE("the error for an invalid space names the key") {
  CHECK(refusal(7).find("a space must be an object") == 0);
  CHECK(refusal({{"lr", uniform(1, 0)}}) == "space: 'lr' is uniform from 1.0 to 0.0: low is above high");
  CHECK(refusal({{"lr", uniform(1, 1)}}) == "space: 'lr' is uniform from 1.0 to 1.0, which is empty");
  CHECK(refusal({{"lr", loguniform(0, 1)}}) ==
        "space: 'lr' is loguniform from 0.0 to 1.0, and there is no logarithm of 0.0");
  CHECK(refusal({{"o", {{"n", randint(3, 3)}}}}) == "space: 'o.n' is randint from 3 to 3, which is empty");
  CHECK(refusal({{"n", {{"randint", {1.5, 3}}}}}) == "space: 'n' is randint from 1.5 to 3, which requires integers");
  CHECK(refusal({{"n", {{"uniform", {1}}}}}).find("which requires [low, high]") != std::string::npos);
  CHECK(refusal({{"n", {{"uniform", {"a", "b"}}}}}).find("which requires [low, high]") != std::string::npos);
  CHECK(refusal({{"n", quniform(3, 3, 2)}}).find("where no multiple of 2.0 lies") != std::string::npos);
  CHECK(refusal({{"n", quniform(0, 1, 0)}}).find("which are not above 0") != std::string::npos);
  CHECK(refusal({{"n", {{"randint", {0, 18446744073709551615u}}}}}).find("requires integers") != std::string::npos);
  CHECK(refusal({{"n", uniform(-1e308, 1e308)}}).find("too wide") != std::string::npos);
  CHECK(refusal({{"n", uniform(0, HUGE_VAL)}}).find("not finite") != std::string::npos);
  CHECK(refusal({{"n", choice({})}}).find("requires a non-empty list") != std::string::npos);
  CHECK(refusal({{"n", {{"loguniforn", {1, 2}}}}}) ==
        "space: 'n' has an unknown distribution 'loguniforn'; did you mean 'loguniform'?");
  CHECK(refusal({{"layers", {{"hidden", {64, 64}}}}}).empty());  // an ordinary value
}

}  // namespace
}  // namespace troupe::tune
