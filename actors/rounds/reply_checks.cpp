#include "actors/rounds/reply_checks.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "models/files/network_text.hpp"
#include "runtime/printable.hpp"

namespace troupe {
namespace {

/// The largest number of samples of a shard that a reply may contain. It is small enough that the sum over all shards
/// does not overflow.
constexpr std::int64_t kMostSamples = std::int64_t{1} << 40;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 50;

void check(bool holds, const char* what, const Where& where) {
  if (!holds) throw Error(ErrorCode::protocol, std::string("invalid reply: ") + what, where);
}

bool is_time(std::uint64_t bits) {
  const double seconds = from_bits(bits);
  return std::isfinite(seconds) && seconds >= 0;
}

void check_traits(const ReplicaTraits& traits, const Where& where) {
  check(traits.size > 0 && traits.size <= kMostModelFloats && traits.learned_size <= traits.size,
        "the model's size is out of range", where);
  check(traits.precision >= 0 && traits.precision <= static_cast<std::int32_t>(Precision::bf16),
        "the model's precision is unknown", where);
  check(is_time(traits.f32_seconds_bits) && is_time(traits.bf16_seconds_bits), "a time is negative or not finite",
        where);
  check(is_printable(traits.fingerprint, kLongestModelName),
        "the name of the model's layout is not printable or too long", where);
  check(is_printable(traits.batch_dependent, kLongestModelName),
        "batch_dependent of the model is not printable or too long", where);
  check(is_printable(traits.unit, kLongestModelName), "unit of the model is not printable or too long", where);
  check(traits.num_samples >= 0 && traits.steps_per_epoch >= 0, "the number of samples or steps is negative", where);
}

/// Returns the number of floats of a tensor with this shape.
/// @param most the model's size: the number of floats in its flat vector
/// @throws Error protocol if a length is negative, or if the tensor has more than `most` floats
std::uint64_t floats_of(const std::vector<std::int64_t>& shape, std::uint64_t most, const Where& where) {
  std::uint64_t floats = 1;
  for (const std::int64_t length : shape) {
    check(length >= 0, "a tensor's shape has a negative length", where);
    const auto times = static_cast<std::uint64_t>(length);
    check(times == 0 || floats <= most / times, "its tensors are larger than the model", where);
    floats *= times;
  }
  return floats;
}

void check_tensors(const Built& built, const Where& where) {
  check(built.tensor_shapes.size() == built.tensor_names.size(), "tensor names and shapes differ in number", where);
  const std::uint64_t size = built.replicas.front().size;
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < built.tensor_names.size(); ++i) {
    check(is_printable(built.tensor_names[i], kLongestModelName), "a tensor's name is not printable or too long",
          where);
    check(built.tensor_shapes[i].size() <= kMostDimensions, "a tensor has too many dimensions", where);
    total += floats_of(built.tensor_shapes[i], size, where);
    check(total <= size, "its tensors are larger than the model", where);
  }
  check(total > 0, "the model has no tensors", where);
}

/// Checks that `told`, the list of shards in a reply, is exactly `wanted`, and that each other list of the reply has
/// one entry per shard.
/// @param others the lengths of the other lists
void check_shards(const std::vector<std::int32_t>& told, const Range& wanted, std::initializer_list<std::size_t> others,
                  const Where& where) {
  bool same = told.size() == wanted.size();
  for (std::size_t i = 0; same && i < told.size(); ++i) same = told[i] == static_cast<std::int32_t>(wanted.begin + i);
  check(same, "its shards are not the worker's shards", where);
  const auto each = [&](std::size_t count) { return count == wanted.size(); };
  check(std::all_of(others.begin(), others.end(), each), "it does not have one number per shard", where);
}

void check_count(std::int64_t count, std::int64_t most, std::int32_t shard, const char* what, const Where& where) {
  if (count < 0 || count > most)
    throw Error(ErrorCode::model_failed,
                "shard " + std::to_string(shard) + " reports " + std::to_string(count) + " " + what, where);
}

bool is_sent(std::int64_t bytes) { return bytes >= 0 && bytes <= kMostBytes; }

void check_pass(const PassReport& pass, std::span<const std::int64_t> samples, const Where& where) {
  check(is_time(pass.seconds_bits) && is_time(pass.data_bits), "a time is negative or not finite", where);
  const PassCounts& counts = pass.counts;
  check(counts.left_out >= 0 && counts.left_out <= kMostSamples, "the number of left-out samples is out of range",
        where);
  check(is_sent(counts.bytes_over_bus), "the number of bytes over the bus is out of range", where);
  check(is_sent(counts.bytes_copied), "the number of copied bytes is out of range", where);
  const RemoteTraffic& remote = counts.remote;
  for (const std::int64_t count : {remote.bytes, remote.requests, remote.retries, remote.cache_hits})
    check(is_sent(count), "a number of bytes or requests to servers is out of range", where);
  const std::int64_t most = std::accumulate(samples.begin(), samples.end(), std::int64_t{0});
  check(pass.correct >= BatchResult::kNotCounted && pass.correct <= most,
        "the number of correct samples is out of range", where);
}

}  // namespace

