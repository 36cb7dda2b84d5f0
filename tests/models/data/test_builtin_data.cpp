#include <doctest/doctest.h>

#include <cmath>
#include <future>
#include <string>
#include <vector>

#include "models/data/samples.hpp"
#include "models/files.hpp"
#include "troupe/data.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

/// Writes a tiny Fashion-MNIST: `count` training images and two test images.
void write_fashion_mnist(const TemporaryFolder& folder, std::uint32_t count, const std::string& labels) {
  const auto images = [](std::uint32_t number) {
    return idx_bytes({number, 28, 28}, std::string(std::size_t{784} * number, '\x33'));
  };
  write_gzip(folder / "train-images-idx3-ubyte.gz", images(count));
  write_gzip(folder / "train-labels-idx1-ubyte.gz", idx_bytes({static_cast<std::uint32_t>(labels.size())}, labels));
  write_gzip(folder / "t10k-images-idx3-ubyte.gz", images(2));
  write_gzip(folder / "t10k-labels-idx1-ubyte.gz", idx_bytes({2}, std::string("\x00\x09", 2)));
}

}  // namespace

TEST_CASE("Fashion-MNIST is read from a folder") {
  const TemporaryFolder folder;
  write_fashion_mnist(folder, 3, "\x01\x02\x09");
  const TrainingData data = load_data("fashion-mnist:" + folder.path().string());
  CHECK(data.train->info().num_samples == 3);
  CHECK(data.test->info().num_samples == 2);
  CHECK(data.train->info().shape == std::vector<std::int64_t>{1, 28, 28});
  CHECK(data.train->info().num_classes == 10);
  const Samples read = read_all(*data.train);
  CHECK(read.labels[2] == 9);
  CHECK(read.values[783] == doctest::Approx(0.2));
  CHECK(load_data("fashion-mnist:" + folder.path().string(), 2).train == data.train);
}

TEST_CASE("Fashion-MNIST files with mismatched sizes are refused") {
  const TemporaryFolder folder;
  const std::string name = "fashion-mnist:" + folder.path().string();
  const auto fails = [&](ErrorCode code, const std::string& what) {
    check_throws(code, what, [&] { load_data(name); });
  };
  fails(ErrorCode::bad_file, "train-images-idx3-ubyte.gz");
  write_fashion_mnist(folder, 3, "\x01\x02");
  fails(ErrorCode::bad_file, "train-labels-idx1-ubyte.gz");
  write_fashion_mnist(folder, 3, "\x01\x0a\x01");
  fails(ErrorCode::bad_data, "label 10");
  fails(ErrorCode::bad_data, "train-labels-idx1-ubyte.gz");
  write_fashion_mnist(folder, 1, "\x01");
  write_gzip(folder / "t10k-images-idx3-ubyte.gz", idx_bytes({2, 1, 28}, std::string(56, 'x')));
  fails(ErrorCode::bad_file, "28 x 28");
}

TEST_CASE("synthetic-linear has the documented means and exact targets") {
  const TrainingData data = load_data("synthetic-linear", 5);
  CHECK(data.test == nullptr);
  CHECK(data.train->info().num_samples == 1000);
  CHECK(data.train->info().shape == std::vector<std::int64_t>{4});
  const auto [rows, labels, targets] = read_all(*data.train);
  CHECK(labels.empty());
  std::vector<double> means(4);
  for (std::size_t row = 0; row < 1000; ++row) {
    const float* x = rows.data() + 4 * row;
    for (std::size_t column = 0; column < 4; ++column) means[column] += static_cast<double>(x[column]) / 1000;
    const double target = 5.0 * static_cast<double>(x[0]) + 3.0 * static_cast<double>(x[1]) +
                          2.0 * static_cast<double>(x[2]) + static_cast<double>(x[3]);
    CHECK(targets[row] == static_cast<float>(target));
  }
  for (std::size_t column = 0; column < 4; ++column) CHECK(std::abs(means[column] - double(column)) < 0.15);
  CHECK(read_all(*load_data("synthetic-linear", 6).train).values != rows);
}

TEST_CASE("mock-images have the requested shape") {
  const TrainingData data = load_data("mock-images:8,5", 1);
  CHECK(data.train->info().shape == std::vector<std::int64_t>{3, 8, 8});
  CHECK(data.train->info().num_classes == 5);
  double sum = 0;
  for (const float pixel : read_all(*data.train).values) {
    CHECK(pixel >= 0);
    CHECK(pixel <= 255);
    sum += static_cast<double>(pixel);
  }
  CHECK(sum / static_cast<double>(data.train->info().num_samples * 3 * 64) == doctest::Approx(127).epsilon(0.02));
  CHECK(load_data("mock-images:8").train->info().num_classes == 1001);
  CHECK(load_data("mock-images:8").train->info().num_samples == 64);
  CHECK(load_data("mock-images:8,5,3").train->info().num_samples == 3);
}

TEST_CASE("invalid arguments of built-in data are refused") {
  for (const char* name : {"mock-images:0", "mock-images:8,", "mock-images:8,0", "mock-images:8,5x",
                           "mock-images:99999", "mock-images:-8", "mock-images:8,5,0", "mock-images:8,5,10001"}) {
    CAPTURE(name);
    check_throws(ErrorCode::invalid_argument, name, [&] { load_data(name); });
  }
}
