#include <CLI/CLI.hpp>
#include <cstdio>

#include "cli/commands.hpp"
#include "models/network/accelerators.hpp"
#include "runtime/text_table.hpp"

namespace troupe::cli {

namespace {

std::string gigabytes(std::size_t bytes) {
  constexpr double kGigabyte = 1e9;
  char text[32];
  std::snprintf(text, sizeof text, "%.1f GB", static_cast<double>(bytes) / kGigabyte);
  return text;
}

void print_devices() {
  const Accelerators all = accelerators();
  std::vector<std::vector<std::string>> rows{{"device", "name", "PCI", "memory", "free", "capability"}};
  for (std::size_t i = 0; i < all.devices.size(); ++i) {
    const Accelerator& device = all.devices[i];
    rows.push_back({"cuda:" + std::to_string(i), device.name, device.pci, gigabytes(device.memory),
                    device.free_memory ? gigabytes(*device.free_memory) : "?", device.capability});
  }
  std::printf("%sdriver for CUDA %s, program with CUDA %s\n", text_table(rows).c_str(), all.driver.c_str(),
              all.runtime.c_str());
}

}  // namespace

void add_devices(CLI::App& app) {
  app.add_subcommand("devices", "List the CUDA devices of this machine")->callback(print_devices);
}

}  // namespace troupe::cli
