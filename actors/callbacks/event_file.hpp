#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/files/written_file.hpp"

namespace troupe {

/// A number of this name.
using Scalar = std::pair<std::string, float>;

/// CRC-32C (Castagnoli), of "123456789" 0xe3069283.
std::uint32_t crc32c(std::string_view bytes);

/// What TensorBoard reads: records of TensorFlow's format TFRecord, each with a message `tensorflow.Event` as Protocol
/// Buffers write it (tensorflow/core/util/event.proto).
class EventFile {
 public:
  /// A new file in a folder, which is made where there is none. @throws Error bad_file, as `write` does
  explicit EventFile(const std::string& folder);

  /// They are with the system when this returns, for a TensorBoard that is running.
  void write(std::int64_t step, const std::vector<Scalar>& scalars);

 private:
  void write_record(std::string_view event);

  WrittenFile file_;
};

}  // namespace troupe
