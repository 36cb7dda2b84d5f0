#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "support/temporary_folder.hpp"
#include "troupe/json.hpp"
#include "troupe/sgd.hpp"

namespace troupe_test {

/// Returns the path of a text with some structure. The file is removed when the program ends.
inline const std::string& structured_text() {
  struct Text {
    Text() {
      std::string text;
      for (int i = 0; text.size() < 6000; ++i)
        text += "line " + std::to_string(i * i % 97) + (i % 3 == 0 ? " is even here\n" : " follows\n");
      std::ofstream(path) << text;
    }
    TemporaryFolder folder;
    std::string path = folder / "text.txt";
  };
  static const Text text;
  return text.path;
}

/// Returns Options::config for a small language model on that text.
inline std::string gpt_config(double dropout, int micro_batch) {
  return troupe::Json{
      {"data", "text:" + structured_text() + ",predict=each,test=" + structured_text()},
      {"batch_size", 4},
      {"micro_batch", micro_batch},
      {"model_options", {{"layers", 2}, {"heads", 2}, {"width", 24}, {"window", 20}, {"dropout", dropout}}}}
      .dump();
}

/// Makes `steps` steps of the model "gpt", and returns the weights.
inline std::vector<float> gpt_after(const troupe::Options& options, int steps = 6) {
  troupe::DistributedSGD sgd("gpt", options);
  for (int step = 0; step < steps; ++step) sgd.step();
  return sgd.weights();
}

}  // namespace troupe_test
