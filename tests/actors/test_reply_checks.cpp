#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "actors/functions/function_table.hpp"
#include "actors/rounds/reply_checks.hpp"
#include "models/files/network_text.hpp"
#include "runtime/printable.hpp"
#include "support/errors.hpp"

using namespace troupe;

namespace {

const Where kWhere{1, "alice", "compute", 3, {}};
constexpr Range kAskedShards{2, 4};
constexpr int kDevices = 2;
constexpr EvaluationOptions kAskedMeasures{.confusion = true, .top_k = 5, .errors = true};

/// Returns the error code of a reply's check, if any. Checks that the error names worker and node.
template <class Reply, class... Wanted>
std::optional<ErrorCode> refused(const Reply& reply, const Wanted&... wanted) {
  const auto run = [&] { check_reply(reply, wanted..., kWhere); };
  const auto code = code_of(run);
  if (code) CHECK(message_of(run).find("(worker 1, node alice, phase compute, step 3") != std::string::npos);
  return code;
}

Computed computed() { return {1, {}, {2, 3}, {5, 6}, {7, 8}, {to_bits(0.5)}}; }
Evaluated evaluated() {
  return {1, {}, {2, 3}, {5, 6}, {6, 0}, {7, 8}, {"own"}, 3, 2, true, (9 + 2 * (1 + 1 + 8)) * 8};
}
Advanced advanced() { return {1, {}, {2, 3}, {5, 6}, {7, 8}, true, {to_bits(0.5)}}; }
PortionsComputed portions() { return {1, {}, {7, 2}, {5, 6}, {7, 8}, false, {to_bits(0.5)}}; }
StepsTaken steps_taken() { return {1, {}, {2, 3}, {5, 6}, {7, 8}, {to_bits(0), to_bits(1e300)}, {}, -1, {}}; }
Pushed pushed() { return {1, {}, true, to_bits(0.5), 100, 0}; }
Built built() {
  const ReplicaTraits traits{64, 32, "plain", 0, 77, 100, 10};
  return {1, {}, {traits, traits}, {"weight", "bias"}, {{5, 6}, {}}};
}

/// Checks a reply after one change.
template <class Reply, class Change, class... Wanted>
std::optional<ErrorCode> refused_after(Reply reply, Change change, const Wanted&... wanted) {
  change(reply);
  return refused(reply, wanted...);
}

}  // namespace

TEST_CASE("a worker reports all of its shards and no others, in order") {
  CHECK_FALSE(refused(computed(), kAskedShards));
  CHECK_FALSE(refused(Computed{}, Range{4, 4}));
  const auto with = [](auto change) { return refused_after(computed(), change, kAskedShards); };
  CHECK(with([](Computed& c) { c.shards = {0, 1}; }) == ErrorCode::protocol);
  CHECK(with([](Computed& c) { c.shards = {3, 2}; }) == ErrorCode::protocol);
  CHECK(with([](Computed& c) { c.shards = {2, 2}; }) == ErrorCode::protocol);
  CHECK(with([](Computed& c) { c.shards = {2}; }) == ErrorCode::protocol);
  CHECK(with([](Computed& c) { c.shards = {2, 3, 4}; }) == ErrorCode::protocol);
  CHECK(with([](Computed& c) { c.loss_bits = {5}; }) == ErrorCode::protocol);
  CHECK(with([](Computed& c) { c.samples = {7, 8, 9}; }) == ErrorCode::protocol);
  CHECK(with([](Computed& c) { c = {}; }) == ErrorCode::protocol);
}

