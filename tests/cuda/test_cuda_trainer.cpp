#include <doctest/doctest.h>

#include "cuda/double/double.hpp"
#include "cuda/pci.hpp"
#include "gpu/device_runs.hpp"
#include "troupe/error.hpp"
#include "troupe/loop.hpp"
#include "troupe/trainer.hpp"

// Trainers on several CUDA devices, which only the double has.
using namespace troupe;
using troupe_test::pci_of;

namespace {

/// Returns the number that Troupe gives to one of CUDA's five devices: its place in the order of PCI ids.
int number_of(int device) {
  int number = 0;
  for (int other = 0; other < 5; ++other) number += pci_of(other) < pci_of(device) ? 1 : 0;
  return number;
}

}  // namespace

TEST_CASE("CUDA: the workers of a Trainer have devices of their own") {
  troupe_test::weights_after_steps(troupe_test::on_cuda(1), 1);  // the first device that is used locks all pages
  cuda_double::reset({.devices = 5});
  {
    Trainer trainer{{.num_workers = 2, .gpus_per_worker = 2}};
    const RunResults results = trainer.run("train here");
    CHECK(results[0].json.at("devices") == Json{0, 1});
    CHECK(results[1].json.at("devices") == Json{2, 3});
    CHECK(results[1].json.at("weights") == results[0].json.at("weights"));
    trainer.run([](const Json& /*config*/) {
      GroupSGD optimizer(accelerate("small-cnn"), here().group());
      optimizer.step();
      for (int device = 0; device < 5; ++device) {
        const int number = number_of(device);
        CHECK((cuda_double::bytes_on_device(device) > 0) == (number == 0 || number == 2));
      }
      here().barrier();
    });
    CHECK_THROWS_WITH_AS((Trainer{{.num_workers = 3, .gpus_per_worker = 2}}),
                         doctest::Contains("3 workers with gpus_per_worker 2 need 6 CUDA devices"), Error);
  }
  cuda_double::reset({});
}
