#include "models/files/weight_file.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "models/files/input_file.hpp"
#include "models/files/output_file.hpp"
#include "models/files/safetensors_header.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

static_assert(std::endian::native == std::endian::little, "floats go to the file as they are");

[[noreturn]] void mismatch(const std::string& path, const std::string& message) {
  throw Error(ErrorCode::model_mismatch, message, {.object = path});
}

std::string describe(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (const std::int64_t length : shape) text += (text.empty() ? "" : ", ") + std::to_string(length);
  return text.insert(0, 1, '[') + "]";
}

std::string dump(const nlohmann::ordered_json& json) {
  try {
    return json.dump();
  } catch (const nlohmann::json::exception&) {
    throw Error(ErrorCode::invalid_argument, "a tensor's name is not UTF-8");
  }
}

/// Length and JSON text, padded so that the floats start on a multiple of 8 bytes.
std::string make_header(const std::vector<TensorInfo>& tensors) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  std::uint64_t begin = 0;
  for (const TensorInfo& tensor : tensors) {
    const std::uint64_t end = begin + tensor.size() * sizeof(float);
    json[tensor.name] = {{"dtype", "F32"}, {"shape", tensor.shape}, {"data_offsets", {begin, end}}};
    begin = end;
  }
  std::string text = dump(json);
  text.append((8 - text.size() % 8) % 8, ' ');
  const std::uint64_t length = text.size();
  std::string header(sizeof length, '\0');
  std::memcpy(header.data(), &length, sizeof length);
  return header + text;
}

void check_tensors(const std::vector<TensorInfo>& tensors, std::span<const float> canonical) {
  std::set<std::string> names{"__metadata__"};
  std::uint64_t floats = 0;
  for (const TensorInfo& tensor : tensors) {
    if (!names.insert(tensor.name).second) {
      throw Error(ErrorCode::invalid_argument, "two tensors named '" + tensor.name + "'");
    }
    floats += tensor.size();
  }
  if (floats != canonical.size()) {
    throw Error(ErrorCode::invalid_argument,
                "tensors of " + std::to_string(floats) + " floats and weights of " + std::to_string(canonical.size()));
  }
}

bool has(const std::vector<TensorInfo>& tensors, const std::string& name) {
  return std::ranges::find(tensors, name, &TensorInfo::name) != tensors.end();
}

/// PyTorch's count of steps, which says nothing here, beside a batch-norm of the model.
bool is_ignored(const std::string& name, const StoredTensor& tensor, const std::vector<TensorInfo>& expected) {
  if (tensor.type != StoredType::i64 || !tensor.shape.empty()) return false;
  return has(expected, name.substr(0, name.size() - kStepsTracked.size()) + ".running_mean");
}

void check_superfluous(const std::string& path, const StoredTensors& stored, const std::vector<TensorInfo>& expected) {
  for (const auto& [name, tensor] : stored) {
    if (has(expected, name) || is_ignored(name, tensor, expected)) continue;
    mismatch(path, "tensor '" + name + "' " + describe(tensor.shape) + " is not one of the model's");
  }
}

const StoredTensor& find(const std::string& path, const StoredTensors& stored, const TensorInfo& wanted) {
  const auto found = stored.find(wanted.name);
  if (found == stored.end()) {
    mismatch(path, "tensor '" + wanted.name + "' " + describe(wanted.shape) + " is missing");
  }
  if (found->second.type != StoredType::f32) throw_bad_file(path, "tensor '" + wanted.name + "' is not of dtype F32");
  if (found->second.shape != wanted.shape) {
    mismatch(path, "tensor '" + wanted.name + "' is " + describe(found->second.shape) + " in the file and " +
                       describe(wanted.shape) + " in the model");
  }
  return found->second;
}

}  // namespace

void write_safetensors(const std::string& path, const std::vector<TensorInfo>& tensors,
                       std::span<const float> canonical) {
  check_tensors(tensors, canonical);
  const std::string header = make_header(tensors);
  OutputFile file(path);
  file.write(std::as_bytes(std::span(header)));
  file.write(std::as_bytes(canonical));
  file.commit();
}

std::vector<float> read_safetensors(const std::string& path, const std::vector<TensorInfo>& expected) {
  const InputFile file(path);
  const SafetensorsHeader header = read_safetensors_header(file);
  std::uint64_t floats = 0;
  for (const TensorInfo& tensor : expected) {
    find(path, header.tensors, tensor);
    floats += tensor.size();
  }
  check_superfluous(path, header.tensors, expected);

  std::vector<float> canonical(floats);
  std::span<float> rest = canonical;
  for (const TensorInfo& tensor : expected) {
    const std::span<float> out = rest.first(tensor.size());
    file.read(header.data + find(path, header.tensors, tensor).begin, std::as_writable_bytes(out));
    rest = rest.subspan(out.size());
  }
  return canonical;
}

}  // namespace troupe
