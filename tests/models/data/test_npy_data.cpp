#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "models/data/samples.hpp"
#include "models/files.hpp"
#include "troupe/data.hpp"
#include "troupe/models.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

/// A folder of NumPy files, loaded by names such as "x.npy,y.npy".
struct Files {
  TemporaryFolder folder;

  template <class T>
  void write(const std::string& name, const std::string& type, const std::string& shape, const std::vector<T>& values) {
    write_file(folder / name, npy_bytes(npy_dictionary(type, shape), raw_bytes(values)));
  }
  TrainingData load(const std::string& names) const {
    std::string paths = "npy:";
    for (std::size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
      end = names.find(',', begin);
      const std::string name = names.substr(begin, end - begin);
      paths += (begin > 0 ? "," : "") + (name.ends_with(".npy") ? folder / name : name);
    }
    return load_data(paths);
  }
  void fails(ErrorCode code, const std::string& names, const std::string& what) const {
    CAPTURE(names);
    check_throws(code, what, [&] { load(names); });
  }
};

}  // namespace

TEST_CASE("NumPy files with integer labels are a classification, others a regression") {
  const TemporaryFolder folder;
  write_file(folder / "bytes.npy",
             npy_bytes(npy_dictionary("|u1", "(2, 1, 2)"), raw_bytes<std::uint8_t>({0, 255, 51, 0})));
  write_file(folder / "floats.npy", npy_bytes(npy_dictionary("<f8", "(2, 2)"), raw_bytes<double>({0, 1, 0.25, 3})));
  write_file(folder / "labels.npy", npy_bytes(npy_dictionary("<i8", "(2,)"), raw_bytes<std::int64_t>({4, 0})));
  write_file(folder / "targets.npy", npy_bytes(npy_dictionary("<f4", "(2,)"), raw_bytes<float>({0.5F, -1})));
  write_file(folder / "three.npy", npy_bytes(npy_dictionary("<f8", "(2, 3)"), raw_bytes<double>({1, 2, 3, 4, 5, 6})));
  const auto load = [&](const std::string& x, const std::string& y) {
    return load_data("npy:" + (folder / x) + "," + (folder / y)).train;
  };
  const auto classes = load("bytes.npy", "labels.npy");
  CHECK(classes->info().shape == std::vector<std::int64_t>{1, 2});
  CHECK(classes->info().num_classes == 5);
  CHECK(read_all(*classes).values[2] == doctest::Approx(0.2));
  CHECK(read_all(*classes).labels == std::vector<std::int32_t>{4, 0});
  CHECK(read_all(*load("floats.npy", "labels.npy")).values == std::vector<float>{0, 1, 0.25F, 3});
  CHECK(read_all(*load("floats.npy", "targets.npy")).targets == std::vector<float>{0.5F, -1});
  CHECK(read_all(*load("bytes.npy", "targets.npy")).values[1] == 1);
  const auto several = load("floats.npy", "three.npy");
  CHECK(several->info().num_targets == 3);
  CHECK(read_samples(*several, {1}).targets == std::vector<float>{4, 5, 6});
}

TEST_CASE("NumPy files with mismatched shapes or types are refused") {
  const TemporaryFolder folder;
  write_file(folder / "x.npy", npy_bytes(npy_dictionary("<f4", "(2, 1)"), raw_bytes<float>({0, 1})));
  write_file(folder / "flat.npy", npy_bytes(npy_dictionary("<f4", "(2,)"), raw_bytes<float>({0, 1})));
  write_file(folder / "long.npy", npy_bytes(npy_dictionary("<i4", "(3,)"), raw_bytes<std::int32_t>({0, 1, 2})));
  write_file(folder / "y.npy", npy_bytes(npy_dictionary("<i4", "(2,)"), raw_bytes<std::int32_t>({0, 1})));
  write_file(folder / "low.npy", npy_bytes(npy_dictionary("<i4", "(2,)"), raw_bytes<std::int32_t>({0, -1})));
  write_file(folder / "empty.npy", npy_bytes(npy_dictionary("<f4", "(0, 1)"), ""));
  write_file(folder / "none.npy", npy_bytes(npy_dictionary("<i4", "(0,)"), ""));
  write_file(folder / "cube.npy", npy_bytes(npy_dictionary("<f4", "(2, 1, 1)"), raw_bytes<float>({0, 1})));
  write_file(folder / "nan.npy", npy_bytes(npy_dictionary("<f4", "(2, 1)"), raw_bytes<float>({0, NAN})));
  write_file(folder / "hot.npy", npy_bytes(npy_dictionary("|u1", "(2, 3)"), std::string("\1\0\0\0\0\1", 6)));
  write_file(folder / "inf.npy", npy_bytes(npy_dictionary("<f4", "(2, 1)"), raw_bytes<float>({0, INFINITY})));
  write_file(folder / "deep.npy", npy_bytes(npy_dictionary("<f4", "(2, 1, 1, 1, 1)"), raw_bytes<float>({0, 1})));
  write_file(folder / "scalar.npy", npy_bytes(npy_dictionary("<i4", "()"), raw_bytes<std::int32_t>({0})));
  write_file(folder / "zero.npy", npy_bytes(npy_dictionary("<f4", "(2, 0)"), ""));
  const auto fails = [&](ErrorCode code, const std::string& x, const std::string& y, const std::string& what) {
    check_throws(code, what, [&] { load_data("npy:" + (folder / x) + "," + (folder / y)); });
  };
  fails(ErrorCode::bad_file, "x.npy", "long.npy", "long.npy");
  fails(ErrorCode::bad_file, "x.npy", "cube.npy", "expected (samples) or (samples, targets)");
  fails(ErrorCode::bad_file, "x.npy", "hot.npy", "for one-hot labels, save labels.argmax(1)");
  fails(ErrorCode::bad_data, "inf.npy", "y.npy", "value inf of sample 1");
  fails(ErrorCode::bad_file, "deep.npy", "y.npy", "(2, 1, 1, 1, 1); expected (samples, features)");
  fails(ErrorCode::bad_file, "x.npy", "scalar.npy", "scalar.npy");
  fails(ErrorCode::bad_file, "x.npy", "cube.npy", "cube.npy");
  fails(ErrorCode::bad_data, "x.npy", "nan.npy", "target nan of sample 1");
  fails(ErrorCode::bad_data, "x.npy", "zero.npy", "0 targets");
  fails(ErrorCode::bad_file, "flat.npy", "y.npy", "flat.npy");
  fails(ErrorCode::bad_data, "x.npy", "low.npy", "low.npy");
  fails(ErrorCode::bad_data, "empty.npy", "none.npy", "empty.npy");
}

