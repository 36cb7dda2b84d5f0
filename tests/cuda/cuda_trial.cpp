#include "models/network_trial.hpp"

namespace troupe::test {

std::unique_ptr<DeviceNetwork> make_trial_network(const NetworkPlan& plan, std::shared_ptr<const Loss> loss,
                                                  std::int64_t batch_size, Precision precision, bool frozen) {
  return make_cuda_network(plan, std::move(loss), batch_size,
                           {.precision = precision, .device = troupe::Device::cuda, .frozen = frozen});
}

}  // namespace troupe::test
