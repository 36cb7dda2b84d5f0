#include "actors/functions/bundle.hpp"

#include <cstring>
#include <limits>

#include "runtime/json/bounded_json.hpp"
#include "runtime/printable.hpp"
#include "troupe/model.hpp"

namespace troupe {
namespace {

constexpr std::size_t kMostJson = std::size_t{1} << 30;

/// Encodes numbers, texts, JSON and tensors as a sequence of bytes. Before each text, writes its length in bytes.
/// Writes numbers in little-endian order, which is the byte order of this machine.
class BundleWriter {
 public:
  void number(std::uint64_t value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void text(std::string_view text) {
    number(text.size());
    bytes_.append(text);
  }
  void json(const Json& json) { text(to_text(json)); }
  void tensors(const NamedTensors& tensors) {
    number(tensors.size());
    for (const NamedTensor& each : tensors) {
      check(each);
      text(each.name);
      number(each.shape.size());
      for (const std::int64_t length : each.shape) number(static_cast<std::uint64_t>(length));
      text({reinterpret_cast<const char*>(each.values.data()), each.values.size() * sizeof(float)});
    }
  }
  std::string take() { return std::move(bytes_); }

 private:
  static void check(const NamedTensor& tensor) {
    if (TensorInfo{tensor.name, tensor.shape}.size() == tensor.values.size() && is_printable(tensor.name)) return;
    throw Error(ErrorCode::invalid_argument,
                "the number of floats of a tensor does not match its shape, or its name is not printable: '" +
                    printable(tensor.name) + "'");
  }

  std::string bytes_;
};

[[noreturn]] void throw_damaged() {
  throw Error(ErrorCode::protocol, "the data that a function saved or returned is damaged");
}

class BundleReader {
 public:
  explicit BundleReader(std::string_view bytes) : bytes_(bytes) {}

  std::uint64_t number() {
    std::uint64_t value = 0;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::int64_t positive() {
    const std::uint64_t value = number();
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) throw_damaged();
    return static_cast<std::int64_t>(value);
  }
  std::string_view text() { return take(number()); }
  Json json() { return json_from(text()); }
  NamedTensors tensors() {
    NamedTensors tensors(count(3 * sizeof(std::uint64_t)));
    for (NamedTensor& each : tensors) {
      each.name = text();
      each.shape.resize(count(sizeof(std::uint64_t)));
      for (std::int64_t& length : each.shape) length = static_cast<std::int64_t>(number());
      const std::string_view values = text();
      if (!is_printable(each.name) || size_of(each) != values.size() / sizeof(float) ||
          values.size() % sizeof(float) != 0)
        throw_damaged();
      each.values.resize(values.size() / sizeof(float));
      if (!values.empty()) std::memcpy(each.values.data(), values.data(), values.size());
    }
    return tensors;
  }
  /// Reads and returns the number of items that follow in the bytes.
  /// @param least the minimum size of an item in bytes
  /// @throws Error protocol if the remaining bytes are too few for so many items
  std::size_t count(std::size_t least) {
    const std::uint64_t count = number();
    if (count > bytes_.size() / least) throw_damaged();
    return count;
  }
  void end() const {
    if (!bytes_.empty()) throw_damaged();
  }

 private:
  std::string_view take(std::uint64_t length) {
    if (length > bytes_.size()) throw_damaged();
    const std::string_view taken = bytes_.substr(0, length);
    bytes_.remove_prefix(length);
    return taken;
  }
  static std::size_t size_of(const NamedTensor& tensor) {
    try {
      return TensorInfo{tensor.name, tensor.shape}.size();
    } catch (const Error&) {
      throw_damaged();
    }
  }

  std::string_view bytes_;
};

}  // namespace

std::string to_text(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json json_from(std::string_view text) {
  std::string fault;
  Json parsed = parse_bounded(text, {.memory = kMostJson, .keys_may_repeat = true}, fault);
  if (!fault.empty()) throw Error(ErrorCode::protocol, "the data that a function reported, saved or returned " + fault);
  return parsed;
}

std::string to_bytes(const TaskResult& returned) {
  check_depth(returned.json, "the result of a function");
  BundleWriter writer;
  writer.json(returned.json);
  writer.tensors(returned.tensors);
  return writer.take();
}

std::string to_bytes(const Checkpoint& checkpoint) {
  BundleWriter writer;
  writer.number(static_cast<std::uint64_t>(checkpoint.number));
  writer.number(static_cast<std::uint64_t>(checkpoint.iteration));
  writer.json(checkpoint.state);
  writer.tensors(checkpoint.tensors);
  writer.number(checkpoint.files.size());
  for (const auto& [name, content] : checkpoint.files) {
    writer.text(name);
    writer.text(content);
  }
  return writer.take();
}

TaskResult returned_from(std::string_view bytes) {
  BundleReader reader(bytes);
  TaskResult returned;
  returned.json = reader.json();
  returned.tensors = reader.tensors();
  reader.end();
  return returned;
}

Checkpoint checkpoint_from(std::string_view bytes) {
  BundleReader reader(bytes);
  Checkpoint checkpoint;
  checkpoint.number = reader.positive();
  checkpoint.iteration = reader.positive();
  checkpoint.state = reader.json();
  checkpoint.tensors = reader.tensors();
  for (std::size_t left = reader.count(2 * sizeof(std::uint64_t)); left > 0; --left) {
    const std::string name(reader.text());
    if (!is_file_name(name)) throw_damaged();
    checkpoint.files[name] = reader.text();
  }
  reader.end();
  return checkpoint;
}

bool is_file_name(const std::string& name) {
  return !name.empty() && name.front() != '.' && name.find('/') == std::string::npos && name.size() <= 200 &&
         is_printable(name);
}

}  // namespace troupe