TEST_CASE("invalid replies of asynchronous workers and of parameter servers are refused") {
  CHECK_FALSE(refused(advanced(), kAskedShards));
  const auto after = [](auto change) { return refused_after(advanced(), change, kAskedShards); };
  CHECK(after([](Advanced& a) { a.shards = {1, 2}; }) == ErrorCode::protocol);
  CHECK(after([](Advanced& a) { a.shards = {2}; }) == ErrorCode::protocol);
  CHECK(after([](Advanced& a) { a.loss_bits = {5, 6, 7}; }) == ErrorCode::protocol);
  CHECK(after([](Advanced& a) { a.samples = {7}; }) == ErrorCode::protocol);
  CHECK(after([](Advanced& a) { a.pass.seconds_bits = to_bits(-1); }) == ErrorCode::protocol);
  CHECK(after([](Advanced& a) { a.pass.data_bits = to_bits(std::nan("")); }) == ErrorCode::protocol);
  CHECK(after([](Advanced& a) { a.pass.counts.left_out = -1; }) == ErrorCode::protocol);
  CHECK(after([](Advanced& a) { a.pass.counts.bytes_over_bus = -1; }) == ErrorCode::protocol);
  CHECK(after([](Advanced& a) { a.pass.counts.bytes_over_bus = INT64_MAX; }) == ErrorCode::protocol);
  CHECK(after([](Advanced& a) { a.pass.counts.bytes_copied = -1; }) == ErrorCode::protocol);
  CHECK(after([](Advanced& a) { a.pass.counts.remote.bytes = -1; }) == ErrorCode::protocol);
  CHECK(after([](Advanced& a) { a.pass.counts.remote.cache_hits = INT64_MAX; }) == ErrorCode::protocol);
  CHECK(after([](Advanced& a) { a.samples[0] = -1; }) == ErrorCode::model_failed);
  CHECK(after([](Advanced& a) { a.samples[0] = INT64_MAX; }) == ErrorCode::model_failed);

  CHECK_FALSE(refused(pushed()));
  const auto served = [](auto change) { return refused_after(pushed(), change); };
  CHECK(served([](Pushed& p) { p.seconds_bits = to_bits(std::nan("")); }) == ErrorCode::protocol);
  CHECK(served([](Pushed& p) { p.bytes_pushed = -1; }) == ErrorCode::protocol);
  CHECK(served([](Pushed& p) { p.bytes_fetched = INT64_MAX; }) == ErrorCode::protocol);
}

TEST_CASE("a worker reports exactly the requested portions, in order") {
  const std::vector<std::int32_t> asked{7, 2};
  CHECK_FALSE(refused(portions(), asked));
  const auto with = [&](auto change) { return refused_after(portions(), change, asked); };
  CHECK_FALSE(with([](PortionsComputed& p) { p.abandoned = true; }));
  // A trial point that is too far may have such a loss.
  CHECK_FALSE(with([](PortionsComputed& p) { p.loss_bits[0] = to_bits(std::nan("")); }));
  CHECK(with([](PortionsComputed& p) { p.portions = {2, 7}; }) == ErrorCode::protocol);
  CHECK(with([](PortionsComputed& p) { p.portions = {7, 3}; }) == ErrorCode::protocol);
  CHECK(with([](PortionsComputed& p) { p.portions = {7}; }) == ErrorCode::protocol);
  CHECK(with([](PortionsComputed& p) { p.portions = {7, 2, 2}; }) == ErrorCode::protocol);
  CHECK(with([](PortionsComputed& p) { p.loss_bits = {5}; }) == ErrorCode::protocol);
  CHECK(with([](PortionsComputed& p) { p.samples = {7, 8, 9}; }) == ErrorCode::protocol);
  CHECK(with([](PortionsComputed& p) { p = {}; }) == ErrorCode::protocol);
  CHECK(with([](PortionsComputed& p) { p.pass.seconds_bits = to_bits(-1); }) == ErrorCode::protocol);
  CHECK(with([](PortionsComputed& p) { p.pass.data_bits = to_bits(std::nan("")); }) == ErrorCode::protocol);
  CHECK(with([](PortionsComputed& p) { p.pass.counts.left_out = -1; }) == ErrorCode::protocol);
  CHECK(with([](PortionsComputed& p) { p.samples[1] = -1; }) == ErrorCode::model_failed);
  CHECK(with([](PortionsComputed& p) { p.samples[1] = INT64_MAX; }) == ErrorCode::model_failed);
}