void check_reply(const Built& built, int devices, const Where& where) {
  check(built.replicas.size() == static_cast<std::size_t>(devices), "it does not have one replica per device", where);
  for (const ReplicaTraits& traits : built.replicas) check_traits(traits, where);
  check_tensors(built, where);
  check(is_printable(built.network, kLongestNetworkText), "the network's text is not printable or too long", where);
}

void check_reply(const Computed& computed, const Range& shards, const Where& where) {
  check_shards(computed.shards, shards, {computed.loss_bits.size(), computed.samples.size()}, where);
  for (std::size_t i = 0; i < computed.shards.size(); ++i)
    check_count(computed.samples[i], kMostSamples, computed.shards[i], "samples", where);
  check_pass(computed.pass, computed.samples, where);
}

void check_reply(const Advanced& advanced, const Range& shards, const Where& where) {
  check_shards(advanced.shards, shards, {advanced.loss_bits.size(), advanced.samples.size()}, where);
  for (std::size_t i = 0; i < advanced.shards.size(); ++i)
    check_count(advanced.samples[i], kMostSamples, advanced.shards[i], "samples", where);
  check_pass(advanced.pass, advanced.samples, where);
}

void check_reply(const Pushed& pushed, const Where& where) {
  check(is_time(pushed.seconds_bits), "a time is negative or not finite", where);
  check(is_sent(pushed.bytes_pushed) && is_sent(pushed.bytes_fetched),
        "the number of pushed or fetched bytes is out of range", where);
}

void check_sums(const std::vector<std::uint64_t>& sum_bits, std::size_t sums, const Where& where) {
  check(sum_bits.size() == sums, "the number of partial scalar products is wrong", where);
}

void check_seconds(std::uint64_t seconds_bits, const Where& where) {
  check(is_time(seconds_bits), "a time is negative or not finite", where);
}

void check_sent(std::uint64_t seconds_bits, std::int64_t bytes_sent, const Where& where) {
  check_seconds(seconds_bits, where);
  check(is_sent(bytes_sent), "the number of sent bytes is out of range", where);
}

void check_squares(const std::vector<std::uint64_t>& square_bits, std::size_t sums, const Where& where) {
  check(square_bits.size() == sums, "the number of partial sums of squares is wrong", where);
  const auto negative = [](std::uint64_t bits) { return from_bits(bits) < 0; };
  check(std::none_of(square_bits.begin(), square_bits.end(), negative), "a sum of squares is negative", where);
}

bool are_finite(std::span<const std::uint64_t> bits) {
  return std::ranges::all_of(bits, [](std::uint64_t each) { return std::isfinite(from_bits(each)); });
}

void check_reply(const StepsTaken& taken, const Range& shards, std::size_t tensors, int state_vectors,
                 const Where& where) {
  check_shards(taken.shards, shards, {taken.loss_bits.size(), taken.samples.size()}, where);
  for (std::size_t i = 0; i < taken.shards.size(); ++i)
    check_count(taken.samples[i], kMostSamples, taken.shards[i], "samples", where);
  check_squares(taken.moved_bits, taken.shards.size(), where);
  check_pass(taken.pass, taken.samples, where);
  if (taken.non_finite_shard < 0) return check(are_finite(taken.moved_bits), "a distance is not finite", where);
  check(std::ranges::count(taken.shards, taken.non_finite_shard) > 0,
        "the shard that is not finite is not the worker's", where);
  check_reply(taken.non_finite, tensors, state_vectors, where);
}

