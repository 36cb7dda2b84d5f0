#include "models/data/shared/packed_data.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "models/aligned.hpp"
#include "models/data/answers.hpp"
#include "models/data/dataset_arrays.hpp"
#include "models/files/input_encoding.hpp"

namespace troupe {
namespace {

using nlohmann::json;

using SetMember = std::shared_ptr<const DataSource> TrainingData::*;
constexpr std::array<std::pair<const char*, SetMember>, 3> kSets{
    {{"train", &TrainingData::train}, {"test", &TrainingData::test}, {"validation", &TrainingData::validation}}};

/// An array and its offset in the packed bytes.
struct Placed {
  std::size_t at = 0;
  std::span<const std::byte> bytes;
};

/// Determines the offsets of arrays in the packed bytes. Each array is placed after the arrays that were added before.
class Layout {
 public:
  template <class T>
  json place(std::span<const T> elements) {
    const std::span<const std::byte> bytes = std::as_bytes(elements);
    const std::size_t at = end_;
    end_ = (at + bytes.size() + kAlignment - 1) / kAlignment * kAlignment;
    placed_.push_back({at, bytes});
    return {at, elements.size()};
  }

  std::size_t end() const { return end_; }
  const std::vector<Placed>& placed() const { return placed_; }

 private:
  std::size_t end_ = 0;
  std::vector<Placed> placed_;
};

json describe(const std::vector<MissingCount>& missing) {
  json counts = json::array();
  for (const MissingCount& each : missing) counts.push_back({each.column, each.fields});
  return counts;
}

std::vector<MissingCount> missing_of(const json& counts) {
  std::vector<MissingCount> missing;
  for (const json& each : counts) missing.push_back({each.at(0).get<std::string>(), each.at(1).get<std::int64_t>()});
  return missing;
}

json describe(const Dataset& set, Layout& layout) {
  const DataInfo& info = set.info();
  const DatasetArrays& arrays = DatasetArrays::of(set);
  return {{"samples", info.num_samples},
          {"shape", info.shape},
          {"classes", info.num_classes},
          {"labels_per_sample", info.labels_per_sample},
          {"vocabulary", info.vocabulary},
          {"padded", info.padded},
          {"targets", info.num_targets},
          {"names", info.class_names},
          {"value_names", info.value_names},
          {"target_names", info.target_names},
          {"encoding", to_json(info.encoding)},
          {"missing", describe(info.missing)},
          {"byte_scale", info.byte_scale},
          {"origin", info.origin},
          {"scale", arrays.scale},
          {"arrays",
           {layout.place(arrays.values), layout.place(arrays.bytes), layout.place(arrays.labels),
            layout.place(arrays.targets)}}};
}

/// Returns the offset of the first array in the packed bytes, which consist of the length of the text, the text, and
/// the arrays.
/// @param text the length of the text in bytes
std::size_t begin_of_arrays(std::size_t text) {
  return (sizeof(std::uint64_t) + text + kAlignment - 1) / kAlignment * kAlignment;
}

template <class T>
std::span<const T> array(std::span<const std::byte> arrays, const json& where) {
  const auto at = where.at(0).get<std::size_t>();
  const auto count = where.at(1).get<std::size_t>();
  if (at % kAlignment != 0 || at > arrays.size() || count > (arrays.size() - at) / sizeof(T))
    throw_bad_data("damaged shared data: an array ends behind the end");
  return {reinterpret_cast<const T*>(arrays.data() + at), count};
}

std::shared_ptr<const DataSource> set_of(const json& text, std::span<const std::byte> arrays,
                                         const std::shared_ptr<const void>& memory) {
  const json& where = text.at("arrays");
  return std::make_shared<const Dataset>(
      DatasetArrays::make({.num_samples = text.at("samples").get<std::int64_t>(),
                           .shape = text.at("shape").get<std::vector<std::int64_t>>(),
                           .num_classes = text.at("classes").get<int>(),
                           .labels_per_sample = text.at("labels_per_sample").get<std::int64_t>(),
                           .vocabulary = text.at("vocabulary").get<std::int64_t>(),
                           .padded = text.at("padded").get<bool>(),
                           .num_targets = text.at("targets").get<std::int64_t>(),
                           .class_names = text.at("names").get<std::vector<std::string>>(),
                           .value_names = text.at("value_names").get<std::vector<std::string>>(),
                           .target_names = text.at("target_names").get<std::vector<std::string>>(),
                           .encoding = encoding_from_json("", text.at("encoding")),
                           .missing = missing_of(text.at("missing")),
                           .byte_scale = text.at("byte_scale").get<double>(),
                           .origin = text.at("origin").get<std::string>()},
                          {.values = array<float>(arrays, where.at(0)),
                           .bytes = array<std::uint8_t>(arrays, where.at(1)),
                           .scale = text.at("scale").get<float>(),
                           .labels = array<std::int32_t>(arrays, where.at(2)),
                           .targets = array<float>(arrays, where.at(3)),
                           .memory = memory}));
}

}  // namespace

SharedMemory::Content pack(const TrainingData& data) {
  Layout layout;
  json sets = json::object();
  for (const auto& [name, member] : kSets) {
    const std::shared_ptr<const DataSource>& set = data.*member;
    if (!set) continue;
    const auto* const in_memory = dynamic_cast<const Dataset*>(set.get());
    if (in_memory == nullptr) return {};
    sets[name] = describe(*in_memory, layout);
  }
  // Writes the description as CBOR instead of JSON, because file names need not be valid UTF-8, and CBOR accepts such
  // names.
  std::vector<std::uint8_t> text = json::to_cbor(sets);
  const std::size_t begin = begin_of_arrays(text.size());
  return {begin + layout.end(), [begin, text = std::move(text), placed = layout.placed()](std::span<std::byte> to) {
            const std::uint64_t length = text.size();
            std::memcpy(to.data(), &length, sizeof length);
            std::memcpy(to.data() + sizeof length, text.data(), text.size());
            for (const Placed& each : placed) std::ranges::copy(each.bytes, to.data() + begin + each.at);
          }};
}

TrainingData unpack(const SharedBytes& packed) {
  std::uint64_t length = 0;
  if (packed.bytes.size() < sizeof length) throw_bad_data("damaged shared data: no text");
  std::memcpy(&length, packed.bytes.data(), sizeof length);
  if (length > packed.bytes.size() || begin_of_arrays(length) > packed.bytes.size())
    throw_bad_data("damaged shared data: the text ends behind the end");
  try {
    const auto* const text = reinterpret_cast<const std::uint8_t*>(packed.bytes.data()) + sizeof length;
    const json sets = json::from_cbor(text, text + length);
    TrainingData data;
    for (const auto& [name, member] : kSets)
      if (sets.contains(name))
        data.*member = set_of(sets.at(name), packed.bytes.subspan(begin_of_arrays(length)), packed.memory);
    return data;
  } catch (const json::exception& error) {
    throw_bad_data(std::string("damaged shared data: ") + error.what());
  }
}

}  // namespace troupe
