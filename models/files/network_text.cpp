#include "models/files/network_text.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "models/files/input_encoding.hpp"
#include "models/files/strict_json.hpp"
#include "runtime/files/input_file.hpp"
#include "runtime/log.hpp"
#include "runtime/printable.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

/// The maximum length of a dimension of a sample, and the maximum number of floats of a sample. The product of two such
/// numbers fits into 64 bits, so the size can be computed without overflow.
constexpr std::int64_t kMost = std::int64_t{1} << 31;
constexpr double kMostNumber = 1 << 24;
constexpr std::size_t kMostDimensions = 32;

ordered_json number_json(double number) {
  if (number == std::floor(number) && std::abs(number) <= kMostNumber) return static_cast<std::int64_t>(number);
  return number;
}

ordered_json layer_json(const LayerText& layer) {
  ordered_json numbers = ordered_json::object();
  for (const auto& [name, number] : layer.numbers) numbers[name] = number_json(number);
  ordered_json text{{"name", layer.name}, {"kind", layer.kind}, {"inputs", layer.inputs}, {"numbers", numbers}};
  if (!layer.tied.empty()) text["tied"] = layer.tied;
  return text;
}

/// Reads the values of one JSON object from a file. If a value is invalid, the error message names its key.
class Reader {
 public:
  /// @param keys the exact number of keys that the object must have; an object with unknown keys is rejected
  Reader(const std::string& path, const json& object, std::size_t keys) : path_(path), object_(object) {
    if (!object.is_object() || object.size() != keys) refuse("has missing or unknown keys");
  }

  [[noreturn]] void refuse(const std::string& what) const {
    throw_bad_file(path_, std::string("the description of the network ") + what);
  }

  const std::string& path() const { return path_; }
  bool has(const char* key) const { return object_.contains(key); }
  const json& at(const char* key) const {
    const auto found = object_.find(key);
    if (found == object_.end()) refuse(std::string("lacks \"") + key + "\"");
    return *found;
  }

  /// @param most the maximum length of the text in bytes
  std::string text(const char* key, std::size_t most = kLongestPeerText) const { return text(key, at(key), most); }
  std::vector<std::string> texts(const char* key) const {
    std::vector<std::string> texts;
    for (const json& each : array(key)) texts.push_back(text(key, each, kLongestPeerText));
    return texts;
  }
  std::int64_t integer(const char* key, std::int64_t least, std::int64_t most) const {
    return integer(key, at(key), least, most);
  }
  std::vector<std::int64_t> integers(const char* key, std::int64_t least, std::int64_t most) const {
    std::vector<std::int64_t> values;
    for (const json& each : array(key)) values.push_back(integer(key, each, least, most));
    return values;
  }
  const json& array(const char* key) const {
    if (!at(key).is_array()) refuse(std::string("has a \"") + key + "\" that is not a list");
    return at(key);
  }
  double number(const char* key, const json& value) const {
    if (!value.is_number() || !(std::abs(value.get<double>()) <= kMostNumber))
      refuse(std::string("has a number in \"") + key + "\" that is out of range");
    return value.get<double>();
  }

 private:
  std::string text(const char* key, const json& value, std::size_t most) const {
    if (!value.is_string() || !is_printable(value.get<std::string>(), most))
      refuse(std::string("has a \"") + key + "\" that is not printable text");
    return value.get<std::string>();
  }
  std::int64_t integer(const char* key, const json& value, std::int64_t least, std::int64_t most) const {
    const bool fits = value.is_number_integer() &&
                      !(value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(most));
    if (!fits || value.get<std::int64_t>() < least || value.get<std::int64_t>() > most)
      refuse(std::string("has a \"") + key + "\" that is out of range");
    return value.get<std::int64_t>();
  }

  const std::string& path_;
  const json& object_;
};

LayerText read_layer(const std::string& path, const json& object, std::int64_t number) {
  const bool tied = object.is_object() && object.contains("tied");
  const Reader reader(path, object, tied ? 5 : 4);
  LayerText layer{.name = reader.text("name"), .kind = reader.text("kind"), .inputs = {}, .numbers = {}};
  for (const std::int64_t input : reader.integers("inputs", -1, number - 1))
    layer.inputs.push_back(static_cast<int>(input));
  const json& numbers = reader.at("numbers");
  if (!numbers.is_object()) reader.refuse("has a layer without numbers");
  for (const auto& [name, value] : numbers.items()) layer.numbers[name] = reader.number("numbers", value);
  if (tied) layer.tied = reader.text("tied");
  return layer;
}

