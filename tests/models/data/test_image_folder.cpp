#include <doctest/doctest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "models/data/samples.hpp"
#include "models/files.hpp"
#include "models/files/images/image.hpp"
#include "support/image_bytes.hpp"
#include "troupe/batches.hpp"
#include "troupe/pipeline.hpp"
#include "troupe/transform.hpp"

using namespace troupe;
using namespace troupe::testing;
using troupe_test::jpeg_bytes;
using troupe_test::png_bytes;

namespace {

std::string grey(unsigned width, unsigned height, int value) {
  return png_bytes(std::string(std::size_t{width} * height, static_cast<char>(value)), width, height, 1);
}

/// A folder with one subfolder for each class.
struct Classes {
  TemporaryFolder folder;

  void write(const std::string& file, const std::string& bytes) const {
    const std::filesystem::path path = folder / file;
    std::filesystem::create_directories(path.parent_path());
    write_file(path, bytes);
  }
  TrainingData load(const std::string& rest = "") const { return load_data("images:" + folder / "train" + rest); }
  void fails(ErrorCode code, const std::string& rest, const std::string& what) const {
    CAPTURE(rest);
    check_throws(code, what, [&] { load(rest); });
  }
};

}  // namespace

TEST_CASE("each folder is a class, and its images are sorted by name") {
  const Classes images;
  images.write("train/dog/b.png", grey(2, 2, 51));
  images.write("train/dog/a.PNG", grey(2, 2, 255));
  images.write("train/cat/x.png", grey(2, 2, 0));
  images.write("train/cat/notes.txt", "no image");
  images.write("train/.hidden/x.png", grey(2, 2, 0));
  images.write("test/dog/y.png", grey(2, 2, 102));
  const auto data = images.load(",channels=1,test=" + images.folder / "test");
  CHECK(data.train->info().class_names == std::vector<std::string>{"cat", "dog"});
  CHECK(data.train->info().shape == std::vector<std::int64_t>{1, 2, 2});
  const Samples samples = read_all(*data.train);
  CHECK(samples.labels == std::vector<std::int32_t>{0, 1, 1});
  CHECK(samples.values[0] == 0);
  CHECK(samples.values[4] == doctest::Approx(1));
  CHECK(samples.values[8] == doctest::Approx(0.2));
  CHECK(read_all(*data.test).labels == std::vector<std::int32_t>{1});
  CHECK(read_all(*data.test).values[3] == doctest::Approx(0.4));
}

TEST_CASE("images of any size are cropped to the centre with the wanted proportions and scaled") {
  const Classes images;
  std::string wide;  // columns of 0, 0, 200, 200, 0, 0
  for (int y = 0; y < 2; ++y)
    for (const int value : {0, 0, 200, 200, 0, 0}) wide += static_cast<char>(value);
  images.write("train/a/wide.png", png_bytes(wide, 6, 2, 1));
  images.write("train/b/tall.jpg", jpeg_bytes(std::string(std::size_t{80} * 240 * 3, '\x64'), 80, 240, 3));
  const auto squares = images.load(",size=2").train;
  CHECK(squares->info().shape == std::vector<std::int64_t>{3, 2, 2});
  const Samples samples = read_all(*squares);
  for (std::size_t i = 0; i < 12; ++i) CHECK(samples.values[i] == doctest::Approx(200.0 / 255));
  for (std::size_t i = 12; i < 24; ++i) CHECK(samples.values[i] == doctest::Approx(100.0 / 255).epsilon(0.02));
  CHECK(images.load(",size=3x5").train->info().shape == std::vector<std::int64_t>{3, 3, 5});
  CHECK(images.load().train->info().shape == std::vector<std::int64_t>{3, 2, 6});
}

TEST_CASE("a JPEG for a small target size is decoded at a fraction of its size") {
  const std::string file = jpeg_bytes(std::string(std::size_t{64} * 64, '\x40'), 64, 64);
  const auto width = [&](std::int64_t side) {
    return decode_image("x", std::as_bytes(std::span(file)), {.channels = 1, .height = side, .width = side}).width;
  };
  CHECK(width(0) == 64);
  CHECK(width(64) == 64);
  CHECK(width(33) == 64);
  CHECK(width(32) == 32);
  CHECK(width(9) == 16);
  CHECK(width(8) == 8);
  CHECK(width(1) == 8);
}

TEST_CASE("an image that is written as PNG and read again is unchanged") {
  for (const std::int64_t channels : {1, 3}) {
    Image image{.width = 5, .height = 3, .channels = channels, .bytes = {}};
    for (std::int64_t i = 0; i < 15 * channels; ++i) image.bytes.push_back(static_cast<std::uint8_t>(i * 37));
    const Image again = decode_image("x", png_of(image), {.channels = channels});
    CHECK(again.width == 5);
    CHECK(again.height == 3);
    CHECK(again.bytes == image.bytes);
  }
}

TEST_CASE("for a network trained earlier, classes keep their numbers and images get the trained size") {
  const Classes classes;
  for (const char* const name : {"b", "c"}) classes.write(std::string("train/") + name + "/1.png", grey(9, 9, 80));
  DataInfo trained{.shape = {3, 4, 6}, .num_classes = 3, .class_names = {"a", "b", "c"}};
  const std::string data = "images:" + classes.folder / "train";
  const TrainingData like = load_data(data, trained);
  CHECK(like.train->info().class_names == trained.class_names);
  CHECK(like.train->info().shape == trained.shape);
  const auto labels = like.train->known_labels();
  CHECK(std::vector<std::int32_t>(labels.begin(), labels.end()) == std::vector<std::int32_t>{1, 2});
  CHECK(load_data(data + ",size=5", trained).train->info().shape == std::vector<std::int64_t>{3, 5, 5});
  CHECK(load_data(data).train->info().num_classes == 2);
  trained.transforms = "crop 2";
  trained.shape = {3, 2, 2};
  trained.source_shape = {3, 7, 7};
  CHECK(load_data(data, trained).train->info().shape == trained.source_shape);
  trained.class_names = {"b"};
  check_throws(ErrorCode::bad_file, "class 'c' is not among the classes that the network was trained on",
               [&] { load_data(data, trained); });
}

