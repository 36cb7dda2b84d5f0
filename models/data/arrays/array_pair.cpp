#include "models/data/arrays/array_pair.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/data/answers.hpp"
#include "models/data/arrays/pixel_order.hpp"
#include "models/data/builtin_data.hpp"
#include "models/data/naming.hpp"
#include "models/data/remote_blocks.hpp"
#include "models/files/npy.hpp"
#include "runtime/files/input_file.hpp"
#include "troupe/data.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

/// The labels or the targets of samples.
struct Answers {
  std::vector<std::int32_t> labels;
  std::vector<float> targets;
};

DataInfo with(DataInfo info, const NpyFile& samples, const std::string& origin) {
  info.byte_scale = samples.array().is_byte() && info.num_classes > 0 ? static_cast<double>(kByteScale) : 0;
  info.origin = origin;
  info.slow = true;
  if (samples.file()->block_size() > 0)
    add_parts(info, *samples.file(), 0, info.num_samples, [&](std::int64_t row) { return samples.offset_of(row); });
  return info;
}

class ArrayInFile final : public DataSource {
 public:
  ArrayInFile(std::shared_ptr<const NpyFile> samples, std::optional<PixelOrder> order, DataInfo info, Answers answers)
      : DataSource(std::move(info)), samples_(std::move(samples)), order_(order), answers_(std::move(answers)) {
    check_targets(answers_.targets, this->info().num_targets, std::identity());
  }

  std::span<const std::int32_t> known_labels() const override { return answers_.labels; }

  void prefetch(std::span<const std::int64_t> coming, std::span<const std::int64_t> used) const noexcept override {
    for (const std::int64_t sample : used) samples_->file()->release(samples_->offset_of(sample));
    for (const std::int64_t sample : coming) samples_->file()->prefetch(samples_->offset_of(sample), 1);
  }

 private:
  void read(const BatchRequest& request) const override {
    const auto size = static_cast<std::size_t>(info().sample_size());
    const auto targets = static_cast<std::size_t>(info().num_targets);
    for (std::size_t i = 0; i < request.samples.size(); ++i) {
      const auto sample = static_cast<std::size_t>(request.samples[i]);
      read_values(request.samples[i], request.values.subspan(i * size, size));
      if (targets == 0) request.labels[i] = answers_.labels[sample];
      std::copy_n(answers_.targets.begin() + static_cast<std::ptrdiff_t>(sample * targets), targets,
                  request.targets.begin() + static_cast<std::ptrdiff_t>(i * targets));
    }
  }

  void read_values(std::int64_t sample, std::span<float> to) const {
    NumberArray row = samples_->rows(sample, 1);
    bring_to_nchw(row, order_);
    const std::vector<float> values = row.floats();
    const float scale = row.is_byte() ? kByteScale : 1;
    for (std::size_t i = 0; i < to.size(); ++i) {
      if (!std::isfinite(values[i]))
        throw Error(ErrorCode::bad_data,
                    "value " + std::to_string(values[i]) + " of sample " + std::to_string(sample) + " is not finite",
                    {.object = samples_->path()});
      to[i] = scale * values[i];
    }
  }

  std::shared_ptr<const NpyFile> samples_;
  std::optional<PixelOrder> order_;
  Answers answers_;
};

/// Returns data whose samples stay in their file, where each is read on demand. The floats of a sample are bitwise
/// identical to those that the sample would have in memory.
/// @param info the number of samples, the shape, and the classes or targets; this function sets the other members
/// @throws Error bad_data if a target is not finite; the message names the target. If a value of a sample is not
/// finite, only reading this sample throws an error
std::shared_ptr<const DataSource> array_in_file(std::shared_ptr<const NpyFile> samples, std::optional<PixelOrder> order,
                                                DataInfo info, Answers answers, const std::string& origin) {
  info = with(std::move(info), *samples, origin);
  return std::make_shared<const ArrayInFile>(std::move(samples), order, std::move(info), std::move(answers));
}

/// Checks that the two arrays have shapes of samples and of labels, and that there are as many labels as samples.
void check_arrays(const NamedArray& images, const NamedArray& labels) {
  const auto& of_images = images.array.shape;
  const auto& of_labels = labels.array.shape;
  if (of_images.size() < 2 || of_images.size() > 4)
    throw_bad_file(images.name, "the array has shape " + images.array.shape_text() +
                                    "; expected (samples, features), (samples, height, width) or (samples, channels, "
                                    "height, width)");
  const bool single = of_labels.size() == 1 || (of_labels.size() == 2 && of_labels[1] == 1);
  if (labels.array.is_integer() && !single)
    throw_bad_file(labels.name, "the array of integers has shape " + labels.array.shape_text() +
                                    "; classes need shape (samples): for one-hot labels, save labels.argmax(1)");
  if (!single && of_labels.size() != 2)
    throw_bad_file(labels.name,
                   "the array has shape " + labels.array.shape_text() + "; expected (samples) or (samples, targets)");
  if (of_labels[0] != of_images[0])
    throw_bad_file(labels.name, std::to_string(of_labels[0]) + " labels for " + std::to_string(of_images[0]) +
                                    " samples in " + images.name);
}

