#include "models/files/safetensors_file.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <set>
#include <utility>

#include "models/files/network_text.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

/// Converts IEEE binary16 to the float of the same value, including NaN and infinities.
float from_half(std::uint16_t bits) {
  const std::uint32_t sign = (bits & 0x8000U) << 16;
  const std::uint32_t magnitude = bits & 0x7fffU;
  constexpr std::uint32_t kInfinity = 0x7c00;
  if (magnitude >= kInfinity) return std::bit_cast<float>(sign | 0x7f800000U | (magnitude & 0x3ffU) << 13);
  constexpr std::uint32_t kSmallestNormal = 0x400;
  const float subnormal = static_cast<float>(magnitude) * 0x1p-24F;
  const std::uint32_t value =
      magnitude < kSmallestNormal ? std::bit_cast<std::uint32_t>(subnormal) : (magnitude << 13) + ((127U - 15U) << 23);
  return std::bit_cast<float>(sign | value);
}

float from_bfloat16(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

static_assert(std::endian::native == std::endian::little, "floats are read without conversion");

[[noreturn]] void mismatch(const std::string& path, const std::string& message) {
  throw Error(ErrorCode::model_mismatch, message, {.object = path});
}

std::string describe(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (const std::int64_t length : shape) text += (text.empty() ? "" : ", ") + std::to_string(length);
  return text.insert(0, 1, '[') + "]";
}

using Names = std::set<std::string, std::less<>>;

/// Returns whether a tensor of the file is the step counter that PyTorch stores for a batch-norm layer, and `expected`
/// contains the layer's NAME.running_mean. Troupe does not use this counter.
bool is_ignored(const std::string& name, const StoredTensor& tensor, const Names& expected) {
  if (tensor.type != StoredType::i64 || !tensor.shape.empty()) return false;
  return expected.contains(name.substr(0, name.size() - kStepsTracked.size()) + ".running_mean");
}

/// Returns advice for the error message about the missing tensor `wanted`, if the file contains a tensor of this name
/// with the prefix "module." or "_orig_mod.". Wrappers of PyTorch add these prefixes. Returns an empty string
/// otherwise.
std::string wrapped_name(const StoredTensors& tensors, const std::string& wanted) {
  for (const auto& [word, wrapper] :
       {std::pair("module.", "DistributedDataParallel"), std::pair("_orig_mod.", "torch.compile")})
    if (tensors.contains(word + wanted))
      return std::string("; the file has '") + word + wanted + "', as " + wrapper +
             " calls it: save the state_dict of the model inside, model." + word +
             "state_dict(), or in Python name.removeprefix('" + word + "')";
  return "";
}

}  // namespace

SafetensorsFile::SafetensorsFile(const std::string& path) : file_(path), header_(read_safetensors_header(file_)) {}

const StoredTensor& SafetensorsFile::find(const TensorInfo& wanted) const {
  const std::string& path = file_.path();
  const auto found = header_.tensors.find(wanted.name);
  if (found == header_.tensors.end())
    mismatch(path, "tensor '" + wanted.name + "' " + describe(wanted.shape) + " is missing" +
                       wrapped_name(header_.tensors, wanted.name));
  const StoredTensor& tensor = found->second;
  if (tensor.shape != wanted.shape)
    mismatch(path, "tensor '" + wanted.name + "' is " + describe(tensor.shape) + " in the file, but " +
                       describe(wanted.shape) + " in the model");
  return tensor;
}

std::string SafetensorsFile::network() const {
  if (const auto found = header_.metadata.find(kNetworkKey); found != header_.metadata.end()) return found->second;
  const auto tensor = header_.tensors.find(kNetworkTensor);
  if (tensor == header_.tensors.end() || tensor->second.shape.size() != 1) return "";
  const std::int64_t letters = tensor->second.shape.front();
  if (letters > static_cast<std::int64_t>(kLongestNetworkText) || !has({kNetworkTensor, {letters}})) return "";
  std::vector<float> bytes(static_cast<std::size_t>(letters));
  read(kNetworkTensor, bytes);
  std::string text;
  for (const float byte : bytes) text += byte >= 0 && byte < 256 ? static_cast<char>(byte) : '\0';
  return text;
}

bool SafetensorsFile::has(const TensorInfo& wanted) const {
  const auto found = header_.tensors.find(wanted.name);
  return found != header_.tensors.end() && found->second.shape == wanted.shape;
}

void SafetensorsFile::require(const std::vector<TensorInfo>& expected) const {
  const bool has_state = header_.tensors.contains(kNetworkTensor);
  Names names;
  for (const TensorInfo& tensor : expected) {
    find(tensor);
    names.insert(tensor.name);
  }
  for (const auto& [name, tensor] : header_.tensors)
    if (!names.contains(name) && !is_ignored(name, tensor, names) &&
        !(has_state && name.find('/') != std::string::npos))
      mismatch(file_.path(), "tensor '" + name + "' " + describe(tensor.shape) + " is not a tensor of the model");
}

void SafetensorsFile::read(const std::string& name, std::span<float> out) const {
  const StoredTensor& tensor = header_.tensors.at(name);
  const std::uint64_t at = header_.data + tensor.begin;
  if (tensor.type == StoredType::f32) return file_.read(at, std::as_writable_bytes(out));
  if (tensor.type == StoredType::i64) {
    std::vector<std::int64_t> integers(out.size());
    file_.read(at, std::as_writable_bytes(std::span(integers)));
    std::ranges::transform(integers, out.begin(), [](std::int64_t integer) { return static_cast<float>(integer); });
    return;
  }
  std::vector<std::uint16_t> halves(out.size());
  file_.read(at, std::as_writable_bytes(std::span(halves)));
  std::ranges::transform(halves, out.begin(), tensor.type == StoredType::f16 ? from_half : from_bfloat16);
}

}  // namespace troupe
