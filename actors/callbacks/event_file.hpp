#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/files/written_file.hpp"

namespace troupe {

/// The name and value of a number.
using Scalar = std::pair<std::string, float>;

/// Returns the CRC-32C (Castagnoli); for "123456789" 0xe3069283.
std::uint32_t crc32c(std::string_view bytes);

/// A file for TensorBoard: records in TensorFlow's format TFRecord, each with a message `tensorflow.Event` in the
/// Protocol Buffers encoding (tensorflow/core/util/event.proto).
class EventFile {
 public:
  /// Creates a new file in a folder, and the folder if it does not exist.
  /// @throws Error bad_file, as `write` does
  explicit EventFile(const std::string& folder);

  /// Writes scalars. They have been passed to the operating system when this returns, so a running TensorBoard can read
  /// them.
  void write(std::int64_t step, const std::vector<Scalar>& scalars);

 private:
  void write_record(std::string_view event);

  WrittenFile file_;
};

}  // namespace troupe
