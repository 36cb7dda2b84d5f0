#include "models/files/safetensors_header.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "models/files/network_text.hpp"
#include "models/files/strict_json.hpp"
#include "runtime/printable.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

using nlohmann::json;

// The maximum size of a header in bytes. It is enough for about 100,000 tensors, and limits the time that parsing
// takes.
constexpr std::uint64_t kLargestHeader = 16 << 20;
constexpr std::size_t kMostMemory = std::size_t{512} << 20;  ///< maximum memory for a parsed header, in bytes

/// Throws Error bad_file with advice if `torch.save` wrote the file. Files of `torch.save` are zip archives or, before
/// PyTorch 1.6, several pickles, the first of which contains a magic number. Without this check, the first 8 bytes of
/// such a file would be read as the length of the header. The error message would then only be that the header is too
/// large.
/// @param prefix the first 8 bytes of the file
void refuse_pickled(const InputFile& file, std::span<const std::byte> prefix) {
  const std::string_view text(reinterpret_cast<const char*>(prefix.data()), prefix.size());
  if (!text.starts_with("PK\x03\x04") && !text.starts_with("\x80\x02\x8a\x0a")) return;
  throw_bad_file(
      file.path(),
      "not a safetensors file, but an archive or a pickle written by torch.save; convert it in Python: import "
      "torch, safetensors.torch as st; weights = torch.load('model.pt', map_location='cpu'); "
      "st.save_file({name: w.contiguous() for name, w in weights.items()}, 'model.safetensors')");
}

/// Returns the JSON text of the header. The text starts at byte 8 of the file, after its length.
std::string read_text(const InputFile& file) {
  std::array<std::byte, 8> prefix{};
  file.read(0, prefix);
  refuse_pickled(file, prefix);
  std::uint64_t length = 0;
  std::memcpy(&length, prefix.data(), sizeof length);
  if (length > file.size() - prefix.size()) throw_bad_file(file.path(), "the header is longer than the file");
  if (length > kLargestHeader) throw_bad_file(file.path(), "the header is too large");
  std::string text(length, '\0');
  file.read(prefix.size(), std::as_writable_bytes(std::span(text)));
  return text;
}

json parse(const std::string& path, const std::string& text) {
  if (!text.starts_with('{')) throw_bad_file(path, "not a safetensors file");
  return parse_strictly(path, "the header", text, 3, kMostMemory);
}

std::map<std::string, std::string> read_metadata(const std::string& path, const json& metadata) {
  const bool texts = metadata.is_object() && std::ranges::all_of(metadata, &json::is_string);
  if (!texts) throw_bad_file(path, "__metadata__ is not an object of strings");
  return metadata.get<std::map<std::string, std::string>>();
}

/// Returns the integers in a JSON array. They must not be negative, and must fit into 63 bits.
/// @param path the name of the file, for error messages
/// @param what the noun for the array in error messages
std::vector<std::int64_t> read_integers(const std::string& path, const std::string& what, const json& array) {
  if (!array.is_array()) throw_bad_file(path, what + " is not an array");
  std::vector<std::int64_t> values;
  for (const json& value : array) {
    constexpr std::uint64_t kLargest = std::numeric_limits<std::int64_t>::max();
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > kLargest) {
      throw_bad_file(path, what + " contains a value that is not a length");
    }
    values.push_back(value.get<std::int64_t>());
  }
  return values;
}

std::uint64_t bytes_of(StoredType type) {
  if (type == StoredType::i64) return sizeof(std::int64_t);
  return type == StoredType::f32 ? sizeof(float) : sizeof(std::uint16_t);
}

void check_length(const std::string& path, const std::string& name, const StoredTensor& tensor) {
  std::uint64_t bytes = bytes_of(tensor.type);
  for (const std::int64_t length : tensor.shape) {
    if (__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(length), &bytes)) {
      throw_bad_file(path, "tensor '" + name + "' is too large");
    }
  }
  if (tensor.begin > tensor.end || tensor.end - tensor.begin != bytes) {
    throw_bad_file(path, "the data_offsets of tensor '" + name + "' do not match its shape");
  }
}

