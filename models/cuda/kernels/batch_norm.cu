#include <type_traits>

#include "models/cuda/kernels/batch_norm.hpp"
#include "models/cuda/kernels/batch_norm_channels.hpp"
#include "models/cuda/kernels/batch_norm_functors.hpp"

namespace troupe::cuda {

namespace {

constexpr int kSums = 2;

SumPlan plan_of(const NormShape& shape) { return {shape.rows, shape.channels, kSums}; }

PartialSums partial_sums(const NormShape& shape, const SumPlan& plan, void* scratch) {
  return {static_cast<float*>(scratch), plan.runs, static_cast<std::uint32_t>(shape.channels)};
}

/// Calls run(first, second), in which both flags are compile-time constants: std::true_type or std::false_type.
template <class Run>
void with_flags(bool first, bool second, const Run& run) {
  if (first) return second ? run(std::true_type{}, std::true_type{}) : run(std::true_type{}, std::false_type{});
  second ? run(std::false_type{}, std::true_type{}) : run(std::false_type{}, std::false_type{});
}

std::size_t vector_bytes(std::int64_t channels) {
  return divide_up(static_cast<std::size_t>(channels) * sizeof(float), kPackBytes) * kPackBytes;
}

}  // namespace

std::size_t NormVectors::bytes(std::int64_t channels) { return 6 * vector_bytes(channels); }

NormVectors::NormVectors(void* memory, std::int64_t channels) {
  auto* at = static_cast<std::byte*>(memory);
  for (float** const vector : {&mean, &inverse_deviation, &scale, &shift, &by_input, &constant}) {
    *vector = reinterpret_cast<float*>(at);
    at += vector_bytes(channels);
  }
}

std::size_t norm_scratch(const NormShape& shape) { return plan_of(shape).scratch_bytes(); }

void norm_measure(cudaStream_t stream, const NormShape& shape, std::int64_t samples, const void* input,
                  const NormWeights<const float>& weights, const float* statistics, float* statistics_sums,
                  const NormVectors& vectors, void* scratch) {
  const SumPlan plan = plan_of(shape);
  const auto channels = static_cast<std::size_t>(shape.channels);
  const std::size_t whole_groups = static_cast<std::size_t>(round_up(shape.channels));
  with_packs(shape.element, shape.channels, [&](auto elements) {
    using T = typename decltype(elements)::Type;
    constexpr int kCount = decltype(elements)::kPack;
    const auto* const x = static_cast<const T*>(input);
    for_each(stream, plan.runs.count * (channels / kCount),
             SumMoments<T, kCount>{x, partial_sums(shape, plan, scratch)});
  });
  with_element(shape.element, [&](auto elements) {
    using T = typename decltype(elements)::Type;
    const auto* const x = static_cast<const T*>(input);
    add_up(stream, plan, scratch, [&]<class From>(const LastSums<From>& last) {
      for_each(stream, whole_groups,
               FinishMoments<T, From>{last, channels, static_cast<double>(shape.rows), static_cast<double>(samples), x,
                                      weights, statistics, statistics_sums, vectors});
    });
  });
}

void norm_recall(cudaStream_t stream, const NormShape& shape, const NormWeights<const float>& weights,
                 const float* statistics, const NormVectors& vectors) {
  for_each(stream, static_cast<std::size_t>(shape.channels), RecallMoments{weights, statistics, vectors});
}

void norm_forward(cudaStream_t stream, const NormShape& shape, const void* input, const void* addend,
                  const NormVectors& vectors, void* output) {
  with_packs(shape.element, shape.channels, [&](auto elements) {
    using T = typename decltype(elements)::Type;
    constexpr int kCount = decltype(elements)::kPack;
    const RowGroups matrix(shape.rows, shape.channels, kCount);
    for_each(stream, matrix.indices(),
             Normalise<T, kCount>{matrix, static_cast<const T*>(input), static_cast<const T*>(addend), vectors.scale,
                                  vectors.shift, shape.relu, static_cast<T*>(output)});
  });
}

void norm_gradient_sums(cudaStream_t stream, const NormShape& shape, bool training, const void* input,
                        const void* output, const void* second_gradient, void* output_gradient,
                        const NormVectors& vectors, void* scratch, const NormWeights<float>& gradients) {
  const SumPlan plan = plan_of(shape);
  const auto channels = static_cast<std::size_t>(shape.channels);
  with_packs(shape.element, shape.channels, [&](auto elements) {
    using T = typename decltype(elements)::Type;
    constexpr int kCount = decltype(elements)::kPack;
    with_flags(second_gradient != nullptr, shape.relu, [&](auto has_second, auto cuts) {
      for_each(stream, plan.runs.count * (channels / kCount),
               SumGradients<T, kCount, has_second.value, cuts.value>{
                   static_cast<const T*>(input), static_cast<const T*>(output), static_cast<const T*>(second_gradient),
                   vectors.mean, static_cast<T*>(output_gradient), partial_sums(shape, plan, scratch)});
    });
  });
  add_up(stream, plan, scratch, [&]<class From>(const LastSums<From>& last) {
    for_each(stream, channels,
             FinishGradients<From>{last, channels, static_cast<double>(shape.rows), training, vectors, gradients});
  });
}

void norm_input_gradients(cudaStream_t stream, const NormShape& shape, const void* input, const void* output_gradient,
                          const NormVectors& vectors, void* input_gradient) {
  with_packs(shape.element, shape.channels, [&](auto elements) {
    using T = typename decltype(elements)::Type;
    constexpr int kCount = decltype(elements)::kPack;
    const RowGroups matrix(shape.rows, shape.channels, kCount);
    for_each(stream, matrix.indices(),
             SpreadGradients<T, kCount>{matrix, static_cast<const T*>(input), static_cast<const T*>(output_gradient),
                                        vectors, static_cast<T*>(input_gradient)});
  });
}

}  // namespace troupe::cuda
