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

/// Text of so many bytes, zeros and others that JSON has to escape among them.
std::string text(std::size_t size) {
  std::string text(size, '\0');
  for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i % 128);
  return text;
}

}  // namespace

TEST_CASE("functions take arguments and return them, whatever they are, in all placements") {
  for (const Placement placement : {Placement::in_process, Placement::processes}) {
    DistributedSGD sgd("noise", noise(placement));
    const auto check = [&](const Json& arguments) {
      const auto by = [&](int of) { return Json{{"of", of}, {"got", arguments}}; };
      CHECK((sgd.foreach_model("echo", arguments) == std::vector<Json>(4, by(7))));
      CHECK((sgd.call_model("echo", arguments) == by(7)));
      CHECK((sgd.foreach_worker("echo", arguments) == std::vector<Json>{by(0), by(1)}));
    };
    for (const std::size_t size : {0, 1, 2, 3, 4, 5, 256, 4095, 4096, 1'000'001}) {
      CAPTURE(size);
      check(text(size));
    }
    for (const Json& arguments : {Json(), Json(0), Json(false), Json(-0.1), Json(1e-300), Json("\u00e4\u20ac"),
                                  Json::array(), Json::object(), Json{{"layer", "fc"}, {"numbers", {1, 2.5, nullptr}}}})
      check(arguments);
    CHECK(sgd.foreach_worker("echo") ==
          std::vector<Json>{{{"of", 0}, {"got", nullptr}}, {{"of", 1}, {"got", nullptr}}});
    CHECK(sgd.foreach_worker("swallow", 1) == std::vector<Json>(2));
    sgd.step();  // unharmed
  }
}

TEST_CASE("a function that is empty is none") {
  CHECK(ModelFunction([](Model&, std::span<const float>) { return 1; }));
  CHECK_FALSE(ModelFunction(std::function<Json(Model&, std::span<const float>, const Json&)>()));
  CHECK_FALSE(WorkerFunction(std::function<int(const WorkerView&)>()));
  CHECK_FALSE(WorkerFunction(static_cast<int (*)(const WorkerView&)>(nullptr)));
}

TEST_CASE("arguments and results that JSON cannot bring over are refused, and name what is wrong") {
  DistributedSGD sgd("noise", noise(Placement::in_process));
  const auto refused = [](const auto& call, const char* what) {
    CHECK(code_of(call) == ErrorCode::invalid_argument);
    CHECK_MESSAGE(message_of(call).find(what) != std::string::npos, message_of(call));
  };
  refused([&] { sgd.call_model("echo", "\xff"); }, "the function's arguments: text is not valid UTF-8");
  refused([&] { sgd.call_model([](Model&, auto) { return "\xff"; }); }, "not valid UTF-8");
  Json deep;
  for (int level = 0; level < 200; ++level) deep = Json::array({deep});
  refused([&] { sgd.call_model("echo", deep); }, "deep");
  // By value: another worker may still be at it when the call has thrown.
  refused([&] { sgd.foreach_worker([deep](const WorkerView&) { return deep; }); }, "deep");
  refused([&] { sgd.call_model("echo", std::vector<Json>(6'000'000, Json::array())); }, "memory");
}

TEST_CASE(
    "an argument of 64 MiB is taken, and one of more refused by its size; what goes wrong leaves nothing behind") {
  Options options = noise(Placement::in_process);
  options.memory.store_bytes = 2 * kMost;  // room for one argument and what the run needs, but not for two
  DistributedSGD sgd("noise", options);
  const std::string most(kMost - 2, 'x');  // and its quotes
  const std::vector<Json> all(2, most.size());
  for (int again = 0; again < 3; ++again) CHECK(sgd.foreach_worker("length", most) == all);
  for (int again = 0; again < 2; ++again)
    CHECK(message_of([&] { sgd.foreach_worker("fails-with", most); }).find("this function fails") != std::string::npos);
  CHECK(sgd.foreach_worker("length", most) == all);
  const auto more = [&] { sgd.foreach_worker("length", most + "x"); };
  CHECK(code_of(more) == ErrorCode::invalid_argument);
  CHECK(message_of(more).find("67108865 bytes; the limit is 67108864 bytes") != std::string::npos);
  CHECK(code_of([&] { sgd.foreach_model("echo", most + "x"); }) == ErrorCode::invalid_argument);
}

TEST_CASE("a function that takes no argument refuses one") {
  for (const Placement placement : {Placement::in_process, Placement::processes}) {
    DistributedSGD sgd("noise", noise(placement));
    CHECK(sgd.foreach_worker("who", nullptr).size() == 2);
    for (const auto& call : {std::function([&] { sgd.foreach_worker("who", "me"); }),
                             std::function([&] { sgd.call_model("first-weight", "please"); })}) {
      CHECK(code_of(call) == ErrorCode::invalid_argument);
      CHECK(message_of(call).find("takes no argument") != std::string::npos);
    }
  }
}

TEST_CASE("an empty function is none, whatever it would take") {
  CHECK(code_of([] { register_model_function("empty", ModelFunction()); }) == ErrorCode::invalid_argument);
  CHECK(code_of([] { register_worker_function("empty", WorkerFunction()); }) == ErrorCode::invalid_argument);
}
