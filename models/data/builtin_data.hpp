#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "troupe/data.hpp"

namespace troupe {

/// The factor that converts the bytes of images to floats from 0 to 1.
inline constexpr float kByteScale = 1.0F / 255;

/// Reads the four files of Fashion-MNIST from `folder`. If `folder` is empty, reads them from the folder of Debian's
/// package.
TrainingData fashion_mnist(const std::string& folder, std::uint64_t seed);
/// Reads only the test set of Fashion-MNIST.
std::shared_ptr<const DataSource> fashion_mnist_test(const std::string& folder);
/// Read files that contain one array each. The documentation of `load_data` describes the arguments of these and the
/// following functions.
TrainingData npy_files(const std::string& arguments, std::uint64_t seed);
TrainingData idx_files(const std::string& arguments, std::uint64_t seed);
/// Reads a file that contains several arrays; see load_data.
TrainingData npz_files(const std::string& arguments, std::uint64_t seed);
inline constexpr const char* kNpzUsage = ":FILE.npz[,x=NAME,y=NAME[,test_x=NAME,test_y=NAME]][,layout=nchw|nhwc]";
inline constexpr const char* kNpyUsage = ":IMAGES.npy,LABELS.npy[,TEST_IMAGES.npy,TEST_LABELS.npy][,layout=nchw|nhwc]";
inline constexpr const char* kIdxUsage = ":IMAGES,LABELS[,TEST_IMAGES,TEST_LABELS][,layout=nchw|nhwc]";
/// Reads the binary files of CIFAR-10 from `folder`, or from its subfolder cifar-10-batches-bin, which unpacking the
/// archive creates.
TrainingData cifar10(const std::string& folder, std::uint64_t seed);
/// Reads only the test set of CIFAR-10.
std::shared_ptr<const DataSource> cifar10_test(const std::string& folder);
/// Read a folder of images; see load_data. Here and below, the function whose name ends with `_like` reads data for a
/// network that was trained on data with the description `trained`.
TrainingData image_folder(const std::string& arguments, std::uint64_t seed);
TrainingData image_folder_like(const std::string& arguments, const DataInfo& trained, std::uint64_t seed);
inline constexpr const char* kImagesUsage = ":DIR[,test=DIR][,size=SIDE|HEIGHTxWIDTH][,channels=1|3][,damaged=skip]";
/// Read CSV files; see load_data.
TrainingData csv_files(const std::string& arguments, std::uint64_t seed);
TrainingData csv_files_like(const std::string& arguments, const DataInfo& trained, std::uint64_t seed);
/// Read texts; see load_data.
TrainingData text_files(const std::string& arguments, std::uint64_t seed);
TrainingData text_files_like(const std::string& arguments, const DataInfo& trained, std::uint64_t seed);
inline constexpr const char* kTextUsage =
    ":FILE[,FILE...][,test=FILE][,symbols=characters|bytes][,window=64][,stride=1][,unseen=error|zero]";
/// Reads samples from tar archives; see load_data.
TrainingData tar_files(const std::string& arguments, std::uint64_t seed);
inline constexpr const char* kTarUsage =
    ":PATTERN[,PATTERN...][,test=PATTERN][,size=SIDE|HEIGHTxWIDTH][,channels=1|3][,memory=MEGABYTES][,damaged=skip]";
/// Return a fold of a cross-validation of other data; see load_data for the form of the arguments, I/K:NAME.
TrainingData fold_of_named(const std::string& arguments, std::uint64_t seed);
TrainingData fold_of_named_like(const std::string& arguments, const DataInfo& trained, std::uint64_t seed);
inline constexpr const char* kFoldUsage = ":I/K:NAME";
/// Draws 1,000 samples with four normally distributed values v0 to v3, whose means are 0, 1, 2 and 3 and whose
/// deviations are 1. The target of a sample is exactly 5 v0 + 3 v1 + 2 v2 + v3.
TrainingData synthetic_linear(const std::string& arguments, std::uint64_t seed);
/// Draws colour images and their labels. The arguments are `SIZE[,CLASSES[,IMAGES]]`: the side in pixels, the number of
/// classes and the number of images. The defaults are 224, 1001 and 64.
TrainingData mock_images(const std::string& arguments, std::uint64_t seed);

}  // namespace troupe
