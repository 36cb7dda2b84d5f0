#include <doctest/doctest.h>

#include <numeric>

#include "actors/test_models.hpp"
#include "support/errors.hpp"

using namespace troupe;
using troupe_test::quiet_options;

namespace {

constexpr std::size_t kMost = std::size_t{64} << 20;

Options noise(Placement placement) {
  Options options = quiet_options(placement, 2);
  options.compute.devices_per_worker = 2;
  options.config = "7";
  return options;
}

/// Of all values, zeros among them, `size` of them.
std::string bytes(std::size_t size) {
  std::string text(size, '\0');
  std::iota(text.begin(), text.end(), '\0');
  return text;
}

}  // namespace

TEST_CASE("functions take an argument and return it, whatever bytes it has, in all placements") {
  for (const Placement placement : {Placement::in_process, Placement::processes}) {
    DistributedSGD sgd("noise", noise(placement));
    for (const std::size_t size : {0, 1, 2, 3, 4, 5, 256, 4095, 4096, 1'000'001}) {
      CAPTURE(size);
      const std::string argument = bytes(size);
      CHECK((sgd.foreach_model("echo", argument) == std::vector<std::string>(4, argument + "7")));
      CHECK((sgd.for_model("echo", argument) == argument + "7"));
      CHECK((sgd.foreach_worker("echo", argument) == std::vector<std::string>{argument + "0", argument + "1"}));
    }
    CHECK(sgd.for_model("echo", R"({"layer": "fc"})") == R"({"layer": "fc"}7)");
    CHECK(sgd.foreach_worker("echo") == std::vector<std::string>{"0", "1"});
    sgd.step();  // unharmed
  }
}

TEST_CASE(
    "an argument of 64 MiB is taken, and one of more refused by its size; what goes wrong leaves nothing behind") {
  Options options = noise(Placement::in_process);
  options.memory.store_bytes = 2 * kMost;  // room for one argument and what the run needs, but not for two
  DistributedSGD sgd("noise", options);
  const std::string most(kMost, 'x');
  const std::vector<std::string> all(2, std::to_string(kMost));
  for (int again = 0; again < 3; ++again) CHECK(sgd.foreach_worker("length", most) == all);
  for (int again = 0; again < 2; ++again)
    CHECK(message_of([&] { sgd.foreach_worker("fails-with", most); }).find("this function fails") != std::string::npos);
  CHECK(sgd.foreach_worker("length", most) == all);
  const auto more = [&] { sgd.foreach_worker("length", most + "x"); };
  CHECK(code_of(more) == ErrorCode::invalid_argument);
  CHECK(message_of(more).find("67108865 bytes, and 67108864 can be given") != std::string::npos);
  CHECK(code_of([&] { sgd.foreach_model("echo", most + "x"); }) == ErrorCode::invalid_argument);
}

TEST_CASE("a function that takes no argument refuses one") {
  for (const Placement placement : {Placement::in_process, Placement::processes}) {
    DistributedSGD sgd("noise", noise(placement));
    CHECK(sgd.foreach_worker("who", "").size() == 2);
    for (const auto& call : {std::function([&] { sgd.foreach_worker("who", "me"); }),
                             std::function([&] { sgd.for_model("first-weight", "please"); })}) {
      CHECK(code_of(call) == ErrorCode::invalid_argument);
      CHECK(message_of(call).find("takes no argument") != std::string::npos);
    }
  }
}

TEST_CASE("an empty function is none, whatever it would take") {
  CHECK(code_of([] { register_model_function("empty", ModelFunction()); }) == ErrorCode::invalid_argument);
  CHECK(code_of([] { register_model_function("empty", ModelFunctionWithArgument()); }) == ErrorCode::invalid_argument);
  CHECK(code_of([] { register_worker_function("empty", WorkerFunction()); }) == ErrorCode::invalid_argument);
}
