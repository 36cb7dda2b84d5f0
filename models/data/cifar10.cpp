#include <filesystem>
#include <memory>
#include <sstream>
#include <utility>

#include "models/data/builtin_data.hpp"
#include "models/data/naming.hpp"
#include "runtime/files/input_file.hpp"
#include "runtime/printable.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

constexpr std::size_t kCifarPixels = std::size_t{3} * 32 * 32;
constexpr std::size_t kCifarRecord = 1 + kCifarPixels;  ///< size of a record in bytes: a label, then the red, green and
                                                        ///< blue planes of an image, each row-major
constexpr int kCifarClasses = 10;

/// Returns the folder with the files of CIFAR-10: the subfolder of `folder` that unpacking the archive of CIFAR-10
/// creates or, if there is no such subfolder, `folder` itself.
std::string folder_of_batches(const std::string& folder) {
  const std::string inner = folder + "/cifar-10-batches-bin";
  return std::filesystem::exists(inner + "/data_batch_1.bin") ? inner : folder;
}

void add_records(const std::string& path, std::vector<std::uint8_t>& pixels, std::vector<std::int32_t>& labels) {
  const std::vector<std::byte> bytes = InputFile(path).read_all();
  if (bytes.empty() || bytes.size() % kCifarRecord != 0)
    throw_bad_file(
        path, std::to_string(bytes.size()) + " bytes; the size must be a multiple of " + std::to_string(kCifarRecord));
  for (std::size_t at = 0; at < bytes.size(); at += kCifarRecord) {
    labels.push_back(std::to_integer<std::int32_t>(bytes[at]));
    if (labels.back() >= kCifarClasses)
      throw Error(ErrorCode::bad_data,
                  "label " + std::to_string(labels.back()) + " of record " + std::to_string(at / kCifarRecord) +
                      " is not in [0, " + std::to_string(kCifarClasses) + ")",
                  {.object = path});
    const auto* const first = reinterpret_cast<const std::uint8_t*>(bytes.data() + at + 1);
    pixels.insert(pixels.end(), first, first + kCifarPixels);
  }
}

/// Reads the names of the classes from a file with one name on each line, and returns them. Returns no names if the
/// file is missing, is too large, or does not contain exactly ten names.
std::vector<std::string> class_names_of(const std::string& path) {
  std::vector<std::string> names;
  if (!std::filesystem::is_regular_file(path)) return names;
  constexpr std::uint64_t kMost = 1 << 16;
  const InputFile file(path);
  if (file.size() > kMost) return names;
  std::istringstream lines(file.read_text());
  for (std::string line; std::getline(lines, line);)
    if (!line.empty() && is_printable(line)) names.push_back(line);
  if (names.size() != kCifarClasses) names.clear();
  return names;
}

std::shared_ptr<const DataSource> cifar10_part(const std::string& folder, const std::vector<std::string>& files) {
  std::vector<std::uint8_t> pixels;
  std::vector<std::int32_t> labels;
  for (const std::string& file : files) add_records(std::filesystem::path(folder) / file, pixels, labels);
  return naming(folder + "/" + files.front(), [&] {
    return std::make_shared<const Dataset>(Dataset::classes({3, 32, 32}, std::move(pixels), kByteScale,
                                                            std::move(labels), kCifarClasses, folder,
                                                            class_names_of(folder + "/batches.meta.txt")));
  });
}

}  // namespace

TrainingData cifar10(const std::string& folder, std::uint64_t /*seed*/) {
  return {cifar10_part(folder_of_batches(folder), {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin",
                                                   "data_batch_4.bin", "data_batch_5.bin"}),
          cifar10_test(folder)};
}

std::shared_ptr<const DataSource> cifar10_test(const std::string& folder) {
  return cifar10_part(folder_of_batches(folder), {"test_batch.bin"});
}

}  // namespace troupe
