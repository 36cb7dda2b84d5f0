#include <doctest/doctest.h>

#include <cmath>
#include <future>
#include <numeric>
#include <string>
#include <vector>

#include "files.hpp"
#include "troupe/data.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

std::vector<float> samples(const Dataset& set, std::int64_t count) {
  std::vector<std::int64_t> indices(static_cast<std::size_t>(count));
  std::iota(indices.begin(), indices.end(), 0);
  std::vector<float> values(static_cast<std::size_t>(count * set.sample_size()));
  set.gather(indices, values);
  return values;
}

template <class T>
std::string raw(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

/// A tiny Fashion-MNIST: `count` training and two test images.
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
  CHECK(data.train->size() == 3);
  CHECK(data.test->size() == 2);
  CHECK(data.train->shape() == std::vector<std::int64_t>{1, 28, 28});
  CHECK(data.train->num_classes() == 10);
  CHECK(data.train->labels()[2] == 9);
  CHECK(samples(*data.train, 1)[783] == doctest::Approx(0.2));
  CHECK(load_data("fashion-mnist:" + folder.path().string(), 2).train == data.train);
}

TEST_CASE("Fashion-MNIST files that do not fit each other are refused") {
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

TEST_CASE("synthetic-linear has its means and exact targets") {
  const TrainingData data = load_data("synthetic-linear", 5);
  CHECK(data.test == nullptr);
  CHECK(data.train->size() == 1000);
  CHECK(data.train->shape() == std::vector<std::int64_t>{4});
  const auto rows = samples(*data.train, 1000);
  std::vector<double> means(4);
  for (std::size_t row = 0; row < 1000; ++row) {
    const float* x = rows.data() + 4 * row;
    for (std::size_t column = 0; column < 4; ++column) means[column] += static_cast<double>(x[column]) / 1000;
    const double target = 5.0 * static_cast<double>(x[0]) + 3.0 * static_cast<double>(x[1]) +
                          2.0 * static_cast<double>(x[2]) + static_cast<double>(x[3]);
    CHECK(data.train->target_values()[row] == static_cast<float>(target));
  }
  for (std::size_t column = 0; column < 4; ++column) CHECK(std::abs(means[column] - double(column)) < 0.15);
  CHECK(samples(*load_data("synthetic-linear", 6).train, 1) != samples(*data.train, 1));
}

TEST_CASE("mock-images have the shape asked for") {
  const TrainingData data = load_data("mock-images:8,5", 1);
  CHECK(data.train->shape() == std::vector<std::int64_t>{3, 8, 8});
  CHECK(data.train->num_classes() == 5);
  double sum = 0;
  for (const float pixel : samples(*data.train, data.train->size())) {
    CHECK(pixel >= 0);
    CHECK(pixel <= 255);
    sum += static_cast<double>(pixel);
  }
  CHECK(sum / static_cast<double>(data.train->size() * 3 * 64) == doctest::Approx(127).epsilon(0.02));
  CHECK(load_data("mock-images:8").train->num_classes() == 1001);
}

TEST_CASE("NumPy files with integer labels are classes, others a regression") {
  const TemporaryFolder folder;
  write_file(folder / "bytes.npy", npy_bytes(npy_dictionary("|u1", "(2, 1, 2)"), raw<std::uint8_t>({0, 255, 51, 0})));
  write_file(folder / "floats.npy", npy_bytes(npy_dictionary("<f8", "(2, 2)"), raw<double>({0, 1, 0.25, 3})));
  write_file(folder / "labels.npy", npy_bytes(npy_dictionary("<i8", "(2,)"), raw<std::int64_t>({4, 0})));
  write_file(folder / "targets.npy", npy_bytes(npy_dictionary("<f4", "(2,)"), raw<float>({0.5F, -1})));
  const auto load = [&](const std::string& x, const std::string& y) {
    return load_data("npy:" + (folder / x) + "," + (folder / y)).train;
  };
  const auto classes = load("bytes.npy", "labels.npy");
  CHECK(classes->shape() == std::vector<std::int64_t>{1, 2});
  CHECK(classes->num_classes() == 5);
  CHECK(samples(*classes, 2)[2] == doctest::Approx(0.2));
  CHECK(samples(*load("floats.npy", "labels.npy"), 2) == std::vector<float>{0, 1, 0.25F, 3});
  CHECK(load("floats.npy", "targets.npy")->target_values()[1] == -1);
  CHECK(samples(*load("bytes.npy", "targets.npy"), 1)[1] == 1);
}

TEST_CASE("NumPy files that do not fit each other are refused") {
  const TemporaryFolder folder;
  write_file(folder / "x.npy", npy_bytes(npy_dictionary("<f4", "(2, 1)"), raw<float>({0, 1})));
  write_file(folder / "flat.npy", npy_bytes(npy_dictionary("<f4", "(2,)"), raw<float>({0, 1})));
  write_file(folder / "int.npy", npy_bytes(npy_dictionary("<i4", "(2, 1)"), raw<std::int32_t>({0, 1})));
  write_file(folder / "long.npy", npy_bytes(npy_dictionary("<i4", "(3,)"), raw<std::int32_t>({0, 1, 2})));
  write_file(folder / "y.npy", npy_bytes(npy_dictionary("<i4", "(2,)"), raw<std::int32_t>({0, 1})));
  write_file(folder / "low.npy", npy_bytes(npy_dictionary("<i4", "(2,)"), raw<std::int32_t>({0, -1})));
  write_file(folder / "empty.npy", npy_bytes(npy_dictionary("<f4", "(0, 1)"), ""));
  write_file(folder / "none.npy", npy_bytes(npy_dictionary("<i4", "(0,)"), ""));
  const auto fails = [&](ErrorCode code, const std::string& x, const std::string& y, const std::string& what) {
    check_throws(code, what, [&] { load_data("npy:" + (folder / x) + "," + (folder / y)); });
  };
  fails(ErrorCode::bad_file, "x.npy", "long.npy", "long.npy");
  fails(ErrorCode::bad_file, "x.npy", "x.npy", "one dimension");
  fails(ErrorCode::bad_file, "flat.npy", "y.npy", "flat.npy");
  fails(ErrorCode::bad_file, "int.npy", "y.npy", "int.npy");
  fails(ErrorCode::bad_data, "x.npy", "low.npy", "low.npy");
  fails(ErrorCode::bad_data, "empty.npy", "none.npy", "empty.npy");
}

TEST_CASE("names that mean nothing are refused") {
  for (const char* name : {"", "mnist", "fashion-mnistx", "synthetic-linear:3", "mock-images:0", "mock-images:8,",
                           "mock-images:8,0", "mock-images:8,5x", "mock-images:99999", "mock-images:-8", "npy:a.npy"}) {
    CAPTURE(name);
    check_throws(ErrorCode::invalid_argument, name, [&] { load_data(name); });
  }
}

TEST_CASE("the same name and seed give the same object while somebody holds it") {
  auto first = load_data("mock-images:4,2", 7);
  CHECK(load_data("mock-images:4,2", 7).train == first.train);
  CHECK(load_data("mock-images:4,2", 8).train != first.train);
  const std::weak_ptr<const Dataset> gone = first.train;
  first = {};
  CHECK(gone.expired());
}

TEST_CASE("threads that load at once share one object") {
  const auto load = [] { return load_data("mock-images:32,3", 9).train; };
  auto one = std::async(std::launch::async, load);
  auto other = std::async(std::launch::async, load);
  const auto held = one.get();
  CHECK(held == other.get());
}
