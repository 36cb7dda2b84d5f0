#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "models/data/builtin_data.hpp"
#include "models/data/naming.hpp"
#include "models/files/npy.hpp"
#include "runtime/files/input_file.hpp"
#include "runtime/invalid.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

/// How pictures lie in an array.
enum class PixelOrder : std::uint8_t { nchw, nhwc };

/// What stands behind "npy:".
struct Arguments {
  std::vector<std::string> files;
  std::optional<PixelOrder> order = {};
};

Arguments parse(const std::string& text) {
  constexpr std::string_view kLayout = "layout=";
  Arguments parsed;
  bool good = true;
  for (std::size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
    end = text.find(',', begin);
    const std::string part = text.substr(begin, end - begin);
    if (!part.starts_with(kLayout)) {
      good = good && !part.empty();
      parsed.files.push_back(part);
      continue;
    }
    const std::string order = part.substr(kLayout.size());
    good = good && !parsed.order && (order == "nchw" || order == "nhwc");
    parsed.order = order == "nhwc" ? PixelOrder::nhwc : PixelOrder::nchw;
  }
  if (!good || (parsed.files.size() != 2 && parsed.files.size() != 4))
    throw_invalid("npy:" + text + " is not npy" + kNpyUsage);
  return parsed;
}

std::string text_of(const std::vector<std::int64_t>& shape) {
  std::string text = "(";
  for (const std::int64_t length : shape) text += std::to_string(length) + (shape.size() == 1 ? "," : ", ");
  if (shape.size() > 1) text.resize(text.size() - 2);
  return text + ")";
}

/// A file's array, and what errors call both.
struct Named {
  std::string path;
  NpyArray array;

  explicit Named(const std::string& file) : path(file), array(read_npy(file)) {}
  std::string text() const { return path + " " + text_of(array.shape); }
};

/// Elements of one type from pixels side by side to planes.
template <class T>
void to_planes(NpyArray& images) {
  const auto samples = static_cast<std::size_t>(images.shape[0]);
  const auto pixels = static_cast<std::size_t>(images.shape[1] * images.shape[2]);
  const auto channels = static_cast<std::size_t>(images.shape[3]);
  std::vector<std::uint8_t> moved(images.bytes.size());
  std::size_t to = 0;
  for (std::size_t n = 0; n < samples; ++n)
    for (std::size_t c = 0; c < channels; ++c)
      for (std::size_t p = 0; p < pixels; ++p, to += sizeof(T))
        std::memcpy(moved.data() + to, images.bytes.data() + ((n * pixels + p) * channels + c) * sizeof(T), sizeof(T));
  images.bytes = std::move(moved);
  images.shape = {images.shape[0], images.shape[3], images.shape[1], images.shape[2]};
}

/// By its shape, unless it is told: no picture is four pixels wide and has more than four channels.
bool is_nhwc(const NpyArray& images, std::optional<PixelOrder> order) {
  constexpr std::int64_t kMostColours = 4;
  if (images.shape.size() != 4) return false;
  if (order) return *order == PixelOrder::nhwc;
  return images.shape[3] <= kMostColours && images.shape[1] > kMostColours;
}

void bring_to_nchw(const std::string& path, NpyArray& images, std::optional<PixelOrder> order) {
  if (order && images.shape.size() != 4)
    throw_bad_file(path,
                   "its array is " + text_of(images.shape) + ", and pixels have a layout where it has four lengths");
  if (!is_nhwc(images, order)) return;
  switch (images.item_size) {
    case 1:
      return to_planes<std::uint8_t>(images);
    case 2:
      return to_planes<std::uint16_t>(images);
    case 4:
      return to_planes<std::uint32_t>(images);
    default:
      return to_planes<std::uint64_t>(images);
  }
}

/// What the arrays have to be, and as many labels as there are samples.
void check_arrays(const Named& images, const Named& labels) {
  const auto& of_images = images.array.shape;
  const auto& of_labels = labels.array.shape;
  if (of_images.size() < 2 || of_images.size() > 4)
    throw_bad_file(images.path, "its array is " + text_of(of_images) +
                                    ", not (samples, features), (samples, height, width) or (samples, channels, "
                                    "height, width)");
  const bool single = of_labels.size() == 1 || (of_labels.size() == 2 && of_labels[1] == 1);
  if (labels.array.is_integer() && !single)
    throw_bad_file(labels.path, "its array of integers is " + text_of(of_labels) +
                                    ", and classes are (samples); of one-hot labels save labels.argmax(1)");
  if (!single && of_labels.size() != 2)
    throw_bad_file(labels.path, "its array is " + text_of(of_labels) + ", neither (samples) nor (samples, targets)");
  if (of_labels[0] != of_images[0])
    throw_bad_file(labels.path, std::to_string(of_labels[0]) + " labels for " + std::to_string(of_images[0]) +
                                    " samples in " + images.path);
}

