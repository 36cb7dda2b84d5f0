#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/files/input_file.hpp"
#include "troupe/model.hpp"

namespace troupe {

enum class StoredType : std::uint8_t { f32, f16, bf16, i64 };

/// Describes a tensor in a file. `begin` and `end` are the offsets of its first byte and of the byte after its last
/// byte, counted from the end of the header.
struct StoredTensor {
  StoredType type = StoredType::f32;
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

using StoredTensors = std::map<std::string, StoredTensor>;

struct SafetensorsHeader {
  StoredTensors tensors;
  std::map<std::string, std::string> metadata;  ///< the texts of __metadata__, by key
  std::uint64_t data = 0;                       ///< offset in the file, in bytes, of the first tensor;
                                                ///< StoredTensor::begin is counted from here
};

/// The suffix of the names of the step counters that PyTorch stores for batch-norm layers. Only tensors with this
/// suffix may have the type I64.
inline constexpr std::string_view kStepsTracked = ".num_batches_tracked";

/// Returns all bytes before the floats of a safetensors file that stores these tensors as F32, one after the other: the
/// length of the JSON text (8 bytes) and the JSON text. The text is padded, so that the floats start at a multiple of 8
/// bytes.
/// @param network the description of the network (NetworkText as JSON), which the header also contains; empty: no
/// description
/// @throws Error invalid_argument if a safetensors file cannot contain tensors with these names, for example because
/// two names are equal.
std::string make_safetensors_header(const std::vector<TensorInfo>& tensors, const std::string& network = "");

/// Reads the header of a safetensors file, checks it and returns it. The JSON must be well-formed, without repeated
/// keys. Each tensor must be F32, F16 or BF16 (or I64, see kStepsTracked) and have the size that its shape requires.
/// The tensors must cover the rest of the file without gaps.
/// @throws Error bad_file if the header is invalid. If `torch.save` wrote the file, the message describes how to
/// convert it
SafetensorsHeader read_safetensors_header(const InputFile& file);

}  // namespace troupe
