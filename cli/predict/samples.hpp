#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "troupe/data.hpp"

namespace troupe::cli {

/// Samples to be predicted, and what is known of them.
class Samples {
 public:
  /// Of data by its name: its test set, or its training set where it has none. @param trained as load_data takes it
  Samples(const std::string& data, const DataInfo& trained, std::uint64_t seed);
  /// Of an image file, or of a .npy file that holds one sample or, with one dimension more, several.
  /// @param shape of a sample. @param byte_scale what the byte 1 becomes. @throws Error bad_file
  Samples(const std::string& file, const std::vector<std::int64_t>& shape, float byte_scale);

  std::int64_t count() const { return info().num_samples; }
  /// Of a file it says the shape alone.
  const DataInfo& info() const { return source_->info(); }

  /// A part of them, valid until the next is asked for.
  struct Part {
    std::span<const float> values;
    std::span<const std::int32_t> labels;  ///< empty: not known
    std::span<const float> targets;        ///< likewise
    std::span<const std::uint8_t> holes;   ///< of samples that cannot be read 1; empty: all can
  };
  Part part(std::int64_t first, std::int64_t count);

  /// Does to each what was done to those that a network was trained on. @throws Error as data::transform
  void transform(const std::string& transforms);

 private:
  std::shared_ptr<const DataSource> source_;
  std::vector<std::int64_t> numbers_;
  std::vector<float> values_;
  std::vector<std::int32_t> labels_;
  std::vector<float> targets_;
  std::vector<std::uint8_t> holes_;
};

}  // namespace troupe::cli
