#include "actors/messages/model_description.hpp"

#include <set>

#include "actors/messages/bounds.hpp"
#include "actors/messages/failure.hpp"
#include "models/files/checkpoint/manifest.hpp"
#include "models/files/network_text.hpp"
#include "runtime/hash.hpp"
#include "runtime/printable.hpp"
#include "troupe/sgd.hpp"

namespace troupe {
namespace {

/// In the flat vector, statistics must start at a multiple of this number of floats, so that they start at the
/// beginning of a cache line.
constexpr std::size_t kStatisticsGranule = 32;
/// The largest number of bytes that a message needs to store the length of a list or text.
constexpr std::size_t kMostCountBytes = 5;

/// Returns the largest number of bytes that the names and shapes of `tensors` need in the message to the driver.
std::size_t described_bytes(const std::vector<TensorInfo>& tensors) {
  std::size_t bytes = 0;
  for (const TensorInfo& tensor : tensors)
    bytes += 2 * kMostCountBytes + tensor.name.size() + tensor.shape.size() * sizeof(std::uint64_t);
  return bytes;
}

[[noreturn]] void refuse(const std::string& what) { throw Error(ErrorCode::model_failed, what); }

/// Checks that the model's description does not exceed the limits that the driver enforces on messages.
void check_tellable(const ModelInfo& info) {
  const auto check_name = [](const std::string& name, const char* whose) {
    if (!is_printable(name, kLongestModelName))
      refuse(std::string("the model's ") + whose + " has a name that is not printable or too long, '" +
             printable(name, 60) + "'");
  };
  check_name(info.fingerprint, "layout");
  check_name(info.unit, "unit");
  for (const TensorInfo& tensor : info.tensors) {
    check_name(tensor.name, "tensor");
    if (tensor.shape.size() > kMostDimensions)
      refuse("the model's tensor '" + tensor.name + "' has " + std::to_string(tensor.shape.size()) +
             " dimensions, more than " + std::to_string(kMostDimensions));
  }
  for (const std::string& metric : info.metrics) check_name(metric, "metric");
  const std::set<std::string> metrics(info.metrics.begin(), info.metrics.end());
  if (info.metrics.size() > kMostMetrics || metrics.size() < info.metrics.size())
    refuse("the model has more than " + std::to_string(kMostMetrics) + " metrics, or two metrics with the same name");
  if (!is_printable(info.network, kLongestNetworkText))
    refuse("the model's text about its network is not printable or too long");
  const std::size_t tensors = info.tensors.size();
  const std::size_t bytes = described_bytes(info.tensors);
  if (tensors > kMostTensors || bytes > kMostTensorBytes)
    refuse("the model's " + std::to_string(tensors) + " tensors take " + std::to_string(bytes) +
           " bytes of names and shapes; the limits are " + std::to_string(kMostTensors) + " tensors and " +
           std::to_string(kMostTensorBytes) + " bytes");
}

std::string precision_name(std::int32_t precision) { return to_string(static_cast<Precision>(precision)); }

}  // namespace

void check_info(const ModelInfo& info) {
  if (info.size > kMostModelFloats)
    refuse("the model's size is " + std::to_string(info.size) + ", which exceeds the limit");
  const std::size_t floats = total_size(info.tensors);
  if (info.size == 0 || floats == 0) refuse("the model has no parameters");
  if (floats > info.size)
    refuse("the model's tensors have " + std::to_string(floats) + " floats, more than its size " +
           std::to_string(info.size));
  const bool fits =
      info.learned_size == info.size || (info.learned_size < info.size && info.learned_size % kStatisticsGranule == 0);
  if (!fits)
    refuse("the model's learned_size is " + std::to_string(info.learned_size) + ", which is neither its size " +
           std::to_string(info.size) + " nor a smaller multiple of " + std::to_string(kStatisticsGranule));
  if (info.precision != Precision::f32 && info.precision != Precision::bf16)
    refuse("the model's precision is neither f32 nor bf16");
  if (info.num_samples < 0 || info.steps_per_epoch < 0)
    refuse("the model has " + std::to_string(info.num_samples) + " samples and " +
           std::to_string(info.steps_per_epoch) + " steps per epoch; neither may be negative");
  check_tellable(info);
}

std::uint64_t checksum_of(const std::vector<TensorInfo>& tensors) {
  const std::string text = fingerprint_of(tensors);
  return checksum(std::as_bytes(std::span(text)));
}

ReplicaTraits traits_of(const ModelInfo& info) {
  return {info.size,
          info.learned_size,
          info.fingerprint,
          static_cast<std::int32_t>(info.precision),
          checksum_of(info.tensors),
          info.num_samples,
          info.steps_per_epoch,
          false,
          to_bits(info.measured.f32),
          to_bits(info.measured.bf16),
          info.batch_dependent,
          info.unit};
}

std::string difference(const NamedReplica& named, const NamedReplica& other) {
  const ReplicaTraits& replica = named.traits;
  const ReplicaTraits& first = other.traits;
  const auto differs = [&](const std::string& how, const std::string& first_how) {
    return "worker " + std::to_string(named.worker) + "'s replica on device " + std::to_string(named.device) + " " +
           how + ", worker " + std::to_string(other.worker) + "'s on device " + std::to_string(other.device) + " " +
           first_how;
  };
  const auto count = [](std::uint64_t floats) { return "has " + std::to_string(floats); };
  if (replica.size != first.size) return differs(count(replica.size) + " parameters", count(first.size));
  if (replica.learned_size != first.learned_size)
    return differs(count(replica.learned_size) + " learned parameters", count(first.learned_size));
  if (replica.fingerprint != first.fingerprint)
    return differs("has the layout '" + replica.fingerprint + "'", "has '" + first.fingerprint + "'");
  if (replica.precision != first.precision)
    return differs("computes in " + precision_name(replica.precision), "in " + precision_name(first.precision));
  if (replica.tensors != first.tensors)
    return differs("has tensors with different names or in a different order", "has the expected ones");
  const auto samples = [](const ReplicaTraits& traits) {
    return std::to_string(traits.num_samples) + " samples and " + std::to_string(traits.steps_per_epoch) +
           " steps per epoch";
  };
  if (replica.num_samples != first.num_samples || replica.steps_per_epoch != first.steps_per_epoch)
    return differs("has " + samples(replica), "has " + samples(first));
  if (replica.unit != first.unit) return differs("counts " + replica.unit, "counts " + first.unit);
  return "";
}

}  // namespace troupe
