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

/// Returns a text of `size` bytes, with zeros and other bytes that JSON must escape.
std::string text(std::size_t size) {
  std::string text(size, '\0');
  for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i % 128);
  return text;
}

}  // namespace

TEST_CASE("functions take and return any arguments, with every placement") {
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
    sgd.step();  // the run is unchanged
  }
}

TEST_CASE("a function object made from an empty function is empty") {
  CHECK(ModelFunction([](Model&, std::span<const float>) { return 1; }));
  CHECK_FALSE(ModelFunction(std::function<Json(Model&, std::span<const float>, const Json&)>()));
  CHECK_FALSE(WorkerFunction(std::function<int(const WorkerView&)>()));
  CHECK_FALSE(WorkerFunction(static_cast<int (*)(const WorkerView&)>(nullptr)));
}

TEST_CASE("arguments and results that JSON cannot represent are refused with an error that names the reason") {
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
  // Copied, because another worker may still use the value after the call has thrown.
  refused([&] { sgd.foreach_worker([deep](const WorkerView&) { return deep; }); }, "deep");
  refused([&] { sgd.call_model("echo", std::vector<Json>(6'000'000, Json::array())); }, "memory");
}

TEST_CASE("an argument of 64 MiB is accepted and a larger one is refused, and nothing of either remains") {
  Options options = noise(Placement::in_process);
  options.memory.store_bytes = 2 * kMost;  // room for one argument and the run, but not for two arguments
  DistributedSGD sgd("noise", options);
  const std::string most(kMost - 2, 'x');  // minus the quotes
  const std::vector<Json> all(2, most.size());
  CHECK(sgd.foreach_worker("length", most) == all);
  CHECK(message_of([&] { sgd.foreach_worker("fails-with", most); }).find("this function fails") != std::string::npos);
  CHECK(sgd.foreach_worker("length", most) == all);
  const auto more = [&] { sgd.foreach_worker("length", most + "x"); };
  CHECK(code_of(more) == ErrorCode::invalid_argument);
  CHECK(message_of(more).find("67108865 bytes; the limit is 67108864 bytes") != std::string::npos);
  CHECK(code_of([&] { sgd.foreach_model("echo", most + "x"); }) == ErrorCode::invalid_argument);
}

TEST_CASE("a function without an argument refuses an argument") {
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

TEST_CASE("empty functions cannot be registered") {
  CHECK(code_of([] { register_model_function("empty", ModelFunction()); }) == ErrorCode::invalid_argument);
  CHECK(code_of([] { register_worker_function("empty", WorkerFunction()); }) == ErrorCode::invalid_argument);
}
