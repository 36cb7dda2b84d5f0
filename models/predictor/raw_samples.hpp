#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "troupe/data.hpp"
#include "troupe/predictor.hpp"

namespace troupe {

/// Prepares raw samples for a trained network, as the training prepared its own: encodes rows of tables, and applies
/// the transforms.
class RawSamples {
 public:
  /// @param path the file of weights that contains `data`, for error messages
  /// @param data the description of the training data
  /// @param sample_size the number of floats of a prepared sample
  /// @throws Error bad_file if this version does not know a transform, or if the transformed samples have another size
  RawSamples(std::string path, DataInfo data, std::size_t sample_size);

  const DataInfo& data() const { return data_; }
  /// @throws Error invalid_argument if the file describes no columns; bad_data as Predictor::predict
  std::vector<float> prepare(const Row& row) const;
  /// @throws Error invalid_argument if `raw` is not a whole number of raw samples
  std::vector<float> prepare(std::span<const float> raw) const;

 private:
  std::string path_;
  DataInfo data_;
};

/// Returns the number of samples in `floats` floats.
/// @throws Error invalid_argument if that is not a whole number
std::size_t count_samples(std::size_t floats, std::size_t sample_size);

}  // namespace troupe
