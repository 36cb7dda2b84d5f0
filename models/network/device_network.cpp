#include "models/network/device_network.hpp"

#include <algorithm>
#include <utility>

#include "troupe/error.hpp"

namespace troupe {
namespace {

/// Checks that this program supports a kind of device.
void check_device(Device device) {
  if (device != Device::cpu && make_cuda_network == nullptr)
    throw Error(ErrorCode::unsupported,
                "this program supports CPUs only: set device to cpu; for CUDA devices, build Troupe with "
                "-DTROUPE_CUDA=ON and link troupe::cuda");
}

}  // namespace

void DeviceNetwork::update_statistics(std::size_t begin, std::span<const float> mean, std::int64_t samples,
                                      std::span<const float> statistics, std::span<float> updated) const {
  if (frozen_)
    std::ranges::copy(statistics, updated.begin());
  else
    learn_statistics(begin, mean, samples, statistics, updated);
}

void DeviceNetwork::copy_canonical(std::span<const float> canonical, std::span<float> weights) const {
  const auto copy = [&canonical](std::span<float> tensor) {
    std::ranges::copy(canonical.first(tensor.size()), tensor.begin());
    canonical = canonical.subspan(tensor.size());
  };
  from_canonical(copy, weights);
}

std::unique_ptr<DeviceNetwork> make_network(NetworkPlan plan, std::shared_ptr<const Loss> loss, std::int64_t batch_size,
                                            const ReplicaContext& context) {
  check_device(context.device);
  if (context.device != Device::cpu) return make_cuda_network(plan, std::move(loss), batch_size, context);
  return make_cpu_network(std::move(plan), std::move(loss), batch_size, context.precision, context.frozen);
}

PrecisionSeconds measure_precisions(const NetworkPlan& plan, std::int64_t batch_size, const ReplicaContext& context) {
  check_device(context.device);
  if (context.device != Device::cpu) return {};  // bf16 products are faster on every accelerator that supports them
  return measure_cpu_precisions(plan, batch_size);
}

}  // namespace troupe
