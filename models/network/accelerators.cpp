#include "models/network/accelerators.hpp"

#include <cstdlib>
#include <sstream>

#include "troupe/error.hpp"

namespace troupe {

Accelerators accelerators() {
  if (cuda_accelerators == nullptr)
    throw Error(ErrorCode::unsupported,
                "this program supports CPUs only; for CUDA devices, build Troupe with -DTROUPE_CUDA=ON and link "
                "troupe::cuda");
  return cuda_accelerators();
}

int accelerator_count() {
  if (cuda_device_count == nullptr) return 0;
  try {
    return cuda_device_count();
  } catch (const Error&) {  // no driver, or no device
    return 0;
  }
}

void require_accelerators(std::int64_t needed, const std::string& who) {
  const int there = accelerator_count();
  if (needed <= there) return;
  if (there == 0) accelerators();  // throws an error with the reason
  throw Error(ErrorCode::unsupported,
              who + ' ' + std::to_string(needed) + " CUDA devices, but this machine has " + std::to_string(there));
}

std::vector<std::string> variables_for(const std::vector<int>& devices) {
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  std::vector<std::string> names;  // of all devices that this process sees, in CUDA's order
  std::istringstream listed(visible == nullptr ? "" : visible);
  for (std::string name; std::getline(listed, name, ',');) names.push_back(name);
  std::string chosen;
  for (const int device : devices) {
    const auto at = static_cast<std::size_t>(device);
    chosen += (chosen.empty() ? "" : ",") + (at < names.size() ? names[at] : std::to_string(device));
  }
  if (visible != nullptr) return {"CUDA_VISIBLE_DEVICES=" + chosen};
  return {"CUDA_DEVICE_ORDER=PCI_BUS_ID", "CUDA_VISIBLE_DEVICES=" + chosen};
}

}  // namespace troupe