/// The labels as class numbers, from 0 to the largest.
struct ClassLabels {
  std::vector<std::int32_t> labels;
  std::int32_t largest = 0;
};

ClassLabels class_labels(const Named& file) {
  ClassLabels read;
  for (const std::int64_t label : file.array.integers()) {
    if (label < 0 || label >= std::numeric_limits<std::int32_t>::max())
      throw Error(ErrorCode::bad_data, "label " + std::to_string(label) + " is not a class", {.object = file.path});
    read.labels.push_back(static_cast<std::int32_t>(label));
    read.largest = std::max(read.largest, read.labels.back());
  }
  return read;
}

/// The two files of one set.
struct Pair {
  Named images;
  Named labels;
  std::optional<ClassLabels> classes = {};  ///< unless they are targets
  std::string origin = {};                  ///< what errors call both

  Pair(const std::string& images_path, const std::string& labels_path, std::optional<PixelOrder> order)
      : images(images_path), labels(labels_path) {
    check_arrays(images, labels);
    origin = labels.text() + " and " + images.text();
    bring_to_nchw(images.path, images.array, order);
    if (!labels.array.is_integer()) return;
    classes = class_labels(labels);
    origin = labels.path + " (labels up to " + std::to_string(classes->largest) + ") and " + images.text();
  }
};

std::shared_ptr<const Dataset> targets(std::vector<std::int64_t> shape, Pair& files) {
  std::vector<float> values = files.images.array.floats();
  if (files.images.array.is_byte()) std::ranges::for_each(values, [](float& value) { value *= kByteScale; });
  const auto& lengths = files.labels.array.shape;
  return std::make_shared<const Dataset>(Dataset::targets(std::move(shape), std::move(values),
                                                          files.labels.array.floats(),
                                                          lengths.size() > 1 ? lengths[1] : 1, files.origin));
}

std::shared_ptr<const Dataset> classes(std::vector<std::int64_t> shape, int num_classes, Pair& files) {
  std::vector<std::int32_t>& labels = files.classes->labels;
  if (!files.images.array.is_byte())
    return std::make_shared<const Dataset>(
        Dataset::classes(std::move(shape), files.images.array.floats(), std::move(labels), num_classes, files.origin));
  return std::make_shared<const Dataset>(Dataset::classes(std::move(shape), std::move(files.images.array.bytes),
                                                          kByteScale, std::move(labels), num_classes, files.origin));
}

std::shared_ptr<const Dataset> make_set(Pair files, int num_classes) {
  const auto& lengths = files.images.array.shape;
  std::vector<std::int64_t> shape(lengths.begin() + 1, lengths.end());
  return naming(files.origin, [&] {
    return files.classes ? classes(std::move(shape), num_classes, files) : targets(std::move(shape), files);
  });
}

/// The test set's samples and labels have to be like the training set's.
void check_alike(const Pair& train, const Pair& test) {
  const auto sample = [](const Named& file) {
    return std::vector<std::int64_t>(file.array.shape.begin() + 1, file.array.shape.end());
  };
  if (sample(train.images) != sample(test.images))
    throw_bad_file(test.images.path, "its samples are " + text_of(sample(test.images)) + ", and those of " +
                                         train.images.path + " are " + text_of(sample(train.images)));
  if (train.classes.has_value() != test.classes.has_value())
    throw_bad_file(test.labels.path, std::string("its labels are ") + (test.classes ? "integers" : "floats") +
                                         ", and those of " + train.labels.path + " are not");
  if (!train.classes && sample(train.labels) != sample(test.labels))
    throw_bad_file(test.labels.path, "it has not as many targets a sample as " + train.labels.path);
}

}  // namespace

TrainingData npy_files(const std::string& arguments, std::uint64_t /*seed*/) {
  const Arguments asked = parse(arguments);
  Pair train(asked.files[0], asked.files[1], asked.order);
  int num_classes = train.classes ? train.classes->largest + 1 : 0;
  if (asked.files.size() == 2) return {make_set(std::move(train), num_classes), nullptr};
  Pair test(asked.files[2], asked.files[3], asked.order);
  check_alike(train, test);
  if (test.classes) num_classes = std::max(num_classes, test.classes->largest + 1);
  auto train_set = make_set(std::move(train), num_classes);
  return {std::move(train_set), make_set(std::move(test), num_classes)};
}

}  // namespace troupe
