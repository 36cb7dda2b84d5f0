#include "models/files/weight_file.hpp"

#include <bit>

#include "models/files/safetensors_file.hpp"
#include "runtime/files/output_file.hpp"
#include "troupe/error.hpp"

namespace troupe {

static_assert(std::endian::native == std::endian::little, "floats go to the file as they are");

void write_safetensors(const std::string& path, const std::vector<TensorInfo>& tensors,
                       std::span<const float> canonical, const std::string& network) {
  const std::string header = make_safetensors_header(tensors, network);
  const std::size_t floats = total_size(tensors);
  if (floats != canonical.size()) {
    throw Error(ErrorCode::invalid_argument,
                "tensors of " + std::to_string(floats) + " floats and weights of " + std::to_string(canonical.size()));
  }
  OutputFile file(path);
  file.write(std::as_bytes(std::span(header)));
  file.write(std::as_bytes(canonical));
  file.commit();
}

std::vector<float> read_safetensors(const std::string& path, const std::vector<TensorInfo>& expected) {
  const SafetensorsFile file(path);
  file.require(expected);
  std::vector<float> canonical(total_size(expected));
  std::span<float> rest = canonical;
  for (const TensorInfo& tensor : expected) {
    file.read(tensor.name, rest.first(tensor.size()));
    rest = rest.subspan(tensor.size());
  }
  return canonical;
}

}  // namespace troupe
