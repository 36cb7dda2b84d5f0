#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "models/input_file.hpp"

namespace troupe {

/// A tensor of F32 in a file: its bytes [begin, end), counted from the end of the header.
struct StoredTensor {
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

using StoredTensors = std::map<std::string, StoredTensor>;

struct SafetensorsHeader {
  StoredTensors tensors;
  std::uint64_t data = 0;  ///< where in the file the tensors start
};

/// Reads and checks the header: well-formed, without duplicates, all tensors F32 with as many bytes as their shape
/// says, laid one after the other to the last byte of the file. @throws Error bad_file
SafetensorsHeader read_safetensors_header(const InputFile& file);

}  // namespace troupe
