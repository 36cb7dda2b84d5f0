#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "troupe/data.hpp"
#include "troupe/error.hpp"
#include "troupe/model.hpp"
#include "troupe/task_context.hpp"

// Weights, gradients and samples as matrices of Eigen, row-major and where they lie: nothing is copied. For programs
// that have Eigen 3.4; no other header of Troupe includes it.
namespace troupe::eigen {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Row = Eigen::Matrix<float, 1, Eigen::Dynamic, Eigen::RowMajor>;
using Column = Eigen::Matrix<float, Eigen::Dynamic, 1>;

/// A map of memory that may be written where `Float` is float, and only read where it is const float.
template <class M, class Float>
using MapOf = Eigen::Map<std::conditional_t<std::is_const_v<Float>, const M, M>>;

/// The tensors of a vector in canonical order, by name: `tensors(info(), weights).matrix("fc1.weight")`.
template <class Float>
class Tensors {
 public:
  /// @param tensors in the order in which they lie in `values`; both have to stay
  Tensors(std::span<const TensorInfo> tensors, std::span<Float> values) : tensors_(tensors), values_(values) {}

  /// A tensor with two or more dimensions: its first is the rows, the product of the others the columns. One with one
  /// dimension is a row. @throws Error invalid_argument for a name that there is not
  MapOf<Matrix, Float> matrix(std::string_view name) const {
    const auto [info, data] = find(name);
    const bool is_row = info.shape.size() < 2;
    const auto rows = is_row ? 1 : static_cast<Eigen::Index>(info.shape.front());
    const auto size = static_cast<Eigen::Index>(info.size());
    return {data, rows, rows == 0 ? 0 : size / rows};
  }
  /// Of any shape, all its floats.
  MapOf<Row, Float> row(std::string_view name) const {
    const auto [info, data] = find(name);
    return {data, static_cast<Eigen::Index>(info.size())};
  }
  MapOf<Column, Float> column(std::string_view name) const {
    const auto [info, data] = find(name);
    return {data, static_cast<Eigen::Index>(info.size())};
  }

 private:
  struct Found {
    const TensorInfo& info;
    Float* data;
  };

  Found find(std::string_view name) const {
    std::size_t begin = 0;
    for (const TensorInfo& info : tensors_) {
      const std::size_t end = begin + info.size();
      if (end > values_.size())
        throw Error(ErrorCode::invalid_argument, "there are " + std::to_string(values_.size()) +
                                                     " floats, and tensor '" + info.name + "' ends behind them");
      if (info.name == name) return {info, values_.data() + begin};
      begin = end;
    }
    throw Error(ErrorCode::invalid_argument, "there is no tensor '" + std::string(name) + "'");
  }

  std::span<const TensorInfo> tensors_;
  std::span<Float> values_;
};

/// Of weights that a program has: `tensors(sgd.tensors(), weights)` with `weights = sgd.weights()`.
template <std::ranges::borrowed_range Floats>
auto tensors(std::span<const TensorInfo> infos, Floats&& values) {
  const std::span span(values);
  return Tensors<typename decltype(span)::element_type>(infos, span);
}
/// Inside a model of one's own, whose flat vector is in canonical order: of weights, or of the gradient.
template <std::ranges::borrowed_range Floats>
auto tensors(const ModelInfo& info, Floats&& values) {
  return tensors(std::span<const TensorInfo>(info.tensors), values);
}

/// A vector as a row.
inline MapOf<Row, const float> row(std::span<const float> values) {
  return {values.data(), static_cast<Eigen::Index>(values.size())};
}
inline MapOf<Row, float> row(std::span<float> values) {
  return {values.data(), static_cast<Eigen::Index>(values.size())};
}

/// Samples as rows.
inline MapOf<Matrix, const float> values(const Samples& samples) {
  const auto rows = static_cast<Eigen::Index>(samples.count);
  return {samples.values.data(), rows, rows == 0 ? 0 : static_cast<Eigen::Index>(samples.values.size()) / rows};
}
/// Their targets as rows; without columns for data with classes.
inline MapOf<Matrix, const float> targets(const Samples& samples) {
  const auto rows = static_cast<Eigen::Index>(samples.count);
  return {samples.targets.data(), rows, rows == 0 ? 0 : static_cast<Eigen::Index>(samples.targets.size()) / rows};
}
/// Their labels; empty for data with targets.
inline Eigen::Map<const Eigen::Matrix<std::int32_t, Eigen::Dynamic, 1>> labels(const Samples& samples) {
  return {samples.labels.data(), static_cast<Eigen::Index>(samples.labels.size())};
}

}  // namespace troupe::eigen