std::vector<std::int64_t> read_shape(const Reader& reader, const char* key) {
  std::vector<std::int64_t> shape = reader.integers(key, 1, kMost);
  std::int64_t floats = 1;
  if (shape.empty() || shape.size() > kMostDimensions) reader.refuse("has an invalid sample shape");
  for (const std::int64_t length : shape) {
    if (length > kMost / floats) reader.refuse("has a sample that is too large");
    floats *= length;
  }
  return shape;
}

DataInfo read_data(const Reader& reader) {
  DataInfo data{.shape = read_shape(reader, "shape"),
                .num_classes = static_cast<int>(reader.integer("classes", 0, kMost / 2)),
                .num_targets = reader.integer("targets", 0, kMost),
                .class_names = reader.texts("class_names"),
                .byte_scale = reader.number("byte_scale", reader.at("byte_scale"))};
  if ((data.num_classes > 0) == (data.num_targets > 0)) reader.refuse("must have either classes or targets");
  if (!(data.byte_scale >= 0)) reader.refuse("has a negative byte_scale");
  if (!data.class_names.empty() && std::ssize(data.class_names) != data.num_classes)
    reader.refuse("must have one name per class");
  if (reader.has("target_names")) {
    data.target_names = reader.texts("target_names");
    if (std::ssize(data.target_names) != data.num_targets) reader.refuse("must have one name per target");
  }
  if (reader.has("transforms")) {
    data.transforms = reader.text("transforms", kLongestNetworkText);
    data.source_shape = read_shape(reader, "source_shape");
  }
  if (reader.has("vocabulary")) {
    data.vocabulary = reader.integer("vocabulary", 1, kMostTokens);
    data.labels_per_sample = reader.integer("labels_per_sample", 1, kMost);
  }
  if (reader.has("inputs")) data.encoding = encoding_from_json(reader.path(), reader.at("inputs"));
  return data;
}

std::vector<InputColumn> features_of(const InputEncoding& encoding) {
  std::vector<InputColumn> features;
  std::ranges::copy_if(encoding.columns, std::back_inserter(features),
                       [](const InputColumn& column) { return column.role == InputColumn::Role::feature; });
  return features;
}

/// Returns the names, with escapes in place of characters that are not printable, because Reader rejects names with
/// such characters.
std::vector<std::string> tellable(const std::vector<std::string>& names) {
  std::vector<std::string> all(names.size());
  std::ranges::transform(names, all.begin(), [](const std::string& name) { return printable(name); });
  return all;
}

}  // namespace

std::string to_json(const NetworkText& network) {
  ordered_json layers = ordered_json::array();
  for (const LayerText& layer : network.layers) layers.push_back(layer_json(layer));
  const DataInfo& data = network.data;
  ordered_json object{
      {"model", network.model},        {"shape", data.shape},  {"classes", data.num_classes},
      {"targets", data.num_targets},   {"loss", network.loss}, {"class_names", tellable(data.class_names)},
      {"byte_scale", data.byte_scale}, {"layers", layers},     {"inputs", to_json(data.encoding)}};
  if (data.vocabulary > 0) {
    object["vocabulary"] = data.vocabulary;
    object["labels_per_sample"] = data.labels_per_sample;
  }
  if (!data.target_names.empty()) object["target_names"] = tellable(data.target_names);
  if (!data.transforms.empty()) {
    object["transforms"] = data.transforms;
    object["source_shape"] = data.source_shape;
  }
  try {
    const auto dump = [&object] { return object.dump(-1, ' ', /*ensure_ascii=*/true); };
    std::string text = dump();
    if (text.size() > kLongestNetworkText && !data.encoding.empty()) {
      log_line(
          LogLevel::warning,
          "saved weights will not contain the categories of the table, because they are too long: new data must have "
          "the same columns and categories in the same order");
      object.erase("inputs");
      text = dump();
    }
    network_from_json("", text);
    return text;
  } catch (const nlohmann::json::exception& error) {  // a name is not valid UTF-8
    log_line(LogLevel::warning, std::string("saved weights will not describe their network: ") + error.what());
  } catch (const Error& error) {  // the text is too long, or contains invalid names or numbers
    log_line(LogLevel::warning, "saved weights will not describe their network: " + error.message());
  }
  return "";
}

