#include <doctest/doctest.h>

#include <cmath>

#include "actors/driver/gathered_evaluation.hpp"
#include "support/errors.hpp"

using namespace troupe;

namespace {

constexpr EvaluationOptions kAsked{.confusion = true, .top_k = 2, .errors = true};

/// Returns measures of two shards with two and three samples of two classes, one target and one metric.
Measures told_measures() {
  Measures measures{{2, 1, 0, 2}, {}};
  measures.shards.push_back({1, 1, 2, 2, {}, {{4, 2, 1, 0}}, {10}});
  measures.shards.push_back({2, 1, 3, 1, {}, {{6, 3, 3, 2}}, {20}});
  return measures;
}

Evaluated reply_of(std::int32_t first, const Measures& measures) {
  Evaluated reply{1, {}, {first, first + 1}, {to_bits(1), to_bits(2)}, {1, 1}, {2, 3}, {"own"}, 2, 1, true};
  reply.measure_bytes = to_text(reply.shape(), measures).size();
  return reply;
}

void add(GatheredEvaluation& gathered, std::int32_t first, const Measures& measures, int worker) {
  const Evaluated reply = reply_of(first, measures);
  gathered.add(reply, to_text(reply.shape(), measures), {worker, "alice", "evaluate"});
}

/// Changes the measures of a worker with `change`, and returns the error code of their check.
template <class Change>
std::optional<ErrorCode> refused_lie(Change change) {
  Measures lie = told_measures();
  change(lie);
  GatheredEvaluation gathered(4);
  add(gathered, 0, told_measures(), 0);
  const auto listen = [&] { add(gathered, 2, lie, 1); };
  CHECK(where_of(listen).worker == 1);
  return code_of(listen);
}

}  // namespace

TEST_CASE("a worker without samples adds nothing, whatever measures it sends") {
  GatheredEvaluation gathered(4);
  add(gathered, 0, told_measures(), 0);
  Measures many{std::vector<std::int64_t>(1000 * 1000), {}};
  many.shards.resize(2);
  Evaluated nothing{1, {}, {2, 3}, {to_bits(0), to_bits(0)}, {0, 0}, {0, 0}, {"own"}, 1000, 300, true};
  gathered.add(nothing, to_text(nothing.shape(), many), {1, "bob", "evaluate"});
  const Evaluation found = gathered.evaluation(kAsked);
  CHECK(found.samples == 5);
  CHECK(found.confusion == std::vector<std::int64_t>{2, 1, 0, 2});
  CHECK(found.targets.size() == 1);
}

TEST_CASE("the counts and sums of workers are combined in the order of shards") {
  GatheredEvaluation gathered(4);
  add(gathered, 2, told_measures(), 1);
  add(gathered, 0, told_measures(), 0);
  const Evaluation found = gathered.evaluation(kAsked);
  CHECK(found.samples == 10);
  CHECK(found.loss == 0.6);
  CHECK(found.accuracy == 0.4);
  CHECK(found.top_k_accuracy == 0.6);
  CHECK(found.confusion == std::vector<std::int64_t>{4, 2, 0, 4});
  CHECK(found.classes.at(1).precision == doctest::Approx(4.0 / 6));
  CHECK(found.metrics.at(0).value == 6);
  CHECK(found.targets.at(0).mse == 2);
  CHECK(found.targets.at(0).mae == 1);
  // Four samples have mean 1. Six have mean 3 and squared deviations of 4. Their common mean is 2.2.
  CHECK(found.targets.at(0).r2 == doctest::Approx(1 - 20 / (4 + 4 * 1.44 + 6 * 0.64)));
}

TEST_CASE("false measures of a worker are refused") {
  CHECK_FALSE([] {
    GatheredEvaluation gathered(2);
    return code_of([&] { add(gathered, 0, told_measures(), 0); });
  }());
  CHECK(refused_lie([](Measures& m) { m.confusion[0] = -1; }) == ErrorCode::protocol);
  CHECK(refused_lie([](Measures& m) { m.confusion[0] = 3; }) == ErrorCode::protocol);
  CHECK(refused_lie([](Measures& m) { m.confusion = {INT64_MAX, INT64_MAX, 7, 0}; }) == ErrorCode::protocol);
  CHECK(refused_lie([](Measures& m) { m.confusion = {6, -1, 0, 0}; }) == ErrorCode::protocol);
  CHECK(refused_lie([](Measures& m) { m.shards[1].top_k_correct = 4; }) == ErrorCode::protocol);
  CHECK(refused_lie([](Measures& m) { m.shards[0].top_k_correct = -1; }) == ErrorCode::protocol);
  for (const double lie : {std::nan(""), HUGE_VAL, -1.0}) {
    CAPTURE(lie);
    CHECK(refused_lie([=](Measures& m) { m.shards[1].targets[0].squared_error = lie; }) == ErrorCode::protocol);
    CHECK(refused_lie([=](Measures& m) { m.shards[0].targets[0].absolute_error = lie; }) == ErrorCode::protocol);
    CHECK(refused_lie([=](Measures& m) { m.shards[0].targets[0].deviation = lie; }) == ErrorCode::protocol);
  }
  CHECK(refused_lie([](Measures& m) { m.shards[0].targets[0].mean = std::nan(""); }) == ErrorCode::protocol);
  CHECK(refused_lie([](Measures& m) { m.shards[0].metric_sums[0] = std::nan(""); }) == ErrorCode::protocol);
}

TEST_CASE("a text with another length than announced is refused, and so are other metrics or classes") {
  const Measures measures = told_measures();
  Evaluated reply = reply_of(0, measures);
  const std::string text = to_text(reply.shape(), measures);
  GatheredEvaluation gathered(2);
  CHECK(code_of([&] { gathered.add(reply, text.substr(8), {}); }) == ErrorCode::protocol);
  CHECK(code_of([&] { gathered.add(reply, text + text, {}); }) == ErrorCode::protocol);
  reply.metrics = {"other"};
  CHECK(code_of([&] { gathered.add(reply, text, {}); }) == ErrorCode::model_mismatch);
  reply = reply_of(0, measures);
  reply.classes = 0;
  CHECK(code_of([&] { gathered.add(reply, text, {}); }) == ErrorCode::model_mismatch);
}
