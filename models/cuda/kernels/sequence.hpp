#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "models/devices/element.hpp"
#include "runtime/random.hpp"

// Layers of sequences. A batch is a matrix with one row of floats for each position of each sample.
namespace troupe::cuda {

/// The tokens of a batch, as floats, and the size of the rows that stand for them.
struct TokenRows {
  const float* tokens;
  std::size_t rows;  ///< number of tokens
  std::uint32_t vocabulary;
  std::uint32_t width;
};

/// Copies the row of `weight` for each token. A token that is not in the vocabulary becomes a row of NaN.
void embed(cudaStream_t stream, const TokenRows& tokens, const float* weight, float* output);

/// Returns the size in bytes of the scratch memory that embed_backward needs.
std::size_t embed_scratch(std::size_t rows);
/// Adds the gradients of all positions to the rows of `gradient`. The positions of a token are added in order.
void embed_backward(cudaStream_t stream, const TokenRows& tokens, const float* output_gradient, void* scratch,
                    float* gradient);

/// Adds row p of `weight` to position p of each sample. `count` is the number of floats of a sample.
void add_positions(cudaStream_t stream, std::size_t samples, std::size_t count, const float* input, const float* weight,
                   float* output);
/// Writes the sum over all samples of the gradient of each float of a sample.
void sum_samples(cudaStream_t stream, std::size_t samples, std::size_t count, const float* output_gradient,
                 float* gradient);

/// A norm of each row of a matrix.
struct NormRows {
  std::size_t rows;
  std::uint32_t width;
  bool subtracts_mean;  ///< layer norm; otherwise RMS norm
};
/// Returns the size in bytes of the scratch memory that the functions below need.
std::size_t norm_scratch(const NormRows& norm);
/// @param bias may be null
void norm_forward(cudaStream_t stream, const NormRows& norm, const float* input, const float* weight, const float* bias,
                  void* scratch, float* output);
/// Writes the gradient of the input, or adds it.
void norm_input_backward(cudaStream_t stream, const NormRows& norm, const float* input, const float* output_gradient,
                         const float* weight, bool adds, void* scratch, float* input_gradient);
/// Writes, for each value, the normalised input times the gradient. Its sums over the rows are the gradient of the
/// weight.
void norm_weight_terms(cudaStream_t stream, const NormRows& norm, const float* input, const float* output_gradient,
                       void* scratch, float* terms);

/// The scores of the queries of several heads: `rows` rows of `keys` scores. Row r is query r % keys of its head.
struct Scores {
  std::size_t rows;
  std::uint32_t keys;
  bool causal;        ///< a query attends only to itself and the keys before it
  float scale;        ///< scores are multiplied by it
  float probability;  ///< of the dropout; 0: none
  RandomStream random;
  std::size_t first_row;  ///< number of the first row among all rows that use `random`
};
/// Writes the softmax of each row to `weights`, and after the dropout, as elements of the type `element`, to `dropped`.
void attention_weights(cudaStream_t stream, const Scores& scores, const float* products, float* weights,
                       Element element, void* dropped);
/// Writes the gradient of the products of queries and keys, as elements of the type `element`.
/// @param gradient that of the weights after the dropout
void attention_backward(cudaStream_t stream, const Scores& scores, const float* weights, const float* gradient,
                        Element element, void* products_gradient);

/// Computes SwiGLU for `rows` rows of 2 x `width` floats.
void swiglu_forward(cudaStream_t stream, std::size_t rows, std::uint32_t width, const float* input, float* output);
void swiglu_backward(cudaStream_t stream, std::size_t rows, std::uint32_t width, const float* input,
                     const float* output_gradient, float* input_gradient);

}  // namespace troupe::cuda
