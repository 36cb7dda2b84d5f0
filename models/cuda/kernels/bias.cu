#include "models/cuda/kernels/bias.hpp"
#include "models/cuda/kernels/rows.hpp"
#include "models/cuda/kernels/sum_tree.hpp"

namespace troupe::cuda {

namespace {

template <class T, int kCount>
struct AddBias {
  RowGroups matrix;
  const float* bias;  // may be unaligned, so its values are loaded one by one
  bool relu;
  T* data;

  TROUPE_HOST_DEVICE void operator()(std::size_t index) const {
    const Divided group = divide(index, matrix.packs);
    const std::uint32_t channel = group.remainder * kCount;
    Floats<kCount> more;
    for (int i = 0; i < kCount; ++i) more[i] = bias[channel + i];
    for (std::size_t row = group.quotient; row < matrix.rows; row += matrix.groups) {
      T* const at = data + row * matrix.channels + channel;
      Floats<kCount> values = load<kCount>(at);
      for (int i = 0; i < kCount; ++i) values[i] = relu ? cut(values[i] + more[i]) : values[i] + more[i];
      store(values, at);
    }
  }
};

/// A kernel in which each index computes the sums of a pack of channels over one run of rows.
template <class T, int kCount>
struct SumRows {
  const T* data;
  float* sums;
  Runs runs;
  std::uint32_t channels;

  TROUPE_HOST_DEVICE void operator()(std::size_t index) const {
    const Divided run = divide(index, channels / kCount);
    const std::uint32_t channel = run.remainder * kCount;
    Floats<kCount> sum{};
    const std::size_t step = runs.count * channels;
    const T* const first = data + run.quotient * channels + channel;
    const std::size_t length = runs.length(run.quotient);
    for (std::size_t row = 0; row < length; ++row) {
      const Floats<kCount> values = load<kCount>(first + row * step);
      for (int i = 0; i < kCount; ++i) sum[i] += values[i];
    }
    store(sum, sums + run.quotient * channels + channel);
  }
};

template <class From>
struct FinishSums {
  LastSums<From> last;
  float* sums;

  TROUPE_HOST_DEVICE void operator()(std::size_t channel) const {
    sums[channel] = static_cast<float>(last.total(channel));
  }
};

}  // namespace

void add_bias(cudaStream_t stream, std::int64_t rows, std::int64_t channels, Element element, const float* bias,
              bool relu, void* data) {
  with_packs(element, channels, [&](auto elements) {
    using T = typename decltype(elements)::Type;
    constexpr int kCount = decltype(elements)::kPack;
    const RowGroups matrix(rows, channels, kCount);
    for_each(stream, matrix.indices(), AddBias<T, kCount>{matrix, bias, relu, static_cast<T*>(data)});
  });
}

std::size_t column_sums_scratch(std::int64_t rows, std::int64_t channels) {
  return SumPlan(rows, channels, /*sums=*/1).scratch_bytes();
}

void column_sums(cudaStream_t stream, std::int64_t rows, std::int64_t channels, Element element, const void* data,
                 void* scratch, float* sums) {
  const SumPlan plan(rows, channels, /*sums=*/1);
  with_packs(element, channels, [&](auto elements) {
    using T = typename decltype(elements)::Type;
    constexpr int kCount = decltype(elements)::kPack;
    const auto narrow = static_cast<std::uint32_t>(channels);
    for_each(stream, plan.runs.count * (narrow / kCount),
             SumRows<T, kCount>{static_cast<const T*>(data), static_cast<float*>(scratch), plan.runs, narrow});
  });
  add_up(stream, plan, scratch, [&]<class From>(const LastSums<From>& last) {
    for_each(stream, static_cast<std::size_t>(channels), FinishSums<From>{last, sums});
  });
}

}  // namespace troupe::cuda
