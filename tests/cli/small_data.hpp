#pragma once

#include <bit>
#include <cstdint>
#include <regex>
#include <string>
#include <vector>

#include "models/files.hpp"

namespace troupe_test {

/// Returns images of 28 x 28 bytes, one after the other. The images belong to ten classes; each class has another
/// bright row.
inline std::string image_bytes(int images) {
  std::string bytes;
  for (int image = 0; image < images; ++image)
    for (int pixel = 0; pixel < 28 * 28; ++pixel) {
      const bool bright = pixel / 28 == 2 * (image % 10) + 3;
      bytes += static_cast<char>(bright ? 200 + image % 50 : (image * 7 + pixel * 13) % 60);
    }
  return bytes;
}

inline std::string label_bytes(int images) {
  std::string bytes;
  for (int image = 0; image < images; ++image) bytes += static_cast<char>(image % 10);
  return bytes;
}

inline std::string int64_bytes(const std::string& bytes) {
  std::string out;
  for (const char byte : bytes) out += troupe::testing::little_endian(static_cast<std::uint64_t>(byte), 8);
  return out;
}

/// Writes a small data set in the format of Fashion-MNIST; tests damage single files of it.
inline void write_fashion(const troupe::testing::TemporaryFolder& folder, int train = 50, int test = 20) {
  using namespace troupe::testing;
  for (const auto& [part, images] : {std::pair{"train", train}, std::pair{"t10k", test}}) {
    const auto length = static_cast<std::uint32_t>(images);
    write_gzip(folder / (std::string(part) + "-images-idx3-ubyte.gz"),
               idx_bytes({length, 28, 28}, image_bytes(images)));
    write_gzip(folder / (std::string(part) + "-labels-idx1-ubyte.gz"), idx_bytes({length}, label_bytes(images)));
  }
}

/// Writes images.npy and labels.npy. Returns the value for --data.
inline std::string write_npy(const troupe::testing::TemporaryFolder& folder, int images = 30) {
  using namespace troupe::testing;
  const std::string length = std::to_string(images);
  write_file(folder / "images.npy",
             npy_bytes(npy_dictionary("|u1", "(" + length + ", 1, 28, 28)"), image_bytes(images)));
  write_file(folder / "labels.npy",
             npy_bytes(npy_dictionary("<i8", "(" + length + ",)"), int64_bytes(label_bytes(images))));
  return "npy:" + (folder / "images.npy") + "," + (folder / "labels.npy");
}

/// Writes images.npy, and targets.npy with three numbers in [0, 1) per image. Returns the value for --data.
inline std::string write_npy_targets(const troupe::testing::TemporaryFolder& folder, int images = 30) {
  using namespace troupe::testing;
  const std::string name = write_npy(folder, images);
  std::string targets;
  for (int i = 0; i < 3 * images; ++i) {
    const float target = static_cast<float>(i * 7 % 11) / 11;
    targets += little_endian(std::bit_cast<std::uint32_t>(target), 4);
  }
  write_file(folder / "targets.npy", npy_bytes(npy_dictionary("<f4", "(" + std::to_string(images) + ", 3)"), targets));
  return "npy:" + (folder / "images.npy") + "," + (folder / "targets.npy");
}

inline bool matches(const std::string& text, const std::string& pattern) {
  return std::regex_match(text, std::regex(pattern));
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// Returns `first` followed by `rest`.
inline std::vector<std::string> joined(std::vector<std::string> first, const std::vector<std::string>& rest) {
  first.insert(first.end(), rest.begin(), rest.end());
  return first;
}

/// Returns a command line that trains the smallest model, with more options at the end.
inline std::vector<std::string> train_linear(const std::vector<std::string>& more) {
  return joined({"train", "--model", "linear", "--data", "synthetic-linear", "--batch-size", "50", "--learning-rate",
                 "0.01", "--momentum", "0"},
                more);
}

}  // namespace troupe_test
