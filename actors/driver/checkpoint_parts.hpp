#pragma once

#include <vector>

#include "actors/driver/transfers.hpp"
#include "troupe/model.hpp"

namespace troupe {

/// A checkpoint's vectors in parts of whole tensors, one after the other.
class CheckpointParts {
 public:
  CheckpointParts(const std::vector<TensorInfo>& tensors, int vectors) : vectors_(vectors) {
    for (const TensorInfo& tensor : tensors) lengths_.push_back(tensor.size());
  }

  bool done() const { return begin_.vector == vectors_; }
  /// The next one: the fewest tensors that have so many floats, or what is left of the vector.
  VectorPart next(std::size_t floats) const {
    VectorPart part = begin_;
    for (std::size_t i = tensor_; i < lengths_.size() && part.floats < floats; ++i) part.floats += lengths_[i];
    return part;
  }
  /// It has been given.
  void pass(const VectorPart& part) {
    begin_.begin += part.floats;
    for (std::size_t floats = part.floats; tensor_ < lengths_.size() && lengths_[tensor_] <= floats; ++tensor_)
      floats -= lengths_[tensor_];
    if (tensor_ < lengths_.size()) return;
    tensor_ = 0;
    begin_ = {begin_.vector + 1, 0, 0};
  }

 private:
  std::vector<std::size_t> lengths_;
  int vectors_;
  VectorPart begin_;
  std::size_t tensor_ = 0;  ///< of the vector, that comes next
};

}  // namespace troupe
