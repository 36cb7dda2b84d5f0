#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "models/data/limited_data_memory.hpp"
#include "models/data/samples.hpp"
#include "models/files.hpp"
#include "support/tar_bytes.hpp"
#include "troupe/data.hpp"

using namespace troupe;
using namespace troupe::testing;
using troupe_test::TarFiles;
using troupe_test::write_zip;

namespace {

/// Arrays as numpy.savez writes them.
struct Npz {
  TemporaryFolder folder;
  TarFiles arrays;

  template <class T>
  void add(const std::string& name, const std::string& type, const std::string& shape, const std::vector<T>& values) {
    arrays.emplace_back(name + ".npy", npy_bytes(npy_dictionary(type, shape), raw_bytes(values)));
  }
  TrainingData load(const std::string& options = "", const char* compression = "store") const {
    write_zip(folder / "data.npz", arrays, compression);
    return load_data("npz:" + (folder / "data.npz") + options);
  }
  void fails(ErrorCode code, const std::string& what, const std::string& options = "") const {
    CAPTURE(options);
    check_throws(code, what, [&] { load(options); });
  }
};

}  // namespace

TEST_CASE("arrays of an npz file are found by their usual names or by the names in the options") {
  for (const char* compression : {"store", "deflate"}) {
    Npz npz;
    npz.add<float>("x_train", "<f4", "(2, 2)", {1, 2, 3, 4});
    npz.add<std::int64_t>("y_train", "<i8", "(2,)", {1, 0});
    npz.add<float>("x_test", "<f4", "(1, 2)", {5, 6});
    npz.add<std::int64_t>("y_test", "<i8", "(1,)", {2});
    npz.add<float>("other", "<f4", "(2,)", {0.5F, 0.25F});
    const TrainingData usual = npz.load("", compression);
    CHECK(usual.train->info().num_classes == 3);
    CHECK(read_all(*usual.train).values == std::vector<float>{1, 2, 3, 4});
    CHECK(read_all(*usual.train).labels == std::vector<std::int32_t>{1, 0});
    CHECK(read_all(*usual.test).values == std::vector<float>{5, 6});
    const TrainingData told = npz.load(",x=x_train,y=other", compression);
    CHECK(read_all(*told.train).targets == std::vector<float>{0.5F, 0.25F});
    CHECK_FALSE(told.test);
    npz.fails(ErrorCode::bad_file, "the file has no array 'z'", ",x=z,y=other");
    npz.fails(ErrorCode::invalid_argument, "x= and y= must be used together", ",x=other");
    npz.fails(ErrorCode::invalid_argument, "test_x= needs x= and y=", ",test_x=a,test_y=b");
    npz.fails(ErrorCode::bad_file, "data.npz:x_test", ",x=x_train,y=x_test");
  }
}

TEST_CASE("one array of an npz file may be used for training and test") {
  Npz npz;
  npz.add<float>("x", "<f4", "(2, 1)", {1, 2});
  npz.add<std::int64_t>("y", "<i8", "(2,)", {1, 0});
  const TrainingData data = npz.load(",x=x,y=y,test_x=x,test_y=y");
  CHECK(read_all(*data.train).values == read_all(*data.test).values);
  CHECK(read_all(*data.train).labels == read_all(*data.test).labels);
}

TEST_CASE("npz files that are invalid, damaged or too large are refused") {
  Npz npz;
  npz.add<float>("a", "<f4", "(2, 2)", {1, 2, 3, 4});
  npz.fails(ErrorCode::bad_file, "select the arrays of samples and labels with x=NAME and y=NAME; the file contains a");
  npz.arrays.emplace_back("b.npy", "no array");
  npz.fails(ErrorCode::bad_file, "data.npz:b");
  npz.arrays = {{"notes.txt", "text"}};
  npz.fails(ErrorCode::bad_file, "the file contains no array");
  check_throws(ErrorCode::bad_file, "/nowhere.npz", [] { load_data("npz:/nowhere.npz"); });
  npz.arrays.clear();
  npz.add<float>("x", "<f4", "(1000, 100)", std::vector<float>(100'000));
  npz.add<float>("y", "<f4", "(1000,)", std::vector<float>(1000));
  {
    const LimitedDataMemory small(100'000);
    check_throws(ErrorCode::limit_reached, "the array needs 4000", [&] { npz.load("", "deflate"); });  // a small file
  }
  npz.load("", "deflate");
  const std::string whole = read_file(npz.folder / "data.npz");
  for (std::size_t size = 0; size < 600; size += 7) {
    CAPTURE(size);
    write_file(npz.folder / "data.npz", whole.substr(0, size));
    check_throws(ErrorCode::bad_file, "data.npz", [&] { load_data("npz:" + (npz.folder / "data.npz")); });
  }
}
