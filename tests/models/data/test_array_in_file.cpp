#include <doctest/doctest.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "models/data/limited_data_memory.hpp"
#include "models/data/samples.hpp"
#include "models/files.hpp"
#include "troupe/data.hpp"

using namespace troupe;
using namespace troupe::testing;

// Arrays that are too large for memory and are read from their files.
namespace {

/// A folder with x.npy and y.npy.
struct FiledArrays {
  TemporaryFolder folder;

  template <class T>
  std::string write(const std::string& name, const std::string& type, const std::string& shape,
                    const std::vector<T>& values) {
    write_file(folder / name, npy_bytes(npy_dictionary(type, shape), raw_bytes(values)));
    return folder / name;
  }
  std::string name(const std::string& x, const std::string& y) const {
    return "npy:" + (folder / x) + "," + (folder / y);
  }
};

/// Checks that samples read from files equal samples read from memory.
void check_same(const std::string& name) {
  CAPTURE(name);
  const Samples in_memory = read_all(*load_data(name).train);
  const DataInfo info = load_data(name).train->info();
  CHECK_FALSE(info.slow);
  const LimitedDataMemory small(1);
  const auto in_file = load_data(name).train;
  CHECK(in_file->info().slow);
  CHECK(in_file->info().shape == info.shape);
  CHECK(in_file->info().num_classes == info.num_classes);
  CHECK(in_file->info().num_targets == info.num_targets);
  CHECK(in_file->info().byte_scale == info.byte_scale);
  CHECK(in_file->info().origin == info.origin);
  const Samples read = read_all(*in_file);
  CHECK(read.values == in_memory.values);
  CHECK(read.labels == in_memory.labels);
  CHECK(read.targets == in_memory.targets);
}

}  // namespace

TEST_CASE("samples read from files equal samples read from memory, for all types and layouts") {
  FiledArrays files;
  files.write<std::int64_t>("classes.npy", "<i8", "(3,)", {2, 0, 1});
  files.write<float>("targets.npy", "<f4", "(3, 2)", {1, 2, 3, 4, 5, 6});
  files.write<std::uint8_t>("bytes.npy", "|u1", "(3, 2)", {0, 255, 51, 7, 8, 9});
  files.write<float>("floats.npy", "<f4", "(3, 2)", {0, -1.5F, 1e30F, 4, 5, 6});
  files.write<double>("doubles.npy", "<f8", "(3, 2)", {0, -1.5, 0.1, 4, 5, 6});
  files.write<std::uint8_t>("big.npy", ">i2", "(3, 2)", {0, 1, 1, 0, 255, 255, 0, 2, 0, 3, 0, 4});
  std::vector<std::uint8_t> pixels(3 * 5 * 6 * 3);
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<std::uint8_t>(i);
  files.write("pixels.npy", "|u1", "(3, 5, 6, 3)", pixels);
  for (const char* samples : {"bytes.npy", "floats.npy", "doubles.npy", "big.npy", "pixels.npy"})
    for (const char* labels : {"classes.npy", "targets.npy"}) check_same(files.name(samples, labels));
  check_same(files.name("pixels.npy", "classes.npy") + ",layout=nchw");
}

TEST_CASE("several files form one data set in the order of their names, in memory or not") {
  FiledArrays files;
  files.write<float>("x-1.npy", "<f4", "(2, 1)", {1, 2});
  files.write<float>("x-2.npy", "<f4", "(1, 1)", {3});
  files.write<std::int32_t>("y-1.npy", "<i4", "(2,)", {0, 1});
  files.write<std::int32_t>("y-2.npy", "<i4", "(1,)", {4});
  files.write<std::int32_t>("y-3.npy", "<i4", "(1,)", {4});
  files.write<float>("wide-1.npy", "<f4", "(2, 1)", {1, 2});
  files.write<float>("wide-2.npy", "<f4", "(1, 2)", {3, 4});
  const std::string name = files.name("x-*.npy", "y-[12].npy");
  const auto check = [&] {
    const auto train = load_data(name).train;
    CHECK(train->info().num_classes == 5);
    CHECK(read_all(*train).values == std::vector<float>{1, 2, 3});
    CHECK(read_all(*train).labels == std::vector<std::int32_t>{0, 1, 4});
  };
  check();
  check_throws(ErrorCode::invalid_argument, "2 files of samples but 3 files of labels",
               [&] { load_data(files.name("x-*.npy", "y-*.npy")); });
  check_throws(ErrorCode::bad_file, "wide-2.npy", [&] { load_data(files.name("wide-*.npy", "y-[12].npy")); });
  check_throws(ErrorCode::bad_file, "none-*", [&] { load_data(files.name("none-*", "y-1.npy")); });
  const LimitedDataMemory small(1);
  check();
}

TEST_CASE("a file that changes while its samples are read causes an error that names the file") {
  FiledArrays files;
  const std::string path = files.write<float>("x.npy", "<f4", "(2, 2)", {1, 2, NAN, 4});
  files.write<float>("y.npy", "<f4", "(2,)", {1, 2});
  const LimitedDataMemory small(1);
  const auto data = load_data(files.name("x.npy", "y.npy")).train;
  CHECK(read_samples(*data, {0}).values == std::vector<float>{1, 2});
  check_throws(ErrorCode::bad_data, "value nan of sample 1", [&] { read_samples(*data, {1}); });
  check_throws(ErrorCode::bad_data, "x.npy", [&] { read_samples(*data, {1}); });
  const std::string bytes = read_file(path);
  SUBCASE("shorter") {
    std::filesystem::resize_file(path, bytes.size() - 8);
    check_throws(ErrorCode::bad_file, "x.npy", [&] { read_samples(*data, {0}); });
  }
  SUBCASE("changed bytes of the same length") {
    write_file(path, bytes);
    std::filesystem::last_write_time(path, std::filesystem::last_write_time(path) + std::chrono::seconds(1));
    check_throws(ErrorCode::bad_file, "changed since it was opened", [&] { read_samples(*data, {0}); });
  }
  SUBCASE("a removed file stays readable for a reader that has it open") {
    std::filesystem::remove(path);
    CHECK(read_samples(*data, {0}).values == std::vector<float>{1, 2});
  }
}