StoredType read_type(const std::string& path, const std::string& name, const json& dtype) {
  if (dtype == "F32") return StoredType::f32;
  if (dtype == "F16") return StoredType::f16;
  if (dtype == "BF16") return StoredType::bf16;
  if (dtype == "I64" && name.ends_with(kStepsTracked)) return StoredType::i64;
  throw_bad_file(path, "tensor '" + name + "' must have dtype F32, F16 or BF16, not " +
                           (dtype.is_string() ? printable(dtype.get<std::string>()) : "none") +
                           "; convert it in Python with w.float()");
}

StoredTensor read_tensor(const std::string& path, const std::string& name, const json& entry) {
  const bool known = entry.is_object() && entry.size() == 3 && entry.contains("dtype") && entry.contains("shape") &&
                     entry.contains("data_offsets");
  if (!known)
    throw_bad_file(path, "tensor '" + name + "' must have the keys dtype, shape and data_offsets, and no others");
  const StoredType type = read_type(path, name, entry["dtype"]);
  const auto offsets = read_integers(path, "data_offsets of tensor '" + name + "'", entry["data_offsets"]);
  if (offsets.size() != 2) throw_bad_file(path, "data_offsets of tensor '" + name + "' must be two numbers");
  StoredTensor tensor{type, read_integers(path, "shape of tensor '" + name + "'", entry["shape"]),
                      static_cast<std::uint64_t>(offsets[0]), static_cast<std::uint64_t>(offsets[1])};
  check_length(path, name, tensor);
  return tensor;
}

/// Checks that the tensors cover all bytes after the header without gaps or overlaps.
/// @param size the number of bytes after the header
void check_cover(const std::string& path, const StoredTensors& tensors, std::uint64_t size) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
  for (const auto& [name, tensor] : tensors) ranges.emplace_back(tensor.begin, tensor.end);
  std::ranges::sort(ranges);
  std::uint64_t covered = 0;
  for (const auto& [begin, end] : ranges) {
    if (begin != covered) throw_bad_file(path, "the tensors overlap or leave gaps");
    covered = end;
  }
  if (covered > size) throw_bad_file(path, "truncated");
  if (covered < size) throw_bad_file(path, "extra bytes after the last tensor");
}

void check_names(const std::vector<TensorInfo>& tensors) {
  std::set<std::string_view> names{"__metadata__"};
  for (const TensorInfo& tensor : tensors)
    if (!names.insert(tensor.name).second)
      throw Error(ErrorCode::invalid_argument, "two tensors named '" + tensor.name + "'");
}

std::string dump(const nlohmann::ordered_json& tensors) {
  try {
    return tensors.dump();
  } catch (const nlohmann::json::exception&) {
    throw Error(ErrorCode::invalid_argument, "a tensor's name is not UTF-8");
  }
}

}  // namespace

std::string make_safetensors_header(const std::vector<TensorInfo>& tensors, const std::string& network) {
  check_names(tensors);
  nlohmann::ordered_json entries = nlohmann::ordered_json::object();
  if (!network.empty()) entries["__metadata__"] = {{kNetworkKey, network}};
  std::uint64_t begin = 0;
  for (const TensorInfo& tensor : tensors) {
    const std::uint64_t end = begin + tensor.size() * sizeof(float);
    entries[tensor.name] = {{"dtype", "F32"}, {"shape", tensor.shape}, {"data_offsets", {begin, end}}};
    begin = end;
  }
  std::string text = dump(entries);
  text.append((8 - text.size() % 8) % 8, ' ');
  const std::uint64_t length = text.size();
  if (length > kLargestHeader) throw Error(ErrorCode::invalid_argument, "too many tensors for a safetensors file");
  std::string header(sizeof length, '\0');
  std::memcpy(header.data(), &length, sizeof length);
  return header + text;
}

SafetensorsHeader read_safetensors_header(const InputFile& file) {
  if (file.size() < 8) throw_bad_file(file.path(), "too short for a safetensors file");
  const std::string text = read_text(file);
  const json parsed = parse(file.path(), text);
  SafetensorsHeader header;
  header.data = sizeof(std::uint64_t) + text.size();
  for (const auto& [name, entry] : parsed.items()) {
    if (name == "__metadata__") {
      header.metadata = read_metadata(file.path(), entry);
    } else {
      header.tensors.emplace(name, read_tensor(file.path(), name, entry));
    }
  }
  check_cover(file.path(), header.tensors, file.size() - header.data);
  return header;
}

}  // namespace troupe
