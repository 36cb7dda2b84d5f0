#pragma once

#include "models/cuda/kernels/dispatch.hpp"

// Kernels for element-wise operations on arrays. Each index of a kernel processes a pack of values. Arrays start at
// multiples of 16 bytes. The output may be the same array as an input.
namespace troupe::cuda {

/// A kernel that computes to[i] = rule(from[i]) for each i.
template <int kCount, class Rule, class From, class To>
struct MapOne {
  const From* from;
  To* to;
  std::size_t count;
  Rule rule;

  TROUPE_HOST_DEVICE void operator()(std::size_t index) const {
    std::size_t at = index * kCount;
    if (at + kCount > count) {  // the last pack may be incomplete
      for (; at < count; ++at) store(rule(to_float(from[at])), to[at]);
      return;
    }
    Floats<kCount> values = load<kCount>(from + at);
    for (int i = 0; i < kCount; ++i) values[i] = rule(values[i]);
    store(values, to + at);
  }
};

/// A kernel that computes to[i] = rule(first[i], second[i]) for each i.
template <int kCount, class Rule, class T>
struct MapTwo {
  const T* first;
  const T* second;
  T* to;
  std::size_t count;
  Rule rule;

  TROUPE_HOST_DEVICE void operator()(std::size_t index) const {
    std::size_t at = index * kCount;
    if (at + kCount > count) {
      for (; at < count; ++at) store(rule(to_float(first[at]), to_float(second[at])), to[at]);
      return;
    }
    Floats<kCount> values = load<kCount>(first + at);
    const Floats<kCount> others = load<kCount>(second + at);
    for (int i = 0; i < kCount; ++i) values[i] = rule(values[i], others[i]);
    store(values, to + at);
  }
};

template <int kCount, class Rule, class From, class To>
void map_one(cudaStream_t stream, const From* from, To* to, std::size_t count, const Rule& rule) {
  for_each(stream, divide_up(count, kCount), MapOne<kCount, Rule, From, To>{from, to, count, rule});
}

template <class Rule>
void map_one(cudaStream_t stream, Element element, const void* from, void* to, std::size_t count, const Rule& rule) {
  with_element(element, [&](auto elements) {
    using T = typename decltype(elements)::Type;
    map_one<decltype(elements)::kPack>(stream, static_cast<const T*>(from), static_cast<T*>(to), count, rule);
  });
}

template <class Rule>
void map_two(cudaStream_t stream, Element element, const void* first, const void* second, void* to, std::size_t count,
             const Rule& rule) {
  with_element(element, [&](auto elements) {
    using T = typename decltype(elements)::Type;
    constexpr int kCount = decltype(elements)::kPack;
    for_each(stream, divide_up(count, kCount),
             MapTwo<kCount, Rule, T>{static_cast<const T*>(first), static_cast<const T*>(second), static_cast<T*>(to),
                                     count, rule});
  });
}

}  // namespace troupe::cuda
