#include <algorithm>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "models/data/builtin_data.hpp"
#include "models/files/idx.hpp"
#include "models/files/npy.hpp"
#include "runtime/files/input_file.hpp"
#include "runtime/invalid.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

constexpr float kByteScale = 1.0F / 255;

/// Runs `make` and adds the file to its complaints about the data.
template <class Make>
auto naming(const std::string& path, Make make) {
  try {
    return make();
  } catch (const Error& error) {
    if (!error.where().object.empty()) throw;
    throw Error(error.code(), error.message(), {.object = path});
  }
}

/// @param given_folder empty: where Debian puts it.
Dataset fashion_mnist_part(const std::string& given_folder, const std::string& part) {
  const std::string folder = given_folder.empty() ? "/usr/share/datasets/fashion-mnist" : given_folder;
  const std::string images_path = folder + "/" + part + "-images-idx3-ubyte.gz";
  const std::string labels_path = folder + "/" + part + "-labels-idx1-ubyte.gz";
  IdxArray images = read_idx(images_path, 3);
  const IdxArray labels = read_idx(labels_path, 1);
  constexpr std::int64_t kSide = 28;
  if (images.shape[1] != kSide || images.shape[2] != kSide) throw_bad_file(images_path, "its images are not 28 x 28");
  if (images.shape[0] != labels.shape[0]) {
    throw_bad_file(labels_path,
                   std::to_string(labels.shape[0]) + " labels for " + std::to_string(images.shape[0]) + " images");
  }
  return naming(labels_path, [&] {
    return Dataset::classes(
        {1, kSide, kSide}, std::move(images.bytes), kByteScale, {labels.bytes.begin(), labels.bytes.end()}, 10,
        {"T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot"});
  });
}

/// The labels as class numbers; classes go up to the largest.
std::pair<std::vector<std::int32_t>, int> class_labels(const std::string& path, const NpyArray& array) {
  std::vector<std::int32_t> labels;
  std::int32_t largest = 0;
  for (const std::int64_t label : array.integers()) {
    if (label < 0 || label >= std::numeric_limits<std::int32_t>::max()) {
      throw Error(ErrorCode::bad_data, "label " + std::to_string(label) + " is not a class", {.object = path});
    }
    labels.push_back(static_cast<std::int32_t>(label));
    largest = std::max(largest, labels.back());
  }
  return {std::move(labels), largest + 1};
}

/// What the samples' array has to be, and as many labels as there are samples.
void check_arrays(const std::string& images_path, const NpyArray& images, const std::string& labels_path,
                  const NpyArray& labels) {
  if (images.shape.size() < 2) throw_bad_file(images_path, "its array is not (samples, ...)");
  if (images.is_integer() && images.kind != 'u') throw_bad_file(images_path, "its samples are neither u1 nor floats");
  const std::size_t most = labels.is_integer() ? 1 : 2;
  if (labels.shape.empty() || labels.shape.size() > most) {
    throw_bad_file(labels_path, "its array is neither (samples) nor, of floats, (samples, targets)");
  }
  if (labels.shape[0] != images.shape[0]) {
    throw_bad_file(labels_path,
                   std::to_string(labels.shape[0]) + " labels for " + std::to_string(images.shape[0]) + " samples");
  }
}

Dataset npy_targets(std::vector<std::int64_t> shape, const NpyArray& images, const NpyArray& targets) {
  std::vector<float> values = images.floats();
  if (images.is_integer()) std::ranges::for_each(values, [](float& value) { value *= kByteScale; });
  return Dataset::targets(std::move(shape), std::move(values), targets.floats(),
                          targets.shape.size() > 1 ? targets.shape[1] : 1);
}

Dataset npy_classes(std::vector<std::int64_t> shape, NpyArray images, std::vector<std::int32_t> labels, int classes) {
  return images.is_integer()
             ? Dataset::classes(std::move(shape), std::move(images.bytes), kByteScale, std::move(labels), classes)
             : Dataset::classes(std::move(shape), images.floats(), std::move(labels), classes);
}

Dataset npy_set(const std::string& images_path, const std::string& labels_path) {
  NpyArray images = read_npy(images_path);
  const NpyArray labels = read_npy(labels_path);
  check_arrays(images_path, images, labels_path, labels);
  std::vector<std::int64_t> shape(images.shape.begin() + 1, images.shape.end());
  if (!labels.is_integer()) return naming(images_path, [&] { return npy_targets(std::move(shape), images, labels); });
  auto [numbers, classes] = class_labels(labels_path, labels);
  return naming(images_path, [&, classes = classes, numbers = std::move(numbers)]() mutable {
    return npy_classes(std::move(shape), std::move(images), std::move(numbers), classes);
  });
}

std::shared_ptr<const Dataset> shared(Dataset set) { return std::make_shared<const Dataset>(std::move(set)); }

}  // namespace

std::shared_ptr<const DataSource> fashion_mnist_test(const std::string& folder) {
  return shared(fashion_mnist_part(folder, "t10k"));
}

TrainingData fashion_mnist(const std::string& folder, std::uint64_t /*seed*/) {
  return {shared(fashion_mnist_part(folder, "train")), fashion_mnist_test(folder)};
}

TrainingData npy_files(const std::string& paths, std::uint64_t /*seed*/) {
  const std::size_t comma = paths.find(',');
  if (comma == std::string::npos) {
    throw_invalid("npy:" + paths + " is not npy:IMAGES.npy,LABELS.npy");
  }
  return {shared(npy_set(paths.substr(0, comma), paths.substr(comma + 1))), nullptr};
}

}  // namespace troupe
