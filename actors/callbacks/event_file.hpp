#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/files/written_file.hpp"

namespace troupe {

/// The name and the value of a metric.
using Scalar = std::pair<std::string, float>;

/// Returns the checksum CRC-32C (Castagnoli) of `bytes`. For example, the checksum of "123456789" is 0xe3069283.
std::uint32_t crc32c(std::string_view bytes);

/// Writes a file for TensorBoard. The file consists of records in TensorFlow's format TFRecord. Each record contains a
/// message `tensorflow.Event` in the Protocol Buffers encoding (tensorflow/core/util/event.proto).
class EventFile {
 public:
  /// Creates a new file in `folder`. Creates the folder if it does not exist.
  /// @throws Error bad_file if the file cannot be created or written
  explicit EventFile(const std::string& folder);

  /// Writes one record with the metrics of a step. When this function returns, the operating system has the whole
  /// record, so a running TensorBoard can read the record.
  /// @param scalars the names and values of the metrics
  /// @throws Error bad_file if the file cannot be written
  void write(std::int64_t step, const std::vector<Scalar>& scalars);

 private:
  void write_record(std::string_view event);

  WrittenFile file_;
};

}  // namespace troupe
