#include "models/files/weight_file.hpp"

#include <algorithm>
#include <bit>

#include "runtime/files/output_file.hpp"
#include "runtime/printable.hpp"
#include "troupe/error.hpp"
#include "troupe/optimizer.hpp"

namespace troupe {

static_assert(std::endian::native == std::endian::little, "floats are written without conversion");

void write_safetensors(const std::string& path, const std::vector<TensorInfo>& tensors,
                       std::span<const float> canonical, const std::string& network) {
  const std::string header = make_safetensors_header(tensors, network);
  const std::size_t floats = total_size(tensors);
  if (floats != canonical.size()) {
    throw Error(ErrorCode::invalid_argument, "the tensors have " + std::to_string(floats) +
                                                 " floats, but the weights have " + std::to_string(canonical.size()));
  }
  OutputFile file(path);
  file.write(std::as_bytes(std::span(header)));
  file.write(std::as_bytes(canonical));
  file.commit();
}

void write_safetensors(const std::string& path, const std::vector<TensorInfo>& tensors, std::span<const float> floats) {
  write_safetensors(path, tensors, floats, "");
}

std::vector<TensorInfo> list_safetensors(const std::string& path) {
  const SafetensorsFile file(path);
  std::vector<TensorInfo> tensors;
  tensors.reserve(file.tensors().size());
  for (const auto& [name, tensor] : file.tensors()) tensors.push_back({name, tensor.shape});
  return tensors;
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

void read_weights(const SafetensorsFile& file, const TensorInfo& tensor, std::span<float> out) {
  file.read(tensor.name, out);
  if (all_finite(out)) return;
  throw Error(ErrorCode::non_finite_weights, "tensor '" + printable(tensor.name) + "' contains NaN or infinity",
              {.object = file.file().path()});
}

std::vector<float> read_weights(const SafetensorsFile& file, const std::vector<TensorInfo>& expected) {
  file.require(expected);
  std::vector<float> canonical(total_size(expected));
  std::span<float> rest = canonical;
  for (const TensorInfo& tensor : expected) {
    read_weights(file, tensor, rest.first(tensor.size()));
    rest = rest.subspan(tensor.size());
  }
  return canonical;
}

std::vector<std::string> read_without_head(const SafetensorsFile& file, const std::vector<TensorInfo>& tensors,
                                           std::span<float> canonical) {
  const auto layer_of = [](const std::string& name) { return name.substr(0, name.rfind('.')); };
  const std::string head = layer_of(tensors.back().name);
  std::vector<std::string> others;
  for (const TensorInfo& tensor : tensors) {
    const std::span<float> own = canonical.first(tensor.size());
    canonical = canonical.subspan(tensor.size());
    if (layer_of(tensor.name) == head || !file.has(tensor))
      others.push_back(tensor.name);
    else
      read_weights(file, tensor, own);
  }
  if (others.size() < tensors.size()) return others;
  const bool all_head =
      std::ranges::all_of(tensors, [&](const TensorInfo& each) { return layer_of(each.name) == head; });
  throw Error(ErrorCode::model_mismatch,
              all_head ? "the network is a single layer, so a new head would replace all of it"
                       : "no tensor of the file fits the network",
              {.object = file.file().path()});
  return others;
}

}  // namespace troupe
