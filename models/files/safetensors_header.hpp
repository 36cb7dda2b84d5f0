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

/// A tensor in a file: its bytes [begin, end), counted from the end of the header.
struct StoredTensor {
  StoredType type = StoredType::f32;
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

using StoredTensors = std::map<std::string, StoredTensor>;

struct SafetensorsHeader {
  StoredTensors tensors;
  std::map<std::string, std::string> metadata;  ///< all other metadata of the file
  std::uint64_t data = 0;                       ///< offset of the tensors in the file
};

/// The name suffix of PyTorch's step counter of a batch-norm (NAME.num_batches_tracked). Only these tensors may be I64.
inline constexpr std::string_view kStepsTracked = ".num_batches_tracked";

/// Returns the start of a file that stores these tensors as F32, one after the other. It consists of the length and the
/// JSON text, padded so that the floats start on a multiple of 8 bytes.
/// @param network the description of the network (NetworkText); empty: none
/// @throws Error invalid_argument for names that such a file cannot contain.
std::string make_safetensors_header(const std::vector<TensorInfo>& tensors, const std::string& network = "");

/// Reads and checks the header. It must be well-formed, without duplicates. Tensors must be F32, F16 or BF16, match
/// their shapes in size, and follow one another up to the last byte of the file.
/// @throws Error bad_file; for a file that `torch.save` wrote, the message describes the conversion
SafetensorsHeader read_safetensors_header(const InputFile& file);

}  // namespace troupe