TEST_CASE("a worker reports steps of its shards, valid distances and existing tensors") {
  constexpr std::size_t kTensors = 3;
  constexpr int kStateVectors = 2;
  CHECK_FALSE(refused(steps_taken(), kAskedShards, kTensors, kStateVectors));
  CHECK_FALSE(refused(StepsTaken{}, Range{4, 4}, kTensors, kStateVectors));
  const auto with = [&](auto change) {
    return refused_after(steps_taken(), change, kAskedShards, kTensors, kStateVectors);
  };
  CHECK(with([](StepsTaken& t) { t.shards = {3, 2}; }) == ErrorCode::protocol);
  CHECK(with([](StepsTaken& t) { t.shards = {1, 2}; }) == ErrorCode::protocol);
  CHECK(with([](StepsTaken& t) { t.shards = {2}; }) == ErrorCode::protocol);
  CHECK(with([](StepsTaken& t) { t.loss_bits = {5, 6, 7}; }) == ErrorCode::protocol);
  CHECK(with([](StepsTaken& t) { t.samples = {7}; }) == ErrorCode::protocol);
  CHECK(with([](StepsTaken& t) { t.moved_bits.pop_back(); }) == ErrorCode::protocol);
  CHECK(with([](StepsTaken& t) { t.moved_bits[1] = to_bits(-1e-300); }) == ErrorCode::protocol);
  CHECK(with([](StepsTaken& t) { t.moved_bits[1] = to_bits(-INFINITY); }) == ErrorCode::protocol);
  CHECK(with([](StepsTaken& t) { t.moved_bits[1] = to_bits(std::nan("")); }) == ErrorCode::protocol);
  CHECK(with([](StepsTaken& t) { t.moved_bits[1] = to_bits(INFINITY); }) == ErrorCode::protocol);
  CHECK_FALSE(with([](StepsTaken& t) { t.moved_bits[1] = to_bits(std::nan("")), t.non_finite_shard = 3; }));
  CHECK(with([](StepsTaken& t) { t.pass.seconds_bits = to_bits(INFINITY); }) == ErrorCode::protocol);
  CHECK(with([](StepsTaken& t) { t.pass.data_bits = to_bits(-1); }) == ErrorCode::protocol);
  CHECK(with([](StepsTaken& t) { t.pass.counts.left_out = -1; }) == ErrorCode::protocol);
  CHECK(with([](StepsTaken& t) { t.samples[0] = -1; }) == ErrorCode::model_failed);
  CHECK(with([](StepsTaken& t) { t.samples[0] = INT64_MAX; }) == ErrorCode::model_failed);
  const auto found = [&](int shard, NonFinite what) {
    return with([&](StepsTaken& t) { t.non_finite_shard = shard, t.non_finite = what; });
  };
  CHECK_FALSE(found(3, {2, NonFinite::kState + 1}));
  CHECK_FALSE(found(2, {3, NonFinite::kStatistics}));  // padding
  CHECK(found(1, {2, NonFinite::kWeights}) == ErrorCode::protocol);
  CHECK(found(4, {2, NonFinite::kWeights}) == ErrorCode::protocol);
  CHECK(found(2, {4, NonFinite::kWeights}) == ErrorCode::protocol);
  CHECK(found(2, {0, NonFinite::kState + 2}) == ErrorCode::protocol);
}

TEST_CASE("the number of partial scalar products must match, and times and bytes must be valid") {
  const auto code = [](auto check) { return code_of(check); };
  CHECK_FALSE(code([] { check_sums({to_bits(-1), to_bits(std::nan(""))}, 2, kWhere); }));  // beyond a barrier
  CHECK(code([] { check_sums({1}, 2, kWhere); }) == ErrorCode::protocol);
  CHECK(code([] { check_sums({1, 2, 3}, 2, kWhere); }) == ErrorCode::protocol);
  CHECK(code([] { check_sums({}, 2, kWhere); }) == ErrorCode::protocol);
  CHECK_FALSE(code([] { check_sent(to_bits(0.5), 100, kWhere); }));
  CHECK(code([] { check_sent(to_bits(-0.5), 100, kWhere); }) == ErrorCode::protocol);
  CHECK(code([] { check_sent(to_bits(0.5), -1, kWhere); }) == ErrorCode::protocol);
  CHECK(code([] { check_sent(to_bits(0.5), INT64_MAX, kWhere); }) == ErrorCode::protocol);
  CHECK(code([] { check_seconds(to_bits(std::nan("")), kWhere); }) == ErrorCode::protocol);
}