NetworkText network_from_json(const std::string& path, const std::string& text) {
  if (text.size() > kLongestNetworkText) throw_bad_file(path, "the description of the network is too long");
  const json parsed = parse_strictly(path, "the description of the network", text, 5);
  const bool transformed = parsed.contains("transforms");
  const bool named = parsed.contains("target_names");
  const bool knows_inputs = parsed.contains("inputs");
  const bool tokens = parsed.contains("vocabulary");
  const Reader reader(
      path, parsed,
      std::size_t{8} + (transformed ? 2 : 0) + (named ? 1 : 0) + (knows_inputs ? 1 : 0) + (tokens ? 2 : 0));
  NetworkText network{.model = reader.text("model"),
                      .layers = {},
                      .data = read_data(reader),
                      .loss = reader.text("loss"),
                      .knows_inputs = knows_inputs};
  for (const json& layer : reader.array("layers"))
    network.layers.push_back(read_layer(path, layer, std::ssize(network.layers)));
  return network;
}

std::optional<std::size_t> head_of(const std::vector<LayerText>& layers) {
  for (std::size_t i = layers.size(); i > 0; --i)
    if (layers[i - 1].numbers.contains("outputs")) return i - 1;
  return std::nullopt;
}

void check_has_own_head(const std::vector<LayerText>& layers) {
  const auto head = head_of(layers);
  if (head && !layers[*head].tied.empty())
    throw Error(ErrorCode::unsupported, "the last layer '" + printable(layers[*head].name) +
                                            "' cannot be new, because it is tied to the embedding '" +
                                            printable(layers[*head].tied) + "'");
}

void warn_of_unknown_inputs(const std::string& path) {
  log_line(LogLevel::warning,
           printable(path) +
               " contains no columns, categories or symbols, because an earlier version wrote it or "
               "they were too long: the data must have those of the training data, in the same order");
}

void check_same_answers(const std::string& path, const std::string& stored, const std::string& own) {
  if (stored.empty() || own.empty()) return;
  const DataInfo there = network_from_json(path, stored).data;
  const DataInfo here = network_from_json("", own).data;
  const auto differ = [](const auto& names, const auto& others) {
    return !names.empty() && !others.empty() && names != others;
  };
  if (differ(there.class_names, here.class_names) || differ(there.target_names, here.target_names))
    throw Error(ErrorCode::model_mismatch, "the classes or targets have other names in the file than in the data",
                {.object = path});
}

void check_same_inputs(const std::string& path, const std::string& stored, const std::string& own) {
  if (stored.empty() || own.empty()) return;
  const NetworkText theirs = network_from_json(path, stored);
  const InputEncoding& there = theirs.data.encoding;
  const InputEncoding here = network_from_json("", own).data.encoding;
  if (!theirs.knows_inputs && !here.empty()) warn_of_unknown_inputs(path);
  if (there.empty() || here.empty()) return;
  const auto refuse = [&](const std::string& what) {
    throw Error(ErrorCode::model_mismatch, "the network was trained on other inputs: " + what, {.object = path});
  };
  if (there.symbols != here.symbols || there.symbols_are_bytes != here.symbols_are_bytes)
    refuse("the text has other symbols");
  const std::vector<InputColumn> known = features_of(there);
  const std::vector<InputColumn> given = features_of(here);
  const auto refuse_column = [&](std::size_t i, const std::string& name, const std::string& other) {
    refuse("input column " + std::to_string(i + 1) + " is " + name + " in the file and " + other + " in the data");
  };
  const auto name_in = [](const std::vector<InputColumn>& columns, std::size_t i) {
    return i < columns.size() ? "'" + columns[i].name + "'" : "none";
  };
  for (std::size_t i = 0; i < std::max(known.size(), given.size()); ++i) {
    const std::string name = name_in(known, i);
    if (const std::string other = name_in(given, i); name != other) refuse_column(i, name, other);
    if (known[i].is_text != given[i].is_text) refuse("column " + name + " is text in only one of the two");
    if (known[i].categories != given[i].categories) refuse("column " + name + " has other categories");
  }
}

}  // namespace troupe