TEST_CASE("the error about a label that is not a class names the sample") {
  Files files;
  files.write<float>("x.npy", "<f4", "(3, 1)", {0, 1, 2});
  files.write<std::int32_t>("low.npy", "<i4", "(3,)", {0, 1, -1});
  files.write<std::int32_t>("high.npy", "<i4", "(3,)", {0, 2'000'000'000, 1});
  files.write<std::int32_t>("over.npy", "<i4", "(3,)", {0, 1, 100'000});
  files.write<std::int32_t>("last.npy", "<i4", "(3,)", {0, 1, 99'999});
  files.write<std::uint64_t>("large.npy", "<u8", "(3,)", {UINT64_MAX, 0, 1});
  files.fails(ErrorCode::bad_data, "x.npy,low.npy", "label -1 of sample 2 is not a class: classes are 0 to 99999");
  files.fails(ErrorCode::bad_data, "x.npy,low.npy", "low.npy");
  files.fails(ErrorCode::bad_data, "x.npy,high.npy", "label 2000000000 of sample 1 is not a class");
  files.fails(ErrorCode::bad_data, "x.npy,over.npy", "label 100000 of sample 2");
  files.fails(ErrorCode::bad_data, "x.npy,large.npy", "label 18446744073709551615 of sample 0");
  CHECK(files.load("x.npy,last.npy").train->info().num_classes == 100'000);
}

TEST_CASE("only bytes are scaled, and labels in a column or of type bool are classes") {
  Files files;
  files.write<std::uint8_t>("bytes.npy", "|u1", "(2, 2)", {0, 255, 51, 0});
  files.write<std::int16_t>("shorts.npy", "<i2", "(2, 2)", {0, 255, 51, -7});
  files.write<std::int64_t>("column.npy", "<i8", "(2, 1)", {3, 0});
  files.write<std::uint8_t>("bool.npy", "|b1", "(2,)", {1, 0});
  CHECK(read_all(*files.load("bytes.npy,column.npy").train).values[1] == 1);
  CHECK(read_all(*files.load("shorts.npy,column.npy").train).values == std::vector<float>{0, 255, 51, -7});
  CHECK(read_all(*files.load("shorts.npy,column.npy").train).labels == std::vector<std::int32_t>{3, 0});
  CHECK(files.load("shorts.npy,bool.npy").train->info().num_classes == 2);
}

TEST_CASE("a test set may follow the training set, and the number of classes covers both") {
  Files files;
  files.write<float>("x.npy", "<f4", "(3, 2)", {1, 2, 3, 4, 5, 6});
  files.write<std::int32_t>("y.npy", "<i4", "(3,)", {0, 2, 1});
  files.write<float>("test_x.npy", "<f4", "(1, 2)", {7, 8});
  files.write<std::int32_t>("test_y.npy", "<i4", "(1,)", {4});
  files.write<float>("wide.npy", "<f4", "(1, 3)", {7, 8, 9});
  files.write<float>("target.npy", "<f4", "(1,)", {4});
  files.write<float>("targets.npy", "<f4", "(3, 2)", {1, 2, 3, 4, 5, 6});
  const TrainingData data = files.load("x.npy,y.npy,test_x.npy,test_y.npy");
  CHECK(data.train->info().num_classes == 5);
  CHECK(data.test->info().num_classes == 5);
  CHECK(read_all(*data.test).values == std::vector<float>{7, 8});
  CHECK(read_all(*data.test).labels == std::vector<std::int32_t>{4});
  files.fails(ErrorCode::bad_file, "x.npy,y.npy,wide.npy,test_y.npy", "the samples have shape (3,), but those of");
  files.fails(ErrorCode::bad_file, "x.npy,y.npy,wide.npy,test_y.npy", "wide.npy");
  files.fails(ErrorCode::bad_file, "x.npy,y.npy,test_x.npy,target.npy", "the labels are floats");
  files.fails(ErrorCode::bad_file, "x.npy,targets.npy,test_x.npy,target.npy",
              "the number of targets per sample differs");
}

TEST_CASE("channels-last images are recognized by their shape or by the option layout") {
  Files files;
  std::vector<std::uint8_t> wide(2 * 5 * 2 * 3);
  for (std::size_t i = 0; i < wide.size(); ++i) wide[i] = static_cast<std::uint8_t>(i);
  files.write("wide.npy", "|u1", "(2, 5, 2, 3)", wide);
  files.write("floats.npy", "<f8", "(2, 5, 2, 3)", std::vector<double>(wide.begin(), wide.end()));
  files.write<float>("small.npy", "<f4", "(2, 2, 1, 3)", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  files.write<float>("flat.npy", "<f4", "(2, 1)", {1, 2});
  files.write<std::int32_t>("y.npy", "<i4", "(2,)", {0, 1});
  const auto shape = [&](const std::string& names) { return files.load(names).train->info().shape; };
  using Shape = std::vector<std::int64_t>;
  CHECK(shape("wide.npy,y.npy") == Shape{3, 5, 2});
  CHECK(shape("wide.npy,y.npy,layout=nhwc") == Shape{3, 5, 2});
  CHECK(shape("wide.npy,y.npy,layout=nchw") == Shape{5, 2, 3});
  CHECK(shape("small.npy,y.npy") == Shape{2, 1, 3});
  CHECK(shape("layout=nhwc,small.npy,y.npy") == Shape{3, 2, 1});
  CHECK(read_samples(*files.load("small.npy,y.npy,layout=nhwc").train, {1}).values ==
        std::vector<float>{7, 10, 8, 11, 9, 12});
  // Channel c of pixel p of the second picture.
  const auto bytes = read_samples(*files.load("wide.npy,y.npy").train, {1}).values;
  const auto floats = read_samples(*files.load("floats.npy,y.npy").train, {1}).values;
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t p = 0; p < 10; ++p) {
      CHECK(floats[c * 10 + p] == static_cast<float>(30 + p * 3 + c));
      CHECK(bytes[c * 10 + p] == doctest::Approx(floats[c * 10 + p] / 255));
    }
  files.fails(ErrorCode::bad_file, "flat.npy,y.npy,layout=nhwc", "flat.npy");
}

TEST_CASE("the error about data that does not fit a network names the files") {
  Files files;
  files.write<float>("x.npy", "<f4", "(2, 1, 2, 2)", {1, 2, 3, 4, 5, 6, 7, 8});
  files.write<std::int32_t>("y.npy", "<i4", "(2,)", {0, 12});
  files.write<float>("t.npy", "<f4", "(2,)", {0.5, 12});
  const auto of = [&](const std::string& names, const std::vector<models::Layer>& layers,
                      std::shared_ptr<const Loss> loss = nullptr) {
    return [&files, names, layers, loss] {
      const auto model = models::network(layers, files.load(names), 2, loss);
      model->start({.shards = {0}});
      std::vector<float> weights(model->info().size);
      std::vector<float> gradient(weights.size());
      model->gradient({}, weights, gradient);
    };
  };
  using namespace models;
  const std::vector<Layer> ten{flatten(), linear(10)};
  check_throws(ErrorCode::invalid_argument, "has the output shape 10, but the loss needs 13", of("x.npy,y.npy", ten));
  check_throws(ErrorCode::invalid_argument, "y.npy (labels up to 12) and ", of("x.npy,y.npy", ten));
  check_throws(ErrorCode::invalid_argument, "x.npy (2, 1, 2, 2)",
               of("x.npy,y.npy", {conv2d(2, {.kernel = 5}), flatten(), linear(13)}));
  check_throws(ErrorCode::invalid_argument, "t.npy",
               of("x.npy,t.npy", {flatten(), linear(1)}, losses::softmax_cross_entropy()));
  check_throws(ErrorCode::bad_data, "t.npy",
               of("x.npy,t.npy", {flatten(), linear(1)}, losses::sigmoid_cross_entropy()));
}

TEST_CASE("names without valid NumPy files are refused") {
  for (const char* name :
       {"npy:a.npy", "npy:a.npy,b.npy,c.npy", "npy:a.npy,", "npy:,b.npy", "npy:layout=nchw", "npy:a,b,c,d,e"}) {
    CAPTURE(name);
    check_throws(ErrorCode::invalid_argument, name, [&] { load_data(name); });
  }
  check_throws(ErrorCode::invalid_argument, "layout=hwc must be nchw or nhwc",
               [] { load_data("npy:a.npy,b.npy,layout=hwc"); });
}
