#include "actors/metrics/measured_model.hpp"

#include <cmath>
#include <memory>

#include "actors/test_models.hpp"
#include "troupe/troupe.hpp"

using namespace troupe;

namespace troupe_test {
namespace {

constexpr int kClasses = 7;

std::vector<float> drawn(std::uint64_t set, std::size_t count) {
  std::vector<float> values;
  values.reserve(count);
  for (std::size_t i = 0; i < count; ++i) values.push_back(3 * noise(set, 11, i));
  return values;
}

/// No sample has the last class.
std::shared_ptr<const Dataset> classes(std::uint64_t set, int samples) {
  std::vector<std::int32_t> labels;
  labels.reserve(static_cast<std::size_t>(samples));
  for (int i = 0; i < samples; ++i) labels.push_back(i * 5 % (kClasses - 1));
  return std::make_shared<const Dataset>(Dataset::classes({5}, drawn(set, static_cast<std::size_t>(samples) * 5),
                                                          labels, kClasses, "",
                                                          {"Ära", "B", "C", "D", "E", "F", "a long name of a class"}));
}

/// Returns targets around one million.
std::shared_ptr<const Dataset> targets(std::uint64_t set, int samples) {
  std::vector<float> wanted = drawn(set + 9, static_cast<std::size_t>(samples) * 2);
  for (float& each : wanted) each += 1e6F;
  return std::make_shared<const Dataset>(
      Dataset::targets({5}, drawn(set, static_cast<std::size_t>(samples) * 5), wanted, 2));
}

}  // namespace

void register_measured() {
  register_data("measured-classes", [](const std::string&, std::uint64_t) {
    return TrainingData{classes(1, 12), classes(2, 40), classes(3, 30)};
  });
  register_data("measured-targets", [](const std::string&, std::uint64_t) {
    return TrainingData{targets(1, 12), targets(2, 40), targets(3, 30)};
  });
  register_metric({"own-output", [](std::span<const float> outputs, const Target& target) {
                     return static_cast<double>(outputs[static_cast<std::size_t>(target.label)]);
                   }});
}

}  // namespace troupe_test
