#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "troupe/data.hpp"

namespace troupe {

/// Scales the bytes of images to 0 to 1.
inline constexpr float kByteScale = 1.0F / 255;

/// Reads Debian's four files of Fashion-MNIST from `folder`, or from Debian's default folder if it is empty.
TrainingData fashion_mnist(const std::string& folder, std::uint64_t seed);
/// Reads only the test set.
std::shared_ptr<const DataSource> fashion_mnist_test(const std::string& folder);
/// Read files that contain one array each; see load_data.
TrainingData npy_files(const std::string& arguments, std::uint64_t seed);
TrainingData idx_files(const std::string& arguments, std::uint64_t seed);
/// Reads a file that contains several arrays; see load_data.
TrainingData npz_files(const std::string& arguments, std::uint64_t seed);
inline constexpr const char* kNpzUsage = ":FILE.npz[,x=NAME,y=NAME[,test_x=NAME,test_y=NAME]][,layout=nchw|nhwc]";
inline constexpr const char* kNpyUsage = ":IMAGES.npy,LABELS.npy[,TEST_IMAGES.npy,TEST_LABELS.npy][,layout=nchw|nhwc]";
inline constexpr const char* kIdxUsage = ":IMAGES,LABELS[,TEST_IMAGES,TEST_LABELS][,layout=nchw|nhwc]";
/// Reads the binary files of CIFAR-10 from a folder, or from the subfolder that unpacking their archive creates.
TrainingData cifar10(const std::string& folder, std::uint64_t seed);
/// Reads only the test set.
std::shared_ptr<const DataSource> cifar10_test(const std::string& folder);
/// Reads a folder of images; see load_data.
TrainingData image_folder(const std::string& arguments, std::uint64_t seed);
TrainingData image_folder_like(const std::string& arguments, const DataInfo& trained, std::uint64_t seed);
inline constexpr const char* kImagesUsage = ":DIR[,test=DIR][,size=SIDE|HEIGHTxWIDTH][,channels=1|3][,damaged=skip]";
/// Reads CSV files; see load_data.
TrainingData csv_files(const std::string& arguments, std::uint64_t seed);
TrainingData csv_files_like(const std::string& arguments, const DataInfo& trained, std::uint64_t seed);
/// Reads texts; see load_data.
TrainingData text_files(const std::string& arguments, std::uint64_t seed);
TrainingData text_files_like(const std::string& arguments, const DataInfo& trained, std::uint64_t seed);
inline constexpr const char* kTextUsage =
    ":FILE[,FILE...][,test=FILE][,symbols=characters|bytes][,window=64][,stride=1][,unseen=error|zero]";
/// Reads samples from tar archives; see load_data.
TrainingData tar_files(const std::string& arguments, std::uint64_t seed);
inline constexpr const char* kTarUsage =
    ":PATTERN[,PATTERN...][,test=PATTERN][,size=SIDE|HEIGHTxWIDTH][,channels=1|3][,memory=MEGABYTES][,damaged=skip]";
/// Returns a fold of named data; see load_data.
TrainingData fold_of_named(const std::string& arguments, std::uint64_t seed);
TrainingData fold_of_named_like(const std::string& arguments, const DataInfo& trained, std::uint64_t seed);
inline constexpr const char* kFoldUsage = ":I/K:NAME";
/// Draws 1000 rows of four normal columns with the means 0 1 2 3. Targets are row . (5 3 2 1), without noise.
TrainingData synthetic_linear(const std::string& arguments, std::uint64_t seed);
/// Draws 64 colour images and their labels for `SIZE[,CLASSES]` (224,1001).
TrainingData mock_images(const std::string& arguments, std::uint64_t seed);

}  // namespace troupe
