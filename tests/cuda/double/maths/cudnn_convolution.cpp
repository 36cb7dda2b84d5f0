#include "cuda/double/maths/cudnn_convolution.hpp"

#include <algorithm>
#include <numeric>
#include <random>

namespace troupe::cuda_double {

namespace {

using Order = std::vector<std::int64_t>;

/// The orders of the loops, one for each index.
struct Orders {
  Order samples, outputs, rows, columns, inputs, kernel_rows, kernel_columns;
};

Orders orders_of(const Geometry& geometry, const Summing& summing) {
  std::mt19937_64 random(summing.order);
  const auto order = [&](std::int64_t count) {
    Order result(static_cast<std::size_t>(count));
    std::iota(result.begin(), result.end(), 0);
    if (!summing.exact) std::ranges::shuffle(result, random);
    return result;
  };
  const auto& [x, w, y, how] = geometry;
  return {order(y.dims[0]), order(y.dims[1]), order(y.dims[2]), order(y.dims[3]),
          order(w.dims[1]), order(w.dims[2]), order(w.dims[3])};
}

std::int64_t position(const TensorShape& shape, std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w) {
  return ((n * shape.dims[1] + c) * shape.dims[2] + h) * shape.dims[3] + w;
}

/// Calls visit(position in x, in w, in y) for the terms of one output that belong to one input channel.
template <class Visit>
void visit_window(const Geometry& geometry, const Orders& orders, std::int64_t n, std::int64_t k, std::int64_t p,
                  std::int64_t q, std::int64_t c, const Visit& visit) {
  const auto& [x, w, y, how] = geometry;
  const std::int64_t channel = k / (w.dims[0] / how.groups) * w.dims[1] + c;
  const std::int64_t at_y = position(y, n, k, p, q);
  for (const std::int64_t r : orders.kernel_rows) {
    const std::int64_t row = p * how.stride[0] - how.padding[0] + r * how.dilation[0];
    if (row < 0 || row >= x.dims[2]) continue;
    const std::int64_t at_x = position(x, n, channel, row, 0);
    const std::int64_t at_w = position(w, k, c, r, 0);
    for (const std::int64_t s : orders.kernel_columns) {
      const std::int64_t column = q * how.stride[1] - how.padding[1] + s * how.dilation[1];
      if (column >= 0 && column < x.dims[3]) visit(at_x + column, at_w + s, at_y);
    }
  }
}

template <class Visit>
void visit_terms(const Geometry& geometry, const Orders& orders, const Visit& visit) {
  for (const std::int64_t n : orders.samples)
    for (const std::int64_t k : orders.outputs)
      for (const std::int64_t p : orders.rows)
        for (const std::int64_t q : orders.columns)
          for (const std::int64_t c : orders.inputs) visit_window(geometry, orders, n, k, p, q, c, visit);
}

/// Adds the terms in type `Number`. `add(sums, x, w, y)` chooses the sum that a term is added to.
template <class Number, class Add>
Values sum_in(const Geometry& geometry, const Summing& summing, std::int64_t count, const Add& add) {
  std::vector<Number> sums(static_cast<std::size_t>(count));
  visit_terms(geometry, orders_of(geometry, summing),
              [&](std::int64_t x, std::int64_t w, std::int64_t y) { add(sums.data(), x, w, y); });
  return Values(sums.begin(), sums.end());
}

template <class Add>
Values sum(const Geometry& geometry, const Summing& summing, std::int64_t count, const Add& add) {
  return summing.exact ? sum_in<double>(geometry, summing, count, add) : sum_in<float>(geometry, summing, count, add);
}

void round_factors(Values& values, const Summing& summing) {
  if (summing.tf32) std::ranges::transform(values, values.begin(), to_tf32);
}

/// Calls visit(place in memory) in the order of the dimensions.
template <class Visit>
void visit_elements(const TensorShape& shape, const Visit& visit) {
  const auto& [dims, strides] = std::pair(shape.dims, shape.strides);
  for (std::int64_t n = 0; n < dims[0]; ++n)
    for (std::int64_t c = 0; c < dims[1]; ++c)
      for (std::int64_t h = 0; h < dims[2]; ++h)
        for (std::int64_t w = 0; w < dims[3]; ++w)
          visit(n * strides[0] + c * strides[1] + h * strides[2] + w * strides[3]);
}

}  // namespace

Values read(const TensorShape& shape, const void* from) {
  Values values;
  values.reserve(static_cast<std::size_t>(shape.count()));
  visit_elements(shape, [&](std::int64_t at) { values.push_back(load(shape.element(), from, at)); });
  return values;
}

void write(const TensorShape& shape, void* to, const Values& values, double alpha, double beta) {
  auto value = values.begin();
  visit_elements(shape, [&](std::int64_t at) {
    const double before = beta == 0 ? 0 : beta * load(shape.element(), to, at);
    store(shape.element(), to, at, alpha * *value++ + before);
  });
}

Values forward_sums(const Geometry& geometry, Values x, Values w, const Summing& summing) {
  round_factors(x, summing);
  round_factors(w, summing);
  return sum(geometry, summing, geometry.y.count(), [&](auto* sums, auto at_x, auto at_w, auto at_y) {
    sums[at_y] += static_cast<std::remove_pointer_t<decltype(sums)>>(x[at_x] * w[at_w]);
  });
}

Values data_sums(const Geometry& geometry, Values w, Values dy, const Summing& summing) {
  round_factors(w, summing);
  round_factors(dy, summing);
  return sum(geometry, summing, geometry.x.count(), [&](auto* sums, auto at_x, auto at_w, auto at_y) {
    sums[at_x] += static_cast<std::remove_pointer_t<decltype(sums)>>(w[at_w] * dy[at_y]);
  });
}

Values filter_sums(const Geometry& geometry, Values x, Values dy, const Summing& summing) {
  round_factors(x, summing);
  round_factors(dy, summing);
  return sum(geometry, summing, geometry.w.count(), [&](auto* sums, auto at_x, auto at_w, auto at_y) {
    sums[at_w] += static_cast<std::remove_pointer_t<decltype(sums)>>(x[at_x] * dy[at_y]);
  });
}

}  // namespace troupe::cuda_double
