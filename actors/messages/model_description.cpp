#include "actors/messages/model_description.hpp"

#include "actors/messages/bounds.hpp"
#include "runtime/printable.hpp"
#include "troupe/sgd.hpp"

namespace troupe {
namespace {

/// Where statistics may begin: whole cache lines.
constexpr std::size_t kStatisticsGranule = 32;
/// Of the length of a list or text in a message.
constexpr std::size_t kMostCountBytes = 5;

/// What names and shapes take in the message that tells the driver.
std::size_t described_bytes(const std::vector<TensorInfo>& tensors) {
  std::size_t bytes = 0;
  for (const TensorInfo& tensor : tensors)
    bytes += 2 * kMostCountBytes + tensor.name.size() + tensor.shape.size() * sizeof(std::uint64_t);
  return bytes;
}

[[noreturn]] void refuse(const std::string& what) { throw Error(ErrorCode::model_failed, what); }

/// The driver takes no others.
void check_described(const ModelDescription& description) {
  const auto check_name = [](const std::string& name, const char* whose) {
    if (!is_printable(name, kLongestModelName))
      refuse(std::string("the model's ") + whose + " has a name that cannot be told, '" + printable(name, 60) + "'");
  };
  check_name(description.traits.fingerprint, "layout");
  for (const TensorInfo& tensor : description.tensors) {
    check_name(tensor.name, "tensor");
    if (tensor.shape.size() > kMostDimensions)
      refuse("the model's tensor '" + tensor.name + "' has " + std::to_string(tensor.shape.size()) +
             " dimensions, more than " + std::to_string(kMostDimensions));
  }
  const std::size_t tensors = description.tensors.size();
  const std::size_t bytes = described_bytes(description.tensors);
  if (tensors > kMostTensors || bytes > kMostTensorBytes)
    refuse("the model's " + std::to_string(tensors) + " tensors take " + std::to_string(bytes) + " bytes to tell; " +
           std::to_string(kMostTensors) + " tensors and " + std::to_string(kMostTensorBytes) + " bytes are the most");
}

std::string precision_name(std::int32_t precision) { return to_string(static_cast<Precision>(precision)); }

}  // namespace

ModelDescription describe(const Model& model, int num_shards) {
  const ReplicaTraits traits{model.size(), model.learned_size(), model.fingerprint(),
                             static_cast<std::int32_t>(model.precision())};
  ModelDescription description{traits, model.num_samples(), model.steps_per_epoch(num_shards), model.tensors()};
  if (traits.size == 0 || total_size(description.tensors) == 0) refuse("the model has no parameters");
  if (total_size(description.tensors) > traits.size)
    refuse("the model's tensors() have " + std::to_string(total_size(description.tensors)) +
           " floats, more than its size " + std::to_string(traits.size));
  const bool fits = traits.learned_size == traits.size ||
                    (traits.learned_size < traits.size && traits.learned_size % kStatisticsGranule == 0);
  if (!fits)
    refuse("the model's learned_size() is " + std::to_string(traits.learned_size) + ", which is neither its size " +
           std::to_string(traits.size) + " nor a smaller multiple of " + std::to_string(kStatisticsGranule));
  check_described(description);
  return description;
}

void check_alike(const ReplicaTraits& replica, int device, const ReplicaTraits& first, const Where& where) {
  const auto differs = [&](const std::string& how, const std::string& first_how) {
    throw Error(ErrorCode::model_mismatch,
                "worker " + std::to_string(where.worker) + "'s replica on device " + std::to_string(device) + " " +
                    how + ", worker 0's on device 0 " + first_how,
                where);
  };
  const auto count = [](std::uint64_t floats) { return "has " + std::to_string(floats); };
  if (replica.size != first.size) differs(count(replica.size) + " parameters", count(first.size));
  if (replica.learned_size != first.learned_size)
    differs(count(replica.learned_size) + " parameters to learn", count(first.learned_size));
  if (replica.fingerprint != first.fingerprint)
    differs("has the layout '" + replica.fingerprint + "'", "has '" + first.fingerprint + "'");
  if (replica.precision != first.precision)
    differs("computes in " + precision_name(replica.precision), "in " + precision_name(first.precision));
}

}  // namespace troupe
