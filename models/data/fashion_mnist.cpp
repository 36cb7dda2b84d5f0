#include <future>
#include <memory>
#include <utility>

#include "models/data/builtin_data.hpp"
#include "models/data/naming.hpp"
#include "models/files/idx.hpp"
#include "runtime/files/input_file.hpp"

namespace troupe {
namespace {

/// Reads the training set or the test set of Fashion-MNIST.
/// @param given_folder the folder with the files; empty: the folder where Debian's package installs them
/// @param part the start of the names of the files: "train" or "t10k" (the test set)
Dataset fashion_mnist_part(const std::string& given_folder, const std::string& part) {
  const std::string folder = given_folder.empty() ? "/usr/share/datasets/fashion-mnist" : given_folder;
  const std::string images_path = folder + "/" + part + "-images-idx3-ubyte.gz";
  const std::string labels_path = folder + "/" + part + "-labels-idx1-ubyte.gz";
  NumberArray images = read_idx(images_path);
  const NumberArray labels = read_idx(labels_path);
  constexpr std::int64_t kSide = 28;
  if (!images.is_byte() || images.shape.size() != 3 || images.shape[1] != kSide || images.shape[2] != kSide)
    throw_bad_file(images_path, "the file does not contain images of 28 x 28 bytes");
  if (!labels.is_byte() || labels.shape.size() != 1)
    throw_bad_file(labels_path, "the file does not contain one byte per image");
  if (images.shape[0] != labels.shape[0]) {
    throw_bad_file(labels_path,
                   std::to_string(labels.shape[0]) + " labels for " + std::to_string(images.shape[0]) + " images");
  }
  return naming(labels_path, [&] {
    return Dataset::classes(
        {1, kSide, kSide}, std::move(images.bytes), kByteScale, {labels.bytes.begin(), labels.bytes.end()}, 10,
        labels_path,
        {"T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot"});
  });
}

std::shared_ptr<const Dataset> shared(Dataset set) { return std::make_shared<const Dataset>(std::move(set)); }

}  // namespace

std::shared_ptr<const DataSource> fashion_mnist_test(const std::string& folder) {
  return shared(fashion_mnist_part(folder, "t10k"));
}

TrainingData fashion_mnist(const std::string& folder, std::uint64_t /*seed*/) {
  // Reads both sets at the same time if std::async can use another thread, because decompressing them takes most of the
  // time of a short run.
  std::future<std::shared_ptr<const DataSource>> test = std::async([&] { return fashion_mnist_test(folder); });
  return {shared(fashion_mnist_part(folder, "train")), test.get()};
}

}  // namespace troupe
