#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

#include "models/data/transforms/transform.hpp"
#include "runtime/invalid.hpp"
#include "runtime/suggestion.hpp"
#include "troupe/transform.hpp"

namespace troupe {
namespace {

/// A part of the stream number of the random generator for transforms. Therefore transforms draw other random numbers
/// than other users of the same seed.
constexpr std::uint64_t kTransformStream = 0x7472616eULL << 32;

using Make = std::unique_ptr<Transform> (*)(const TransformNumbers&);
constexpr std::array<std::pair<std::string_view, Make>, 8> kTransforms{{{"colour", make_colour},
                                                                        {"crop", make_crop},
                                                                        {"cutout", make_cutout},
                                                                        {"flip", make_flip},
                                                                        {"intercept", make_intercept},
                                                                        {"normalise", make_normalise},
                                                                        {"resize", make_resize},
                                                                        {"rotate", make_rotate}}};

/// A transform that the user requested: its name and the numbers after the name.
struct Asked {
  std::string name;
  TransformNumbers numbers;
};

double number_of(const std::string& word, const std::string& name) {
  double number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc{} || end != word.data() + word.size() || !(std::abs(number) < 1e30))
    throw_invalid("the transform " + name + " needs numbers, but '" + word + "' is not a number");
  return number;
}

/// Parses a list of transforms such as "crop 32 4, flip". Commas separate transforms. Blanks separate the name of a
/// transform from its numbers, and the numbers from each other.
std::vector<Asked> parse_transforms(const std::string& text) {
  std::vector<Asked> all;
  std::string word;
  bool begins = true;
  const auto end_word = [&] {
    if (word.empty()) return;
    begins ? all.push_back({word, {}}) : all.back().numbers.push_back(number_of(word, all.back().name));
    begins = false;
    word.clear();
  };
  const auto end_transform = [&] {
    end_word();
    if (std::exchange(begins, true)) throw_invalid("a transform has no name in '" + text + "'");
  };
  for (const char letter : text) {
    if (letter == ',')
      end_transform();
    else if (letter == ' ' || letter == '\t')
      end_word();
    else
      word += letter;
  }
  if (begins && word.empty() && all.empty()) return all;
  end_transform();
  return all;
}

Make find_make(const std::string& name) {
  std::vector<std::string> known;
  std::string list;
  for (const auto& [each, make] : kTransforms) {
    if (each == name) return make;
    known.emplace_back(each);
    list += (list.empty() ? "" : ", ") + known.back();
  }
  throw_invalid("there is no transform '" + name + "'" + did_you_mean(name, known) + "; the transforms are " + list);
}

using Transforms = std::vector<std::shared_ptr<const Transform>>;

std::string text_of_all(const Transforms& transforms) {
  std::string text;
  for (const auto& transform : transforms) text += (text.empty() ? "" : ", ") + transform->text();
  return text;
}

/// Data whose samples are those of another source, changed by a sequence of transforms.
class Transformed final : public DataSource {
 public:
  Transformed(std::shared_ptr<const DataSource> data, Transforms transforms)
      : DataSource(info_of(data->info(), transforms)), data_(std::move(data)), transforms_(std::move(transforms)) {
    shapes_.push_back(data_->info().shape);
    for (const auto& transform : transforms_) shapes_.push_back(transform->shape(shapes_.back()));
  }

  std::span<const std::int32_t> known_labels() const override { return data_->known_labels(); }
  void prefetch(std::span<const std::int64_t> coming, std::span<const std::int64_t> used) const noexcept override {
    data_->prefetch(coming, used);
  }

 private:
  static DataInfo info_of(DataInfo info, const Transforms& transforms) {
    if (info.source_shape.empty()) info.source_shape = info.shape;
    for (const auto& transform : transforms) {
      info.shape = transform->shape(info.shape);
      if (!info.value_names.empty()) info.value_names = transform->value_names(std::move(info.value_names));
      info.varies = info.varies || transform->is_random();
    }
    info.slow = true;
    info.transforms += (info.transforms.empty() ? "" : ", ") + text_of_all(transforms);
    return info;
  }

  void read(const BatchRequest& request) const override {
    const auto from_size = static_cast<std::size_t>(data_->info().sample_size());
    const auto to_size = static_cast<std::size_t>(info().sample_size());
    std::vector<float> values(request.samples.size() * from_size);
    BatchRequest untransformed = request;
    untransformed.values = values;
    data_->fill(untransformed);
    std::array<std::vector<float>, 2> between;
    for (std::size_t i = 0; i < request.samples.size(); ++i) {
      std::optional<Random> random;
      if (request.drawn)
        random.emplace(request.drawn->seed, kTransformStream + static_cast<std::uint64_t>(request.samples[i]),
                       static_cast<std::uint64_t>(request.drawn->epoch));
      transform(std::span<const float>(values).subspan(i * from_size, from_size),
                request.values.subspan(i * to_size, to_size), random ? &*random : nullptr, between);
    }
  }

  void transform(std::span<const float> from, std::span<float> to, Random* random,
                 std::array<std::vector<float>, 2>& between) const {
    for (std::size_t k = 0; k < transforms_.size(); ++k) {
      std::span<float> out = to;
      if (k + 1 < transforms_.size()) {
        between[k % 2].assign(size_of(shapes_[k + 1]), 0.0F);
        out = between[k % 2];
      }
      transforms_[k]->apply(shapes_[k], from, out, random);
      from = out;
    }
  }

  static std::size_t size_of(const Shape& shape) {
    return static_cast<std::size_t>(
        std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<std::int64_t>()));
  }

  std::shared_ptr<const DataSource> data_;
  Transforms transforms_;
  std::vector<Shape> shapes_;  ///< the shape of samples before the first transform, and after each transform
};

std::shared_ptr<const DataSource> transformed(std::shared_ptr<const DataSource> data, const Transforms& transforms) {
  if (transforms.empty()) return data;
  return std::make_shared<const Transformed>(std::move(data), transforms);
}

}  // namespace

TrainingData data::transform(TrainingData data, const std::string& transforms) {
  if (!data.train) throw_invalid("there is no training set to transform");
  Transforms all;
  for (Asked& asked : parse_transforms(transforms)) {
    const Make make = find_make(asked.name);
    if (make == make_normalise && asked.numbers.empty()) asked.numbers = moments_of(*transformed(data.train, all));
    all.push_back(make(asked.numbers));
  }
  data.train = transformed(std::move(data.train), all);
  if (data.test) data.test = transformed(std::move(data.test), all);
  if (data.validation) data.validation = transformed(std::move(data.validation), all);
  return data;
}

}  // namespace troupe
