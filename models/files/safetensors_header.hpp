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

/// A tensor in a file. Its bytes are [begin, end), counted from the end of the header.
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
  std::uint64_t data = 0;                       ///< offset of the tensors in the file
};

/// The end of the name of PyTorch's step counter of a batch-norm (NAME.num_batches_tracked). Only tensors with such
/// names may be I64.
inline constexpr std::string_view kStepsTracked = ".num_batches_tracked";

/// Returns everything before the floats of a file that stores these tensors as F32, one after the other. The result
/// consists of the length of the JSON text and the JSON text. The text is padded, so that the floats start on a
/// multiple of 8 bytes.
/// @param network the description of the network (NetworkText); empty: none
/// @throws Error invalid_argument for names that such a file cannot contain.
std::string make_safetensors_header(const std::vector<TensorInfo>& tensors, const std::string& network = "");

/// Reads the header of a file and checks it. The JSON must be well-formed, without repeated keys. Each tensor must be
/// F32, F16 or BF16 (or I64, see kStepsTracked) and have the size that its shape requires. The tensors must cover the
/// rest of the file without gaps.
/// @throws Error bad_file; for a file that `torch.save` wrote, the message describes the conversion
SafetensorsHeader read_safetensors_header(const InputFile& file);

}  // namespace troupe