TEST_CASE("an invalid number of samples is an error of the model") {
  const auto with = [](auto change) { return refused_after(computed(), change, kAskedShards); };
  CHECK(with([](Computed& c) { c.samples[1] = -1; }) == ErrorCode::model_failed);
  CHECK(with([](Computed& c) { c.samples[1] = INT64_MAX; }) == ErrorCode::model_failed);
  const auto measured = [](auto change) { return refused_after(evaluated(), change, kAskedShards, kAskedMeasures); };
  CHECK(measured([](Evaluated& e) { e.samples[1] = -1; }) == ErrorCode::model_failed);
  CHECK(measured([](Evaluated& e) { e.samples[1] = INT64_MAX; }) == ErrorCode::model_failed);
  CHECK(measured([](Evaluated& e) { e.correct[1] = 9; }) == ErrorCode::model_failed);
  CHECK(measured([](Evaluated& e) { e.correct[1] = -1; }) == ErrorCode::model_failed);
}

TEST_CASE("a tensor or a part that the run does not have is refused") {
  const auto passes = [](const NonFinite& found, int state_vectors) {
    return !code_of([&] { check_reply(found, 3, state_vectors, {}); });
  };
  CHECK(passes({0, NonFinite::kWeights}, 0));
  CHECK(passes({3, NonFinite::kStatistics}, 0));  // padding
  CHECK(passes({2, NonFinite::kState + 1}, 2));
  CHECK(passes({-1, NonFinite::kWeights}, 0));  // no non-finite value
  CHECK_FALSE(passes({-2, NonFinite::kWeights}, 0));
  CHECK_FALSE(passes({4, NonFinite::kWeights}, 0));
  CHECK_FALSE(passes({0, -1}, 0));
  CHECK_FALSE(passes({0, NonFinite::kState}, 0));
  CHECK_FALSE(passes({0, NonFinite::kState + 2}, 2));
}

TEST_CASE("invalid times and bytes are refused") {
  for (const double seconds : {-1.0, std::numeric_limits<double>::infinity(), std::nan("")}) {
    CHECK(refused_after(
              computed(), [&](Computed& c) { c.pass.seconds_bits = to_bits(seconds); }, kAskedShards) ==
          ErrorCode::protocol);
    CHECK(refused_after(
              computed(), [&](Computed& c) { c.pass.data_bits = to_bits(seconds); }, kAskedShards) ==
          ErrorCode::protocol);
    CHECK(refused(Applied{1, {}, to_bits(seconds), 0, 0}) == ErrorCode::protocol);
    CHECK(refused(Applied{1, {}, 0, to_bits(seconds), 0}) == ErrorCode::protocol);
  }
  CHECK_FALSE(refused(Applied{1, {}, to_bits(0.1), to_bits(0.2), 4096}));
  CHECK(refused(Applied{1, {}, 0, 0, -1}) == ErrorCode::protocol);
  CHECK(refused(Applied{1, {}, 0, 0, INT64_MAX}) == ErrorCode::protocol);
}

TEST_CASE("the number of partial sums of squares must match the slice, and each must be non-negative") {
  const auto reduced = [](std::vector<double> squares, std::int64_t bytes = 4096) {
    MeanReduced reply;
    for (const double square : squares) reply.square_bits.push_back(to_bits(square));
    reply.bytes_sent = bytes;
    return refused(reply, std::size_t{2});
  };
  CHECK_FALSE(reduced({0, 1e300}));
  // NaN and infinity pass here: the step is refused because its gradients are not finite.
  CHECK_FALSE(reduced({std::nan(""), std::numeric_limits<double>::infinity()}));
  CHECK(reduced({1}) == ErrorCode::protocol);
  CHECK(reduced({1, 2, 3}) == ErrorCode::protocol);
  CHECK(reduced({}) == ErrorCode::protocol);
  CHECK(reduced({1, -1e-300}) == ErrorCode::protocol);
  CHECK(reduced({-std::numeric_limits<double>::infinity(), 1}) == ErrorCode::protocol);
  CHECK(reduced({1, 2}, -1) == ErrorCode::protocol);
  CHECK(reduced({1, 2}, INT64_MAX) == ErrorCode::protocol);
}

