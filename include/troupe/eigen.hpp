#pragma once

// Weights, gradients and samples as Eigen matrices, row-major and without copying. This header is for programs that use
// Eigen 3.4; no other header of Troupe includes Eigen.
//
//    const auto weights = sgd.weights();
//    std::cout << troupe::eigen::tensors(sgd.tensors(), weights).matrix("fc1.weight").norm();

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

namespace troupe::eigen {

/// A matrix of floats, row-major.
using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
/// A row of floats.
using Row = Eigen::Matrix<float, 1, Eigen::Dynamic, Eigen::RowMajor>;
/// A column of floats.
using Column = Eigen::Matrix<float, Eigen::Dynamic, 1>;

/// An Eigen map of existing floats: writable if `Float` is float, read-only if it is const float. M is the type of
/// matrix.
template <class M, class Float>
using MapOf = Eigen::Map<std::conditional_t<std::is_const_v<Float>, const M, M>>;

/// Gives access to the tensors of a vector in canonical order, by name. Example: `tensors(info(),
/// weights).matrix("fc1.weight")`.
template <class Float>
class Tensors {
 public:
  /// Makes a view of `values`. Neither span is copied, so the memory of both must outlive this object.
  /// @param tensors the descriptions of the tensors, in the order in which the tensors lie in `values`.
  /// @param values the vector that contains the tensors one after the other.
  Tensors(std::span<const TensorInfo> tensors, std::span<Float> values) : tensors_(tensors), values_(values) {}

  /// Returns the tensor `name` as a matrix. The rows are its first dimension, the columns the product of the other
  /// dimensions. A tensor with one dimension is a single row.
  /// @throws Error invalid_argument if there is no tensor with this name, or the vector is too short.
  MapOf<Matrix, Float> matrix(std::string_view name) const {
    const auto [info, data] = find(name);
    const bool is_row = info.shape.size() < 2;
    const auto rows = is_row ? 1 : static_cast<Eigen::Index>(info.shape.front());
    const auto size = static_cast<Eigen::Index>(info.size());
    return {data, rows, rows == 0 ? 0 : size / rows};
  }
  /// Returns all floats of the tensor `name`, which may have any shape, as a row.
  /// @throws Error as `matrix`.
  MapOf<Row, Float> row(std::string_view name) const {
    const auto [info, data] = find(name);
    return {data, static_cast<Eigen::Index>(info.size())};
  }
  /// Returns all floats of the tensor `name`, which may have any shape, as a column.
  /// @throws Error as `matrix`.
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
                                                     " floats, but tensor '" + info.name + "' needs more");
      if (info.name == name) return {info, values_.data() + begin};
      begin = end;
    }
    throw Error(ErrorCode::invalid_argument, "there is no tensor '" + std::string(name) + "'");
  }

  std::span<const TensorInfo> tensors_;
  std::span<Float> values_;
};

/// Returns a view of `values` as tensors with these descriptions, which can be accessed by name. `values` is in
/// canonical order, for example the result of `sgd.weights()`, and `infos` the result of `sgd.tensors()`.
template <std::ranges::borrowed_range Floats>
auto tensors(std::span<const TensorInfo> infos, Floats&& values) {
  const std::span span(values);
  return Tensors<typename decltype(span)::element_type>(infos, span);
}
/// Returns a view of `values` as the tensors of a model, for use inside a model of your own. `values` are weights or a
/// gradient. The flat vector of the model must be in canonical order.
template <std::ranges::borrowed_range Floats>
auto tensors(const ModelInfo& info, Floats&& values) {
  return tensors(std::span<const TensorInfo>(info.tensors), values);
}

/// Returns a read-only view of `values` as a row.
inline MapOf<Row, const float> row(std::span<const float> values) {
  return {values.data(), static_cast<Eigen::Index>(values.size())};
}
/// Returns a writable view of `values` as a row.
inline MapOf<Row, float> row(std::span<float> values) {
  return {values.data(), static_cast<Eigen::Index>(values.size())};
}

/// Returns a read-only view of the values of samples as a matrix with one row for each sample.
inline MapOf<Matrix, const float> values(const Samples& samples) {
  const auto rows = static_cast<Eigen::Index>(samples.count);
  return {samples.values.data(), rows, rows == 0 ? 0 : static_cast<Eigen::Index>(samples.values.size()) / rows};
}
/// Returns a read-only view of the targets of samples as a matrix with one row for each sample. The matrix has no
/// columns if the data has classes.
inline MapOf<Matrix, const float> targets(const Samples& samples) {
  const auto rows = static_cast<Eigen::Index>(samples.count);
  return {samples.targets.data(), rows, rows == 0 ? 0 : static_cast<Eigen::Index>(samples.targets.size()) / rows};
}
/// Returns a read-only view of the labels of samples as a column. The column is empty if the data has targets.
inline Eigen::Map<const Eigen::Matrix<std::int32_t, Eigen::Dynamic, 1>> labels(const Samples& samples) {
  return {samples.labels.data(), static_cast<Eigen::Index>(samples.labels.size())};
}

}  // namespace troupe::eigen