void check_reply(const PortionsComputed& computed, const std::vector<std::int32_t>& asked, const Where& where) {
  check(computed.portions == asked && computed.loss_bits.size() == asked.size() &&
            computed.samples.size() == asked.size(),
        "its portions are not the requested portions", where);
  for (std::size_t i = 0; i < asked.size(); ++i)
    check_count(computed.samples[i], kMostSamples, asked[i], "samples", where);
  check_pass(computed.pass, computed.samples, where);
}

void check_reply(const MeanReduced& reduced, std::size_t sums, const Where& where) {
  check_squares(reduced.square_bits, sums, where);
  check(is_sent(reduced.bytes_sent), "the number of sent bytes is out of range", where);
}

void check_reply(const Applied& applied, const Where& where) {
  check(is_time(applied.reduce_bits) && is_time(applied.apply_bits), "a time is negative or not finite", where);
  check(is_sent(applied.bytes_sent), "the number of sent bytes is out of range", where);
}

void check_reply(const Evaluated& evaluated, const Range& shards, const EvaluationOptions& measure,
                 const Where& where) {
  check_shards(evaluated.shards, shards,
               {evaluated.loss_bits.size(), evaluated.correct.size(), evaluated.samples.size()}, where);
  for (std::size_t i = 0; i < evaluated.shards.size(); ++i) {
    check_count(evaluated.samples[i], kMostSamples, evaluated.shards[i], "samples", where);
    check_count(evaluated.correct[i], evaluated.samples[i], evaluated.shards[i], "correct samples", where);
  }
  const auto asked = [](std::int64_t number, bool wanted, std::int64_t most) {
    return number >= 0 && number <= (wanted ? most : 0);
  };
  check(asked(evaluated.classes, measure.confusion, kMostConfusionClasses) &&
            asked(evaluated.targets, measure.errors, kMostErrorTargets) && (measure.top_k > 0 || !evaluated.top_k),
        "its measurements were not requested or are too large", where);
  check(evaluated.metrics.size() <= kMostMetrics, "it has too many metrics", where);
  for (const std::string& name : evaluated.metrics)
    check(is_printable(name, kLongestModelName), "the name of a metric is not printable or too long", where);
  check(evaluated.measure_bytes <= kMostTextBytes &&
            evaluated.measure_bytes == evaluated.shape().bytes(evaluated.shards.size()),
        "the size of its measurements is wrong", where);
}

void check_reply(const Called& called, std::size_t texts, const Where& where) {
  std::size_t left = kMostTextBytes;
  bool fits = called.text_bytes.size() == texts;
  for (const std::uint64_t each : called.text_bytes) {
    fits = fits && each <= left;
    left -= fits ? each : 0;
  }
  check(fits, "the number or size of the functions' results is wrong", where);
}

void check_reply(const NonFinite& found, std::size_t tensors, int state_vectors, const Where& where) {
  check(found.tensor >= -1 && found.tensor <= static_cast<std::int64_t>(tensors) && found.part >= 0 &&
            found.part < NonFinite::kState + state_vectors,
        "the tensor or part that is not finite does not exist", where);
}

void check_loss(double loss, int shard, const PassReport& pass, const Where& where) {
  if (std::isfinite(loss)) return;
  throw non_finite_loss("the loss of shard " + std::to_string(shard) + " is " + (std::isnan(loss) ? "NaN" : "infinite"),
                        pass.weights_finite, where);
}

Error non_finite_loss(const std::string& what, bool weights_finite, const Where& where) {
  if (weights_finite) return {ErrorCode::non_finite_loss, what, where};
  return {ErrorCode::non_finite_loss,
          what + ", since the weights are not finite",
          {.phase = where.phase, .step = where.step}};
}

}  // namespace troupe