TEST_CASE("a worker evaluates exactly its shards") {
  CHECK_FALSE(refused(evaluated(), kAskedShards, kAskedMeasures));
  CHECK_FALSE(refused(Evaluated{}, Range{4, 4}, kAskedMeasures));
  const auto with = [](auto change) { return refused_after(evaluated(), change, kAskedShards, kAskedMeasures); };
  CHECK(with([](Evaluated& e) { e = {}; }) == ErrorCode::protocol);
  CHECK(with([](Evaluated& e) { e.shards = {2, 4}; }) == ErrorCode::protocol);
  CHECK(with([](Evaluated& e) { e.loss_bits.pop_back(); }) == ErrorCode::protocol);
  CHECK(with([](Evaluated& e) { e.correct.pop_back(); }) == ErrorCode::protocol);
  CHECK(with([](Evaluated& e) { e.samples.push_back(1); }) == ErrorCode::protocol);
}

TEST_CASE("a worker returns exactly the requested measures, with the stated size") {
  const auto with = [](auto change) { return refused_after(evaluated(), change, kAskedShards, kAskedMeasures); };
  const auto unasked = [](const EvaluationOptions& asked) { return refused(evaluated(), kAskedShards, asked); };
  CHECK(unasked({.top_k = 5, .errors = true}) == ErrorCode::protocol);
  CHECK(unasked({.confusion = true, .errors = true}) == ErrorCode::protocol);
  CHECK(unasked({.confusion = true, .top_k = 5}) == ErrorCode::protocol);
  CHECK(with([](Evaluated& e) { e.classes = -1; }) == ErrorCode::protocol);
  CHECK(with([](Evaluated& e) { e.classes = INT64_MAX; }) == ErrorCode::protocol);
  CHECK(with([](Evaluated& e) { e.targets = -1; }) == ErrorCode::protocol);
  CHECK(with([](Evaluated& e) { e.targets = INT64_MAX; }) == ErrorCode::protocol);
  CHECK(with([](Evaluated& e) { e.classes = 4; }) == ErrorCode::protocol);
  CHECK(with([](Evaluated& e) { e.measure_bytes += 8; }) == ErrorCode::protocol);
  CHECK(with([](Evaluated& e) { e.measure_bytes = 0; }) == ErrorCode::protocol);
  CHECK(with([](Evaluated& e) { e.metrics.clear(); }) == ErrorCode::protocol);
  CHECK(with([](Evaluated& e) { e.metrics[0] = "\x1b[2J"; }) == ErrorCode::protocol);
  const auto as_told = [](Evaluated& e) { e.measure_bytes = e.shape().bytes(2); };
  CHECK(with([&](Evaluated& e) { e.metrics.resize(65, "own"), as_told(e); }) == ErrorCode::protocol);
  CHECK_FALSE(with([&](Evaluated& e) { e.classes = kMostConfusionClasses, as_told(e); }));
}

TEST_CASE("functions return the requested number of texts, within the limit of bytes") {
  const auto called = [](std::vector<std::uint64_t> text_bytes, std::size_t texts) {
    return refused(Called{1, {}, std::move(text_bytes)}, texts);
  };
  CHECK_FALSE(called({}, 0));
  CHECK_FALSE(called({1, kMostTextBytes - 1}, 2));
  CHECK(called({1, kMostTextBytes}, 2) == ErrorCode::protocol);
  CHECK(called({UINT64_MAX, 2}, 2) == ErrorCode::protocol);
  CHECK(called({1}, 2) == ErrorCode::protocol);
  CHECK(called({1, 2, 3}, 2) == ErrorCode::protocol);
  CHECK(called({1}, 0) == ErrorCode::protocol);
}

