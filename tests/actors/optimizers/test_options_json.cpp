#include <doctest/doctest.h>

#include "actors/messages/options_json.hpp"
#include "support/errors.hpp"

using namespace troupe;

namespace {

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  REQUIRE(text.find(from) != std::string::npos);
  return text.replace(text.find(from), from.size(), to);
}

}  // namespace

TEST_CASE("optimizer options keep every field and every bit in JSON") {
  OptimizerSettings options;
  options.kind = "adamw";
  options.learning_rate = 0.1;
  options.momentum = 1.0 / 3;
  options.nesterov = true;
  options.weight_decay = 1e-300;
  options.beta1 = 0.8;
  options.beta2 = 0.99;
  options.epsilon = 5e-324;
  options.clip_norm = 0.3;
  options.schedule = {ScheduleKind::wsd, 1, 2, 0.7, 3, 0.2, 4};
  options.groups = {{"*.bias", 0.0, 0.1 + 0.2}, {"\"?\\:\xc3\xa4", {}, 2, false, 3}};
  const OptimizerSettings read = optimizer_from_json(to_json(options));
  CHECK(to_json(read) == to_json(options));
  CHECK(read.kind == "adamw");
  CHECK(read.momentum == options.momentum);
  CHECK(read.weight_decay == 1e-300);
  CHECK(read.epsilon == 5e-324);
  CHECK(read.clip_norm == 0.3);
  CHECK(read.schedule.kind == ScheduleKind::wsd);
  CHECK(read.schedule.decay_steps == 4);
  REQUIRE(read.groups.size() == 2);
  CHECK(read.groups[0].pattern == "*.bias");
  CHECK(read.groups[0].weight_decay == 0.0);
  CHECK(read.groups[0].learning_rate_factor == 0.1 + 0.2);
  CHECK(read.groups[1].pattern == "\"?\\:\xc3\xa4");
  CHECK_FALSE(read.groups[1].weight_decay.has_value());
  CHECK(read.groups[0].dimensions == 0);
  CHECK(read.groups[1].dimensions == 3);
  CHECK(optimizer_kind(to_json(options)) == "adamw");
}

TEST_CASE("invalid texts of optimizer options are refused") {
  OptimizerSettings options;
  options.groups = {{"*.bias", 0.0, 1}};
  const std::string good = to_json(options);
  for (const std::string& bad :
       {std::string(), std::string("[]"), replaced(good, "\"kind\"", "\"kin\""), replaced(good, "\"sgd\"", "1"),
        replaced(good, "\"groups\":[", "\"groups\":[{},"), replaced(good, "\"groups\":[", "\"groups\":[1,"),
        replaced(good, "\"*.bias\"", "null"), replaced(good, "\"weight_decay\":0.0", "\"weight_decay\":\"0\"")}) {
    CAPTURE(bad);
    CHECK(code_of([&] { optimizer_from_json(bad); }) == ErrorCode::protocol);
  }
  for (const char* text : {"", "[]", "{}", R"({"kind":1})"}) CHECK(optimizer_kind(text).empty());
}
