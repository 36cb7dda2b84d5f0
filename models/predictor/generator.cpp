#include "troupe/generator.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <new>
#include <numeric>

#include "models/data/text/text_file.hpp"
#include "models/files/checkpoint/weights_of.hpp"
#include "models/files/network_text.hpp"
#include "models/files/safetensors_file.hpp"
#include "runtime/files/input_file.hpp"
#include "runtime/invalid.hpp"
#include "runtime/letter.hpp"
#include "runtime/random.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

/// Separates the random choices from other uses of the seed.
constexpr std::uint64_t kGenerationStream = 0x67656E65ULL << 32;

void check_options(const GenerationOptions& options) {
  if (options.tokens < 0) throw_invalid("the number of tokens must not be negative");
  if (options.top_k < 0) throw_invalid("top_k must not be negative");
  if (!(options.temperature >= 0) || std::isinf(options.temperature))
    throw_invalid("the temperature must be a finite number, at least 0");
}

std::int32_t likeliest(std::span<const float> outputs) {
  return static_cast<std::int32_t>(std::ranges::max_element(outputs) - outputs.begin());
}

/// Returns the smallest output that may be chosen.
float least_of(std::span<const float> outputs, std::int64_t top_k) {
  std::vector<float> sorted(outputs.begin(), outputs.end());
  const auto last = static_cast<std::size_t>(std::min(top_k, std::ssize(outputs)) - 1);
  std::ranges::nth_element(sorted, sorted.begin() + static_cast<std::ptrdiff_t>(last), std::greater());
  return sorted[last];
}

std::int32_t choose(std::span<const float> outputs, const GenerationOptions& options, Random& random) {
  if (options.temperature == 0) return likeliest(outputs);
  const float least = options.top_k > 0 ? least_of(outputs, options.top_k) : -INFINITY;
  const double largest = outputs[static_cast<std::size_t>(likeliest(outputs))];
  std::vector<double> weights(outputs.size());
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (outputs[i] >= least) weights[i] = std::exp((static_cast<double>(outputs[i]) - largest) / options.temperature);
  double left = static_cast<double>(random.uniform()) * std::accumulate(weights.begin(), weights.end(), 0.0);
  std::size_t last = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0) continue;
    last = i;
    if ((left -= weights[i]) < 0) break;
  }
  return static_cast<std::int32_t>(last);
}

/// Returns the numbers of the symbols of a prompt.
std::vector<std::int32_t> encoded(const std::string& prompt, const InputEncoding& encoding) {
  const Symbols kind = encoding.symbols_are_bytes ? Symbols::bytes : Symbols::characters;
  std::vector<std::int32_t> tokens;
  for (std::size_t at = 0; at < prompt.size();) {
    Letter letter{static_cast<unsigned char>(prompt[at]), 1, true};
    if (kind == Symbols::characters) letter = first_letter(std::string_view(prompt).substr(at));
    if (!letter.well_formed) throw_invalid("byte " + std::to_string(at) + " of the prompt is not valid UTF-8");
    const auto found = std::ranges::lower_bound(encoding.symbols, letter.number);
    if (found == encoding.symbols.end() || *found != letter.number)
      throw_invalid("the training text does not contain " + name_of(letter.number, kind) + ", which is at byte " +
                    std::to_string(at) + " of the prompt");
    tokens.push_back(static_cast<std::int32_t>(found - encoding.symbols.begin()));
    at += letter.bytes;
  }
  return tokens;
}

/// @throws Error limit_reached if there is not enough memory
std::vector<float> outputs_for(std::size_t window, std::size_t vocabulary) try {
  return std::vector<float>(window * vocabulary);
} catch (const std::bad_alloc&) {
  throw Error(ErrorCode::limit_reached, "there is no memory for the outputs of " + std::to_string(window) +
                                            " positions times " + std::to_string(vocabulary) + " tokens");
}

}  // namespace

Generator::Generator(const std::string& path, const PredictorOptions& options) : predictor_(path, options) {
  const DataInfo& info = data();
  if (info.vocabulary == 0 || info.labels_per_sample != info.shape.front() ||
      predictor_.num_outputs() != info.vocabulary * info.labels_per_sample)
    throw Error(ErrorCode::invalid_argument,
                "the network does not predict a token at each position, so it cannot generate any", {.object = path});
  const std::string file = weights_file_of(path);
  for (const LayerText& layer : network_from_json(file, SafetensorsFile(file).network()).layers)
    if (const auto causal = layer.numbers.find("causal"); causal != layer.numbers.end() && causal->second == 0)
      throw Error(ErrorCode::invalid_argument,
                  "the network has attention that is not causal: it would see positions after the prompt",
                  {.object = path});
  const std::size_t symbols = info.encoding.symbols.size();
  if (symbols > 0 && static_cast<std::int64_t>(symbols) != info.vocabulary)
    throw_bad_file(path, "the description of the network has " + std::to_string(symbols) +
                             " symbols, but a vocabulary of " + std::to_string(info.vocabulary));
}

void Generator::tokens(std::span<const std::int32_t> prompt, const GenerationOptions& options,
                       const std::function<void(std::int32_t)>& take) const {
  check_options(options);
  if (prompt.empty()) throw_invalid("the prompt is empty");
  if (std::ssize(prompt) > window())
    throw_invalid("the prompt has " + std::to_string(prompt.size()) + " tokens, but the network has a window of " +
                  std::to_string(window()));
  for (const std::int32_t token : prompt)
    if (token < 0 || token >= data().vocabulary)
      throw_invalid("token " + std::to_string(token) + " of the prompt is not in the vocabulary of " +
                    std::to_string(data().vocabulary) + " tokens");
  const auto width = static_cast<std::size_t>(window());
  const auto vocabulary = static_cast<std::size_t>(data().vocabulary);
  Random random(options.seed, kGenerationStream);
  std::vector<std::int32_t> known(prompt.begin(), prompt.end());
  std::vector<float> sample(width);
  std::vector<float> outputs = outputs_for(width, vocabulary);
  for (std::int64_t i = 0; i < options.tokens; ++i) {
    if (known.size() > width) known.erase(known.begin());
    std::ranges::transform(known, sample.begin(), [](std::int32_t token) { return static_cast<float>(token); });
    predictor_.outputs(sample, outputs);
    known.push_back(choose(std::span(outputs).subspan((known.size() - 1) * vocabulary, vocabulary), options, random));
    take(known.back());
  }
}

void Generator::text(const std::string& prompt, const GenerationOptions& options,
                     const std::function<void(const std::string&)>& take) const {
  const InputEncoding& encoding = data().encoding;
  if (encoding.symbols.empty()) throw_invalid("the network was not trained on text: it generates tokens only");
  const Symbols kind = encoding.symbols_are_bytes ? Symbols::bytes : Symbols::characters;
  tokens(encoded(prompt, encoding), options,
         [&](std::int32_t token) { take(text_of(encoding.symbols[static_cast<std::size_t>(token)], kind)); });
}

std::string Generator::text(const std::string& prompt, const GenerationOptions& options) const {
  std::string all;
  text(prompt, options, [&](const std::string& more) { all += more; });
  return all;
}

}  // namespace troupe
