#include <cmath>

#include "models/cuda/kernels/dispatch.hpp"
#include "models/cuda/kernels/sequence.hpp"
#include "models/devices/statistics.hpp"

namespace troupe::cuda {

namespace {

/// The number that stands for "no position".
constexpr std::uint32_t kNoRow = 0xFFFFFFFF;

TROUPE_HOST_DEVICE inline bool is_token(float token, std::uint32_t vocabulary) {
  return token >= 0 && token < static_cast<float>(vocabulary);
}

struct Embed {
  TokenRows tokens;
  const float* weight;
  float* output;

  TROUPE_HOST_DEVICE void operator()(std::size_t index) const {
    const Divided at = divide(index, tokens.width);
    const float token = tokens.tokens[at.quotient];
    output[index] = is_token(token, tokens.vocabulary)
                        ? weight[static_cast<std::size_t>(token) * tokens.width + at.remainder]
                        : std::nanf("");
  }
};

/// For each position: the next position with the same token, and whether there is an earlier one.
struct LinkTokens {
  const float* tokens;
  std::size_t rows;
  std::uint32_t* next;
  std::uint32_t* is_later;

  TROUPE_HOST_DEVICE void operator()(std::size_t row) const {
    std::uint32_t following = kNoRow;
    for (std::size_t other = row + 1; other < rows && following == kNoRow; ++other)
      if (tokens[other] == tokens[row]) following = static_cast<std::uint32_t>(other);
    next[row] = following;
    std::uint32_t later = 0;
    for (std::size_t other = row; other-- > 0 && later == 0;) later = tokens[other] == tokens[row] ? 1 : 0;
    is_later[row] = later;
  }
};

struct AddLinked {
  TokenRows tokens;
  const std::uint32_t* next;
  const std::uint32_t* is_later;
  const float* output_gradient;
  float* gradient;

  TROUPE_HOST_DEVICE void operator()(std::size_t index) const {
    const Divided at = divide(index, tokens.width);
    const float token = tokens.tokens[at.quotient];
    if (is_later[at.quotient] != 0 || !is_token(token, tokens.vocabulary)) return;
    float& sum = gradient[static_cast<std::size_t>(token) * tokens.width + at.remainder];
    for (auto row = static_cast<std::uint32_t>(at.quotient); row != kNoRow; row = next[row])
      sum += output_gradient[std::size_t{row} * tokens.width + at.remainder];
  }
};

struct AddPositions {
  const float* input;
  const float* weight;
  float* output;
  std::uint32_t count;

  TROUPE_HOST_DEVICE void operator()(std::size_t index) const {
    output[index] = input[index] + weight[divide(index, count).remainder];
  }
};

struct SumSamples {
  const float* from;
  float* to;
  std::size_t samples;
  std::size_t count;

  TROUPE_HOST_DEVICE void operator()(std::size_t index) const {
    float sum = 0;
    for (std::size_t sample = 0; sample < samples; ++sample) sum += from[sample * count + index];
    to[index] = sum;
  }
};

/// Writes the mean of each row (0 for an RMS norm) and the factor by which differences from it are multiplied.
struct RowMoments {
  NormRows norm;
  const float* input;
  float* moments;

  TROUPE_HOST_DEVICE void operator()(std::size_t row) const {
    const float* const values = input + row * norm.width;
    const auto width = static_cast<float>(norm.width);
    float mean = 0;
    for (std::uint32_t i = 0; norm.subtracts_mean && i < norm.width; ++i) mean += values[i];
    mean /= width;
    float squares = 0;
    for (std::uint32_t i = 0; i < norm.width; ++i) squares += (values[i] - mean) * (values[i] - mean);
    moments[2 * row] = mean;
    moments[2 * row + 1] = 1 / std::sqrt(squares / width + static_cast<float>(kNormEpsilon));
  }
};

struct Normalise {
  NormRows norm;
  const float* input;
  const float* moments;
  const float* weight;
  const float* bias;
  float* output;

  TROUPE_HOST_DEVICE void operator()(std::size_t index) const {
    const Divided at = divide(index, norm.width);
    const float normed = (input[index] - moments[2 * at.quotient]) * moments[2 * at.quotient + 1];
    output[index] = normed * weight[at.remainder] + (bias == nullptr ? 0 : bias[at.remainder]);
  }
};

/// Writes the mean of a row's weighted gradient (0 for an RMS norm), and the mean of its product with the normalised
/// input.
struct RowGradients {
  NormRows norm;
  const float* input;
  const float* gradient;
  const float* weight;
  const float* moments;
  float* sums;

