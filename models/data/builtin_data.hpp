#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "troupe/data.hpp"

namespace troupe {

/// The factor that converts the bytes of images to floats from 0 to 1.
inline constexpr float kByteScale = 1.0F / 255;

/// Reads the four files of Fashion-MNIST from `folder`. If `folder` is empty, reads the files from the folder where
/// Debian's package installs them.
TrainingData fashion_mnist(const std::string& folder, std::uint64_t seed);
/// Reads only the test set of Fashion-MNIST, from the same folder as `fashion_mnist`.
std::shared_ptr<const DataSource> fashion_mnist_test(const std::string& folder);
/// Read .npy files (`npy_files`) or IDX files (`idx_files`), each of which contains one array. The documentation of
/// `load_data` describes the arguments.
TrainingData npy_files(const std::string& arguments, std::uint64_t seed);
TrainingData idx_files(const std::string& arguments, std::uint64_t seed);
/// Reads a .npz file, which contains several arrays. The documentation of `load_data` describes the arguments.
TrainingData npz_files(const std::string& arguments, std::uint64_t seed);
inline constexpr const char* kNpzUsage = ":FILE.npz[,x=NAME,y=NAME[,test_x=NAME,test_y=NAME]][,layout=nchw|nhwc]";
inline constexpr const char* kNpyUsage = ":IMAGES.npy,LABELS.npy[,TEST_IMAGES.npy,TEST_LABELS.npy][,layout=nchw|nhwc]";
inline constexpr const char* kIdxUsage = ":IMAGES,LABELS[,TEST_IMAGES,TEST_LABELS][,layout=nchw|nhwc]";
/// Reads the binary files of CIFAR-10 from `folder`, or from its subfolder cifar-10-batches-bin if it exists. Unpacking
/// the archive of CIFAR-10 creates this subfolder.
TrainingData cifar10(const std::string& folder, std::uint64_t seed);
/// Reads only the test set of CIFAR-10, from the same folder as `cifar10`.
std::shared_ptr<const DataSource> cifar10_test(const std::string& folder);
/// Read a folder of images. The documentation of `load_data` describes the arguments. `image_folder_like` reads data
/// for a network that was trained before on data with the description `trained`.
TrainingData image_folder(const std::string& arguments, std::uint64_t seed);
TrainingData image_folder_like(const std::string& arguments, const DataInfo& trained, std::uint64_t seed);
inline constexpr const char* kImagesUsage = ":DIR[,test=DIR][,size=SIDE|HEIGHTxWIDTH][,channels=1|3][,damaged=skip]";
/// Read CSV files. The documentation of `load_data` describes the arguments. `csv_files_like` reads data for a network
/// that was trained before on data with the description `trained`.
TrainingData csv_files(const std::string& arguments, std::uint64_t seed);
TrainingData csv_files_like(const std::string& arguments, const DataInfo& trained, std::uint64_t seed);
/// Read text files. The documentation of `load_data` describes the arguments. `text_files_like` reads data for a
/// network that was trained before on data with the description `trained`.
TrainingData text_files(const std::string& arguments, std::uint64_t seed);
TrainingData text_files_like(const std::string& arguments, const DataInfo& trained, std::uint64_t seed);
inline constexpr const char* kTextUsage =
    ":FILE[,FILE...][,test=FILE][,symbols=characters|bytes][,window=64][,stride=N]"
    "[,predict=last|each][,unseen=error|zero]";
/// Read files of tokens. The documentation of `load_data` describes the arguments. `token_files_like` uses the
/// vocabulary of `trained`, unless the arguments contain another one.
TrainingData token_files(const std::string& arguments, std::uint64_t seed);
TrainingData token_files_like(const std::string& arguments, const DataInfo& trained, std::uint64_t seed);
inline constexpr const char* kTokensUsage =
    ":FILE[,FILE...][,test=FILE][,window=1024][,windows=epoch|random][,vocabulary=N][,format=raw|llmc|npy]";
/// Reads samples from tar archives. The documentation of `load_data` describes the arguments.
TrainingData tar_files(const std::string& arguments, std::uint64_t seed);
inline constexpr const char* kTarUsage =
    ":PATTERN[,PATTERN...][,test=PATTERN][,size=SIDE|HEIGHTxWIDTH][,channels=1|3][,memory=MEGABYTES][,damaged=skip]";
/// Load the data NAME, divide its training set into K folds, and return fold I as the validation set. The arguments
/// have the form "I/K:NAME". `fold_of_named_like` loads NAME for a network that was trained before on data with the
/// description `trained`.
TrainingData fold_of_named(const std::string& arguments, std::uint64_t seed);
TrainingData fold_of_named_like(const std::string& arguments, const DataInfo& trained, std::uint64_t seed);
inline constexpr const char* kFoldUsage = ":I/K:NAME";
/// Returns 1,000 random samples with one target each. A sample has four normally distributed values v0 to v3, with the
/// means 0, 1, 2 and 3 and the standard deviation 1. Its target is 5 v0 + 3 v1 + 2 v2 + v3, rounded to a float.
TrainingData synthetic_linear(const std::string& arguments, std::uint64_t seed);
/// Returns random colour images with random labels. The arguments are `SIZE[,CLASSES[,IMAGES]]`: the height and width
/// in pixels, the number of classes, and the number of images. The defaults are 224, 1001 and 64.
TrainingData mock_images(const std::string& arguments, std::uint64_t seed);

}  // namespace troupe