TEST_CASE("a worker has one replica per device, with a valid size") {
  CHECK_FALSE(refused(built(), kDevices));
  const auto with = [](auto change) { return refused_after(built(), change, kDevices); };
  CHECK(with([](Built& b) { b.replicas.clear(); }) == ErrorCode::protocol);
  CHECK(with([](Built& b) { b.replicas.pop_back(); }) == ErrorCode::protocol);
  CHECK(with([](Built& b) { b.replicas.push_back(b.replicas[0]); }) == ErrorCode::protocol);
  CHECK(with([](Built& b) { b.replicas[1].size = 0; }) == ErrorCode::protocol);
  // 4 times this size overflows to 0.
  CHECK(with([](Built& b) { b.replicas[0].size = std::uint64_t{1} << 62; }) == ErrorCode::protocol);
  CHECK(with([](Built& b) { b.replicas[0].learned_size = 65; }) == ErrorCode::protocol);
  CHECK(with([](Built& b) { b.replicas[0].precision = 7; }) == ErrorCode::protocol);
  CHECK(with([](Built& b) { b.replicas[0].f32_seconds_bits = to_bits(-1); }) == ErrorCode::protocol);
  CHECK(with([](Built& b) { b.replicas[1].bf16_seconds_bits = to_bits(NAN); }) == ErrorCode::protocol);
  CHECK(with([](Built& b) { b.replicas[0].fingerprint = "\x1b[2J"; }) == ErrorCode::protocol);
  CHECK(with([](Built& b) { b.replicas[1].num_samples = -1; }) == ErrorCode::protocol);
  CHECK(with([](Built& b) { b.replicas[0].steps_per_epoch = -1; }) == ErrorCode::protocol);
}

TEST_CASE("the tensors of a model must fit into it, and their names must be printable") {
  const auto with = [](auto change) { return refused_after(built(), change, kDevices); };
  CHECK_FALSE(with([](Built& b) { b.tensor_shapes = {{63}, {}}; }));
  CHECK(with([](Built& b) { b.tensor_shapes = {{64}, {}}; }) == ErrorCode::protocol);
  CHECK(with([](Built& b) { b.tensor_shapes = {{-1, -1}, {}}; }) == ErrorCode::protocol);
  CHECK(with([](Built& b) { b.tensor_shapes = {{1 << 30, 1 << 30, 16}, {}}; }) == ErrorCode::protocol);  // 2^64
  CHECK(with([](Built& b) { b.tensor_shapes = {{INT64_MAX}, {}}; }) == ErrorCode::protocol);
  CHECK(with([](Built& b) { b.tensor_shapes = {std::vector<std::int64_t>(100, 1), {}}; }) == ErrorCode::protocol);
  CHECK(with([](Built& b) { b.tensor_shapes = {{INT64_MAX, 0}, {}}; }) == ErrorCode::protocol);
  CHECK_FALSE(with([](Built& b) { b.tensor_shapes = {{0, INT64_MAX}, {}}; }));
  CHECK(with([](Built& b) { b.tensor_shapes = {{0}, {0}}; }) == ErrorCode::protocol);
  CHECK(with([](Built& b) { b.tensor_shapes.pop_back(); }) == ErrorCode::protocol);
  CHECK(with([](Built& b) { b.tensor_names.pop_back(); }) == ErrorCode::protocol);
  CHECK(with([](Built& b) { b.tensor_names = {}, b.tensor_shapes = {}; }) == ErrorCode::protocol);
  CHECK(with([](Built& b) { b.tensor_names[0] = "\x1b]0;x"; }) == ErrorCode::protocol);
  CHECK(with([](Built& b) { b.tensor_names[0] = std::string(5000, 'x'); }) == ErrorCode::protocol);
  CHECK(with([](Built& b) { b.network = "\x1b]0;x"; }) == ErrorCode::protocol);
  CHECK(with([](Built& b) { b.network = std::string(kLongestNetworkText + 1, 'x'); }) == ErrorCode::protocol);
}

TEST_CASE("an error that a peer reports is converted to a valid code and printable texts") {
  const Failure failure{1000, "\x1b[2Jgone\n" + std::string(10'000, 'x'), "\x07", "shard\t1",
                        "\xe2\x80\xae"
                        "alice"};
  const Error error = failure.to_error(kWhere);
  CHECK(error.code() == ErrorCode::protocol);
  CHECK(is_printable(error.what(), 4000));
  CHECK(error.message().starts_with("?[2Jgone xxx"));
  CHECK(error.where().node == "?alice");
  CHECK((Failure{static_cast<std::int32_t>(ErrorCode::timeout), "late", "", "", ""}.to_error({}).code()) ==
        ErrorCode::timeout);
}