TEST_CASE("errors about a folder of images explain the problem") {
  const Classes images;
  images.fails(ErrorCode::bad_file, "", "cannot list the folder");
  images.write("train/image.png", grey(2, 2, 1));
  images.fails(ErrorCode::bad_file, "", "into a subfolder");
  images.write("train/a/x.png", grey(2, 2, 1));
  images.write("test/b/x.png", grey(2, 2, 1));
  images.fails(ErrorCode::bad_file, ",test=" + images.folder / "test",
               "class 'b' is not among the classes of the training set");
  images.fails(ErrorCode::invalid_argument, ",size=0", "must be SIDE or HEIGHTxWIDTH");
  images.fails(ErrorCode::invalid_argument, ",size=2x", "must be SIDE or HEIGHTxWIDTH");
  images.fails(ErrorCode::invalid_argument, ",channels=2", "must be 1 or 3");
  images.fails(ErrorCode::invalid_argument, ",sise=2", "did you mean 'size'");
  images.fails(ErrorCode::invalid_argument, ",other", "does not have the form images:DIR");
  images.write("train/a/y.png", "damaged");
  const auto data = images.load();
  check_throws(ErrorCode::bad_file, "train/a/y.png", [&] { read_all(*data.train); });
  std::filesystem::remove(images.folder / "train/a/x.png");
  check_throws(ErrorCode::bad_file, "train/a/x.png", [&] { read_samples(*data.train, {0}); });
}

TEST_CASE("an entry with an image's name that is no readable file is an error, or is left out with damaged=skip") {
  const Classes images;
  images.write("train/a/1.png", grey(1, 1, 10));
  images.write("kept/away.png", grey(1, 1, 20));
  std::filesystem::create_symlink(images.folder / "kept/away.png", images.folder / "train/a/2.png");
  CHECK(images.load().train->info().num_samples == 2);
  const std::string added = images.folder / "train/a/3.png";
  const auto is_told = [&] {
    images.fails(ErrorCode::bad_file, "", "train/a/3.png");
    const auto batches = dataset_batches({images.load(",channels=1,damaged=skip").train}, 3);
    CHECK(batches->training_batch({}).left_out == 1);
    std::filesystem::remove(added);
  };
  std::filesystem::create_symlink("/nonexistent", added);
  is_told();
  std::filesystem::create_directory(added);
  is_told();
  REQUIRE(::mkfifo(added.c_str(), 0600) == 0);
  is_told();
  CHECK(images.load().train->info().num_samples == 2);
}

TEST_CASE("with damaged=skip, damaged images are left out and all other samples keep their numbers") {
  const Classes images;
  for (int i = 0; i < 6; ++i)
    images.write("train/" + std::string(i % 2 == 0 ? "a/" : "b/") + std::to_string(i) + ".png", grey(1, 1, 10 * i));
  images.write("train/a/2.png", "damaged");
  images.fails(ErrorCode::invalid_argument, ",damaged=perhaps", "images: damaged=perhaps must be skip");
  const TrainingData data = images.load(",channels=1,damaged=skip");
  check_throws(ErrorCode::bad_file, "a/2.png", [&] { read_all(*data.train); });  // read_all cannot report holes
  const auto batches = dataset_batches({data.train, data.train}, 4);
  std::int64_t left_out = 0;
  std::vector<std::int64_t> seen;
  for (std::int64_t step = 0; step < 2; ++step) {
    const Batch batch = batches->training_batch({.step = step, .seed = 3});
    CHECK(batch.size + batch.left_out == (step == 0 ? 4 : 2));
    CHECK(std::ssize(batch.values) == batch.size);
    left_out += batch.left_out;
    for (std::size_t i = 0; i < batch.values.size(); ++i) {
      const auto number = static_cast<int>(std::lround(batch.values[i] * 255 / 10));
      CHECK(batch.labels[i] == number % 2);
      CHECK(batch.numbers[i] == number / 2 + 3 * (number % 2));
      seen.push_back(number);
    }
  }
  CHECK(left_out == 1);
  std::ranges::sort(seen);
  CHECK(seen == std::vector<std::int64_t>{0, 1, 3, 4, 5});
  CHECK(batches->test_batch({}, 0).size == 5);
  const auto changed = data::map(data.train, {1}, [](const data::SampleView& from, std::span<float> to) {
    REQUIRE(from.number != 1);  // the hole
    to[0] = from.values[0];
  });
  CHECK(dataset_batches({changed}, 6)->training_batch({}).left_out == 1);
  CHECK(dataset_batches({data::window(data.train, 2)}, 5)->training_batch({}).left_out == 2);
  CHECK(dataset_batches({data::concat({data.train, data.train})}, 12)->training_batch({}).left_out == 2);
  CHECK(data::filter(data.train, [](const data::SampleView&) { return true; })->info().num_samples == 5);
  CHECK(dataset_batches(data::transform(data, "normalise"), 6)->training_batch({}).size == 5);
}