  TROUPE_HOST_DEVICE void operator()(std::size_t row) const {
    const std::size_t first = row * norm.width;
    const auto width = static_cast<float>(norm.width);
    float mean = 0;
    float along = 0;
    for (std::uint32_t i = 0; i < norm.width; ++i) {
      const float weighted = gradient[first + i] * weight[i];
      mean += norm.subtracts_mean ? weighted : 0;
      along += weighted * ((input[first + i] - moments[2 * row]) * moments[2 * row + 1]);
    }
    sums[2 * row] = mean / width;
    sums[2 * row + 1] = along / width;
  }
};

struct NormInputGradient {
  NormRows norm;
  const float* input;
  const float* gradient;
  const float* weight;
  const float* moments;
  const float* sums;
  bool adds;
  float* to;

  TROUPE_HOST_DEVICE void operator()(std::size_t index) const {
    const Divided at = divide(index, norm.width);
    const std::size_t row = 2 * at.quotient;
    const float normed = (input[index] - moments[row]) * moments[row + 1];
    const float change =
        moments[row + 1] * (gradient[index] * weight[at.remainder] - sums[row] - normed * sums[row + 1]);
    to[index] = (adds ? to[index] : 0) + change;
  }
};

struct NormWeightTerms {
  NormRows norm;
  const float* input;
  const float* gradient;
  const float* moments;
  float* to;

  TROUPE_HOST_DEVICE void operator()(std::size_t index) const {
    const std::size_t row = 2 * divide(index, norm.width).quotient;
    to[index] = gradient[index] * ((input[index] - moments[row]) * moments[row + 1]);
  }
};

/// Returns the factor of the dropout for a weight.
TROUPE_HOST_DEVICE inline float dropout_factor(const Scores& scores, std::size_t index) {
  if (scores.probability == 0) return 1;
  constexpr std::size_t kNumbersOfBlock = 4;
  const std::size_t number = scores.first_row * scores.keys + index;
  const auto words = scores.random.words(number / kNumbersOfBlock);
  return uniform_of(words[number % kNumbersOfBlock]) < scores.probability ? 0.0F : 1 / (1 - scores.probability);
}

TROUPE_HOST_DEVICE inline std::uint32_t seen_keys(const Scores& scores, std::size_t row) {
  return scores.causal ? divide(row, scores.keys).remainder + 1 : scores.keys;
}

template <class T>
struct AttentionWeights {
  Scores scores;
  const float* products;
  float* weights;
  T* dropped;

  TROUPE_HOST_DEVICE void operator()(std::size_t row) const {
    const std::size_t first = row * scores.keys;
    const std::uint32_t seen = seen_keys(scores, row);
    float largest = products[first];
    for (std::uint32_t i = 1; i < seen; ++i) largest = largest < products[first + i] ? products[first + i] : largest;
    float sum = 0;
    for (std::uint32_t i = 0; i < seen; ++i) {
      weights[first + i] = std::exp(scores.scale * (products[first + i] - largest));
      sum += weights[first + i];
    }
    for (std::uint32_t i = 0; i < scores.keys; ++i) {
      const float weight = i < seen ? weights[first + i] / sum : 0;
      weights[first + i] = weight;
      store(i < seen ? weight * dropout_factor(scores, first + i) : 0, dropped[first + i]);
    }
  }
};

template <class T>
struct AttentionGradient {
  Scores scores;
  const float* weights;
  const float* gradient;
  T* to;

  TROUPE_HOST_DEVICE void operator()(std::size_t row) const {
    const std::size_t first = row * scores.keys;
    const std::uint32_t seen = seen_keys(scores, row);
    float along = 0;
    for (std::uint32_t i = 0; i < seen; ++i)
      along += weights[first + i] * gradient[first + i] * dropout_factor(scores, first + i);
    for (std::uint32_t i = 0; i < scores.keys; ++i) {
      const float own = i < seen ? gradient[first + i] * dropout_factor(scores, first + i) - along : 0;
      store(scores.scale * weights[first + i] * own, to[first + i]);
    }
  }
};

TROUPE_HOST_DEVICE inline float gate_of(float value) { return 1 / (1 + std::exp(-value)); }

struct SwigluForward {
  const float* input;
  float* output;
  std::uint32_t width;

  TROUPE_HOST_DEVICE void operator()(std::size_t index) const {
    const Divided at = divide(index, width);
    const float* const row = input + 2 * at.quotient * width + at.remainder;
    output[index] = row[0] * gate_of(row[0]) * row[width];
  }
};

struct SwigluBackward {
  const float* input;
  const float* gradient;
  float* to;
  std::uint32_t width;

