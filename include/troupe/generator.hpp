#pragma once

// Text from a trained language model, without workers:
//
//    const troupe::Generator generator("kjv.safetensors");
//    std::cout << generator.text("In the beginning", {.tokens = 200, .temperature = 0.8});

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "troupe/predictor.hpp"

namespace troupe {

/// How a Generator chooses tokens.
struct GenerationOptions {
  std::int64_t tokens = 100;  ///< number of tokens to generate
  /// The outputs are divided by this number before the softmax: below 1, likely tokens become more likely. 0: each
  /// token is the likeliest one.
  double temperature = 1;
  /// If above 0, only the `top_k` likeliest tokens may be chosen. 0 (default): all tokens.
  std::int64_t top_k = 0;
  std::uint64_t seed = 1;  ///< of the random choices
};

/// A trained network that continues sequences of tokens, such as models::gpt. Each token takes a forward pass over the
/// whole window; if there are more tokens than the window has positions, the last ones count. Thread-safe.
class Generator {
 public:
  /// Loads a safetensors file that describes its network, like the constructor of Predictor.
  /// @throws Error as the constructor of Predictor.
  /// @throws Error invalid_argument if the network does not have tokens as input and one output for each token at each
  /// position, or has attention that is not causal.
  explicit Generator(const std::string& path, const PredictorOptions& options = {});

  /// Returns the description of the training data. `data().vocabulary` is the number of different tokens.
  const DataInfo& data() const { return predictor_.data(); }
  /// Returns the number of positions that the network sees: the window of its training data.
  std::int64_t window() const { return data().shape.front(); }

  /// Generates tokens after `prompt`, and calls `take` with each of them.
  /// @param prompt one to `window()` tokens.
  /// @throws Error invalid_argument if the prompt or an option is out of range.
  void tokens(std::span<const std::int32_t> prompt, const GenerationOptions& options,
              const std::function<void(std::int32_t)>& take) const;

  /// Generates text after `prompt` with a network that was trained on `text:` data, and returns the new text.
  /// @throws Error invalid_argument if the network was trained on other data, the prompt is empty, no valid UTF-8 or
  /// longer than the window, or contains a symbol that the training text did not have.
  std::string text(const std::string& prompt, const GenerationOptions& options = {}) const;
  /// Does the same, and calls `take` with the text of each token.
  void text(const std::string& prompt, const GenerationOptions& options,
            const std::function<void(const std::string&)>& take) const;

 private:
  Predictor predictor_;
};

}  // namespace troupe
