#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "models/files.hpp"
#include "models/files/checkpoint/reader.hpp"
#include "models/files/checkpoint/writer.hpp"

namespace troupe::testing {

inline const std::vector<TensorInfo> kCheckpointTensors{{"a.weight", {2, 3}}, {"none", {0, 5}}, {"b", {}}};

inline CheckpointManifest example_manifest(std::int64_t step, std::vector<std::string> state = {"m", "v"}) {
  CheckpointManifest manifest;
  manifest.step = step;
  manifest.updates = step - 1;
  manifest.num_shards = 64;
  manifest.seed = ~0ULL;
  manifest.model = "resnet";
  manifest.config = R"({"depth":18})";
  manifest.statistics = true;
  manifest.precision = Precision::bf16;
  manifest.optimizer = R"({"kind":"adam","learning_rate":0.1,"schedule":{"kind":"constant"}})";
  manifest.state = std::move(state);
  manifest.data = "cifar10";
  manifest.samples = 50000;
  return manifest;
}

/// Returns the example vector `number` of the checkpoint of `step`.
inline std::vector<float> example_vector(std::int64_t step, int number) {
  std::vector<float> floats(total_size(kCheckpointTensors));
  for (std::size_t i = 0; i < floats.size(); ++i) floats[i] = static_cast<float>(100 * step + 10 * number) + float(i);
  return floats;
}

inline void save(const std::string& path, std::int64_t step, const std::vector<std::string>& state = {"m", "v"}) {
  CheckpointWriter writer(path, example_manifest(step, state), kCheckpointTensors);
  for (int i = 0; i <= static_cast<int>(state.size()); ++i) writer.add(example_vector(step, i));
  writer.commit();
}

/// Returns the step of the checkpoint at the path after reading all of the checkpoint. @throws Error
inline std::int64_t load(const std::string& path) {
  const CheckpointReader reader(path);
  const std::int64_t step = reader.manifest().step;
  const std::vector<float> weights = reader.weights(kCheckpointTensors);
  CHECK(weights == example_vector(step, 0));
  int number = 0;
  for (const std::string& name : reader.manifest().state) {
    const std::vector<float> state = reader.state(name, kCheckpointTensors);
    CHECK(state == example_vector(step, ++number));
  }
  return step;
}

inline std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.push_back(entry.path().filename());
  std::ranges::sort(names);
  return names;
}

using Names = std::vector<std::string>;

}  // namespace troupe::testing