  TROUPE_HOST_DEVICE void operator()(std::size_t index) const {
    const Divided at = divide(index, width);
    const std::size_t place = 2 * at.quotient * width + at.remainder;
    const float gate = gate_of(input[place]);
    const float swish = input[place] * gate;
    to[place] = gradient[index] * input[place + width] * (gate + swish * (1 - gate));
    to[place + width] = gradient[index] * swish;
  }
};

}  // namespace

void embed(cudaStream_t stream, const TokenRows& tokens, const float* weight, float* output) {
  for_each(stream, tokens.rows * tokens.width, Embed{tokens, weight, output});
}

std::size_t embed_scratch(std::size_t rows) { return 2 * rows * sizeof(std::uint32_t); }

void embed_backward(cudaStream_t stream, const TokenRows& tokens, const float* output_gradient, void* scratch,
                    float* gradient) {
  auto* const next = static_cast<std::uint32_t*>(scratch);
  for_each(stream, tokens.rows, LinkTokens{tokens.tokens, tokens.rows, next, next + tokens.rows});
  for_each(stream, tokens.rows * tokens.width, AddLinked{tokens, next, next + tokens.rows, output_gradient, gradient});
}

void add_positions(cudaStream_t stream, std::size_t samples, std::size_t count, const float* input, const float* weight,
                   float* output) {
  for_each(stream, samples * count, AddPositions{input, weight, output, static_cast<std::uint32_t>(count)});
}

void sum_samples(cudaStream_t stream, std::size_t samples, std::size_t count, const float* output_gradient,
                 float* gradient) {
  for_each(stream, count, SumSamples{output_gradient, gradient, samples, count});
}

std::size_t norm_scratch(const NormRows& norm) { return 4 * norm.rows * sizeof(float); }

void norm_forward(cudaStream_t stream, const NormRows& norm, const float* input, const float* weight, const float* bias,
                  void* scratch, float* output) {
  auto* const moments = static_cast<float*>(scratch);
  for_each(stream, norm.rows, RowMoments{norm, input, moments});
  for_each(stream, norm.rows * norm.width, Normalise{norm, input, moments, weight, bias, output});
}

void norm_input_backward(cudaStream_t stream, const NormRows& norm, const float* input, const float* output_gradient,
                         const float* weight, bool adds, void* scratch, float* input_gradient) {
  auto* const moments = static_cast<float*>(scratch);
  float* const sums = moments + 2 * norm.rows;
  for_each(stream, norm.rows, RowMoments{norm, input, moments});
  for_each(stream, norm.rows, RowGradients{norm, input, output_gradient, weight, moments, sums});
  for_each(stream, norm.rows * norm.width,
           NormInputGradient{norm, input, output_gradient, weight, moments, sums, adds, input_gradient});
}

void norm_weight_terms(cudaStream_t stream, const NormRows& norm, const float* input, const float* output_gradient,
                       void* scratch, float* terms) {
  auto* const moments = static_cast<float*>(scratch);
  for_each(stream, norm.rows, RowMoments{norm, input, moments});
  for_each(stream, norm.rows * norm.width, NormWeightTerms{norm, input, output_gradient, moments, terms});
}

void attention_weights(cudaStream_t stream, const Scores& scores, const float* products, float* weights,
                       Element element, void* dropped) {
  with_element(element, [&](auto elements) {
    using T = typename decltype(elements)::Type;
    for_each(stream, scores.rows, AttentionWeights<T>{scores, products, weights, static_cast<T*>(dropped)});
  });
}

void attention_backward(cudaStream_t stream, const Scores& scores, const float* weights, const float* gradient,
                        Element element, void* products_gradient) {
  with_element(element, [&](auto elements) {
    using T = typename decltype(elements)::Type;
    for_each(stream, scores.rows, AttentionGradient<T>{scores, weights, gradient, static_cast<T*>(products_gradient)});
  });
}

void swiglu_forward(cudaStream_t stream, std::size_t rows, std::uint32_t width, const float* input, float* output) {
  for_each(stream, rows * width, SwigluForward{input, output, width});
}

void swiglu_backward(cudaStream_t stream, std::size_t rows, std::uint32_t width, const float* input,
                     const float* output_gradient, float* input_gradient) {
  for_each(stream, rows * width, SwigluBackward{input, output_gradient, input_gradient, width});
}

}  // namespace troupe::cuda
