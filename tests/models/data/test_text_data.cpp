#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "models/data/samples.hpp"
#include "models/files.hpp"
#include "troupe/data.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

/// A text file and the data that is made from it.
struct Text {
  TemporaryFolder folder;

  explicit Text(const std::string& text) { write_file(folder / "text", text); }
  TrainingData load(const std::string& options) const { return load_data("text:" + (folder / "text") + options); }
  void fails(ErrorCode code, const std::string& what, const std::string& options = "") const {
    check_throws(code, what, [&] { load(options); });
  }
};

/// Returns each window and the symbol after it, spelled with the names of the symbols.
std::vector<std::string> windows_of(const DataSource& data) {
  const Samples all = read_all(data);
  const auto& names = data.info().class_names;
  std::vector<std::string> windows;
  auto value = all.values.begin();
  for (const std::int32_t label : all.labels) {
    std::string window;
    for (std::int64_t place = 0; place < data.info().shape.at(0); ++place, value += std::ssize(names)) {
      const auto end = value + std::ssize(names);
      CHECK(std::count(value, end, 1.0F) == 1);
      CHECK(std::count(value, end, 0.0F) == std::ssize(names) - 1);
      window += names.at(static_cast<std::size_t>(std::find(value, end, 1.0F) - value));
    }
    windows.push_back(window + ">" + names.at(static_cast<std::size_t>(label)));
  }
  return windows;
}

using Windows = std::vector<std::string>;

}  // namespace

TEST_CASE("samples of a text are windows, and the class of a window is the next symbol") {
  const Text text("abcab\n");
  const auto data = text.load(",window=3").train;
  CHECK(data->info().class_names == std::vector<std::string>{"U+000A", "a", "b", "c"});
  CHECK(data->info().shape == std::vector<std::int64_t>{3, 4});
  CHECK(windows_of(*data) == Windows{"abc>a", "bca>b", "cab>U+000A"});
  CHECK(windows_of(*text.load(",window=2,stride=3").train) == Windows{"ab>c", "ab>U+000A"});
  CHECK(windows_of(*text.load(",window=5").train) == Windows{"abcab>U+000A"});
  text.fails(ErrorCode::bad_data, "6 symbols are too few for one window", ",window=6");
  text.fails(ErrorCode::bad_data, "text", "");
  text.fails(ErrorCode::invalid_argument, "text: window=0 is not an integer", ",window=0");
  text.fails(ErrorCode::invalid_argument, "must be bytes or characters", ",symbols=words");
  check_throws(ErrorCode::bad_file, "/nowhere", [] { load_data("text:/nowhere"); });
}

TEST_CASE("with symbols=characters a symbol is a UTF-8 character, and with symbols=bytes a byte") {
  const Text text("a\xc3\xa4\xe2\x82\xac\xf0\x9f\x99\x82 ");
  CHECK(windows_of(*text.load(",window=2").train) == Windows{"a\xc3\xa4>\xe2\x82\xac",
                                                             "\xc3\xa4\xe2\x82\xac>\xf0\x9f\x99\x82",
                                                             "\xe2\x82\xac\xf0\x9f\x99\x82>U+0020"});
  CHECK(windows_of(*text.load(",window=2,symbols=bytes,stride=8").train) == Windows{"a0xC3>0xA4", "0x990x82>0x20"});
  const Text broken("ab\xc3(cd");
  broken.fails(ErrorCode::bad_file, "byte 2 is not valid UTF-8", ",window=2");
  CHECK(broken.load(",window=2,symbols=bytes").train->info().num_samples == 4);
  const Text cut("abc\xe2\x82");
  cut.fails(ErrorCode::bad_file, "byte 3 is not valid UTF-8", ",window=2");
}

TEST_CASE("windows of a long text are correct at every position") {
  std::string text;
  std::vector<std::string> letters;
  for (int i = 0; i < 5000; ++i)
    letters.emplace_back(i % 3 == 0 ? "a" : i % 7 == 0 ? "\xc3\xa4" : i % 5 == 0 ? "\xe2\x82\xac" : "b");
  for (const std::string& letter : letters) text += letter;
  const auto windows = windows_of(*Text(text).load(",window=4").train);
  REQUIRE(windows.size() == 4996);
  for (std::size_t i = 0; i < windows.size(); ++i)
    CHECK(windows[i] == letters[i] + letters[i + 1] + letters[i + 2] + letters[i + 3] + ">" + letters[i + 4]);
}

TEST_CASE("several texts share one vocabulary, the test text uses it too, and no window spans two texts") {
  const Text text("abab");
  write_file(text.folder / "text-2", "cdc");
  write_file(text.folder / "test", "dab");
  write_file(text.folder / "other", "dax");
  const std::string options = "," + (text.folder / "text-*") + ",window=2,test=";
  const TrainingData data = text.load(options + (text.folder / "test"));
  CHECK(windows_of(*data.train) == Windows{"ab>a", "ba>b", "cd>c"});
  CHECK(windows_of(*data.test) == Windows{"da>b"});
  text.fails(ErrorCode::bad_data, "the training text does not contain x", options + (text.folder / "other"));
  const auto train = data.train;
  write_file(text.folder / "text", "abax");
  check_throws(ErrorCode::bad_file, "changed", [&] { read_all(*train); });
}

TEST_CASE("a text for a network that was trained on another text uses the vocabulary of the network") {
  const TemporaryFolder folder;
  write_file(folder / "old", "abcabd");
  write_file(folder / "new", "bbcab");
  write_file(folder / "strange", "abzcz");
  const DataInfo trained = load_data("text:" + folder / "old" + ",window=2").train->info();
  const auto data = load_data("text:" + folder / "new" + ",window=2", trained).train;
  CHECK(data->info().shape == std::vector<std::int64_t>{2, 4});
  CHECK(data->info().class_names == trained.class_names);
  CHECK(read_all(*data).labels == std::vector<std::int32_t>{2, 0, 1});
  check_throws(ErrorCode::bad_data, "the training text does not contain z; use unseen=zero",
               [&] { load_data("text:" + folder / "strange" + ",window=2", trained); });
  const auto zeros = load_data("text:" + folder / "strange" + ",window=2,unseen=zero", trained).train;
  CHECK(zeros->info().lacks);
  std::vector<float> values(24);
  std::vector<std::int32_t> labels(3);
  std::vector<std::uint8_t> holes(3);
  const std::vector<std::int64_t> numbers{0, 1, 2};
  zeros->fill({.samples = numbers, .values = values, .labels = labels, .targets = {}, .holes = holes});
  CHECK(holes == std::vector<std::uint8_t>{1, 0, 1});  // an unknown letter is not a class
  CHECK(std::vector<float>(values.begin() + 8, values.begin() + 16) == std::vector<float>{0, 1, 0, 0, 0, 0, 0, 0});
}
