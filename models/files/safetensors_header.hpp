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
  std::map<std::string, std::string> metadata;  ///< whatever the file says besides
  std::uint64_t data = 0;                       ///< where in the file the tensors start
};

/// Counts the steps of a batch-norm, as PyTorch writes it: NAME.num_batches_tracked, the only tensors that may be I64.
inline constexpr std::string_view kStepsTracked = ".num_batches_tracked";

/// What a file of these tensors, as F32 and one after the other, starts with: length and JSON text, padded so that the
/// floats start on a multiple of 8 bytes.
/// @param network what it says of its network (NetworkText); empty: nothing.
/// @throws Error invalid_argument for names that such a file cannot hold.
std::string make_safetensors_header(const std::vector<TensorInfo>& tensors, const std::string& network = "");

/// Reads and checks the header: well-formed, without duplicates, tensors of F32, F16 or BF16 with as many bytes as
/// their shape says, laid one after the other to the last byte of the file. @throws Error bad_file, which for what
/// `torch.save` writes says how to convert it
SafetensorsHeader read_safetensors_header(const InputFile& file);

}  // namespace troupe