[[noreturn]] void refuse_label(const NamedArray& file, std::int64_t label, std::size_t sample) {
  const bool is_signed = file.array.kind == 'i';
  const std::string text = is_signed ? std::to_string(label) : std::to_string(static_cast<std::uint64_t>(label));
  throw Error(ErrorCode::bad_data,
              "label " + text + " of sample " + std::to_string(sample) + " is not a class: classes are 0 to " +
                  std::to_string(kMostClasses - 1),
              {.object = file.name});
}

ClassLabels class_labels(const NamedArray& file) {
  ClassLabels read;
  for (const std::int64_t label : file.array.integers()) {
    if (label < 0 || label >= kMostClasses) refuse_label(file, label, read.labels.size());
    read.labels.push_back(static_cast<std::int32_t>(label));
    read.largest = std::max(read.largest, read.labels.back());
  }
  return read;
}

/// Returns the elements of an array as floats. If the elements are unsigned bytes, divides them by 255.
std::vector<float> floats_of(const NumberArray& array) {
  std::vector<float> values = array.floats();
  if (array.is_byte()) std::ranges::for_each(values, [](float& value) { value *= kByteScale; });
  return values;
}

std::vector<std::int64_t> shape_behind_first(const NumberArray& array) {
  return {array.shape.begin() + 1, array.shape.end()};
}

}  // namespace

ArrayPair::ArrayPair(NamedArray samples, NamedArray labels, std::optional<PixelOrder> order)
    : samples_(std::move(samples)), labels_(std::move(labels)), order_(order) {
  check_arrays(samples_, labels_);
  if (order && samples_.array.shape.size() != 4)
    throw_bad_file(samples_.name, "the array has shape " + samples_.array.shape_text() +
                                      "; layout= applies only to arrays with four dimensions");
  if (labels_.array.is_integer()) classes_ = class_labels(labels_);
  const std::string largest =
      classes_ ? labels_.name + " (labels up to " + std::to_string(classes_->largest) + ")" : labels_.text();
  origin_ = largest + " and " + samples_.text();
  bring_to_nchw(samples_.array, order);
}

void ArrayPair::check_like(const ArrayPair& other) const {
  const auto text = [](const NumberArray& array) {
    return NumberArray{.shape = shape_behind_first(array), .bytes = {}}.shape_text();
  };
  if (shape_behind_first(samples_.array) != shape_behind_first(other.samples_.array))
    throw_bad_file(samples_.name, "the samples have shape " + text(samples_.array) + ", but those of " +
                                      other.samples_.name + " have shape " + text(other.samples_.array));
  if (classes_.has_value() != other.classes_.has_value())
    throw_bad_file(labels_.name, std::string("the labels are ") + (classes_ ? "integers" : "floats") +
                                     ", but those of " + other.labels_.name + " are not");
  if (!classes_ && shape_behind_first(labels_.array) != shape_behind_first(other.labels_.array))
    throw_bad_file(labels_.name, "the number of targets per sample differs from that of " + other.labels_.name);
}

std::shared_ptr<const DataSource> ArrayPair::make(int num_classes) && {
  std::vector<std::int64_t> shape = shape_behind_first(samples_.array);
  return naming(
      origin_, [&] { return classes_ ? make_classes(std::move(shape), num_classes) : make_targets(std::move(shape)); });
}

std::shared_ptr<const DataSource> ArrayPair::make_classes(std::vector<std::int64_t> shape, int num_classes) {
  std::vector<std::int32_t>& labels = classes_->labels;
  if (samples_.file) {
    DataInfo info{.num_samples = std::ssize(labels), .shape = std::move(shape), .num_classes = num_classes};
    return array_in_file(samples_.file, order_, std::move(info), {std::move(labels), {}}, origin_);
  }
  if (!samples_.array.is_byte())
    return std::make_shared<const Dataset>(
        Dataset::classes(std::move(shape), samples_.array.floats(), std::move(labels), num_classes, origin_));
  return std::make_shared<const Dataset>(Dataset::classes(std::move(shape), std::move(samples_.array.bytes), kByteScale,
                                                          std::move(labels), num_classes, origin_));
}

std::shared_ptr<const DataSource> ArrayPair::make_targets(std::vector<std::int64_t> shape) {
  const auto& lengths = labels_.array.shape;
  const std::int64_t each = lengths.size() > 1 ? lengths[1] : 1;
  if (samples_.file) {
    DataInfo info{.num_samples = lengths[0], .shape = std::move(shape), .num_targets = each};
    return array_in_file(samples_.file, order_, std::move(info), {{}, labels_.array.floats()}, origin_);
  }
  return std::make_shared<const Dataset>(
      Dataset::targets(std::move(shape), floats_of(samples_.array), labels_.array.floats(), each, origin_));
}

}  // namespace troupe
