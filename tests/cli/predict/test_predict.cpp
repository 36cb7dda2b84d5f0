#include <doctest/doctest.h>
#include <zlib.h>

#include <cstring>

#include "cli/run_program.hpp"
#include "cli/small_data.hpp"
#include "support/image_bytes.hpp"

using namespace troupe_test;
using namespace troupe::testing;

namespace {

constexpr int kSide = 28;
constexpr std::size_t kPixels = std::size_t{kSide} * kSide;

std::string test_image(std::size_t number) { return image_bytes(20).substr(number * kPixels, kPixels); }

/// A folder with small data and a CNN trained on the data.
struct Trained {
  TemporaryFolder folder;
  std::string data;
  std::string weights;

  Trained() : data("fashion-mnist:" + folder.path().string()), weights(folder / "cnn.safetensors") {
    write_fashion(folder, 100, 20);
    const Finished run = run_program(
        {"train", "--data", data, "--epochs", "3", "--batch-size", "10", "--learning-rate", "0.05", "--save", weights});
    REQUIRE_MESSAGE(run.status == 0, run.err);
  }

  Finished predict(const std::vector<std::string>& arguments) const {
    return run_program(joined({"predict", "--load", weights}, arguments));
  }
  /// Returns the one line that predict prints for an image.
  std::string of_image(const std::string& name, const std::string& bytes) const {
    write_file(folder / name, bytes);
    const Finished run = predict({"--image", folder / name});
    CHECK_MESSAGE(run.status == 0, run.err);
    return run.out;
  }
};

/// @param status 2 for an invalid command line
void check_not_predicted(const Finished& run, const std::string& words, int status = 1) {
  CHECK(run.status == status);
  CHECK_MESSAGE(run.err.find(words) != std::string::npos, run.err);
}

}  // namespace

TEST_CASE("predictions match the accuracy of an evaluation and print number, class, probability and label") {
  const Trained trained;
  const Finished evaluated = run_program({"evaluate", "--data", trained.data, "--load", trained.weights});
  const Finished run = trained.predict({"--data", trained.data});
  REQUIRE_MESSAGE(run.status == 0, run.err);
  const auto lines = lines_of(run.out);
  REQUIRE(lines.size() == 21);
  for (const std::string& line : lines)
    if (&line != &lines.back())
      CHECK_MESSAGE(matches(line, "[0-9]+: class [0-9] \\(.*\\), probability [01]\\.[0-9]{4}, label [0-9] \\(.*\\)"),
                    line);
  CHECK(lines[9].starts_with("9: class "));
  CHECK(lines[9].ends_with("label 9 (Ankle boot)"));
  const std::string accuracy = lines_of(evaluated.out).at(1);
  CHECK(lines.back() == accuracy.substr(std::strlen("test ")) + " of 20 samples");
  CHECK(lines.back() > "accuracy 0.5");  // otherwise all images below would get the same prediction

  const Finished few = trained.predict({"--data", trained.data, "--count", "3", "--pictures"});
  const auto drawn = lines_of(few.out);
  CHECK(drawn.size() == 3 * 15 + 1);
  CHECK(drawn.at(14) == lines[0]);
  CHECK(drawn.at(1).find("█") != std::string::npos);
}

TEST_CASE("predictions are written as a CSV table or an npy array") {
  const Trained trained;
  const Finished printed = trained.predict({"--data", trained.data});
  REQUIRE(trained.predict({"--data", trained.data, "--out", trained.folder / "p.csv"}).status == 0);
  REQUIRE(trained.predict({"--data", trained.data, "--out", trained.folder / "p.npy"}).status == 0);
  const auto rows = lines_of(read_file(trained.folder / "p.csv"));
  REQUIRE(rows.size() == 21);
  CHECK(rows[0] == "sample,class,name,probability,label");
  CHECK(matches(rows[10], "9,[0-9],\".*\",[01]\\.[0-9e-]*,9"));

  const std::string npy = read_file(trained.folder / "p.npy");
  CHECK(npy.find("'shape': (20, 10)") != std::string::npos);
  REQUIRE(npy.size() > 800);
  for (std::size_t sample = 0; sample < 20; ++sample) {
    std::vector<float> row(10);
    std::memcpy(row.data(), npy.data() + npy.size() - 800 + 40 * sample, 40);
    const auto best = std::max_element(row.begin(), row.end());
    const std::string start = std::to_string(sample) + "," + std::to_string(best - row.begin()) + ",";
    CHECK_MESSAGE(rows[sample + 1].starts_with(start), rows[sample + 1], " ", start);
  }
}

TEST_CASE("an image file gets the same prediction as the same sample of the data") {
  const Trained trained;
  const auto lines = lines_of(trained.predict({"--data", trained.data, "--count", "8"}).out);
  const std::string wanted = "0" + lines.at(7).substr(1, lines[7].find(", label") - 1) + "\n";
  const std::string image = test_image(7);
  CHECK(trained.of_image("grey.png", png_bytes(image, kSide, kSide, 1)) == wanted);
  std::string colours;
  for (const char pixel : image) colours += std::string(3, pixel);
  CHECK(trained.of_image("colours.png", png_bytes(colours, kSide, kSide, 3)).substr(0, 10) == wanted.substr(0, 10));
  std::string twice;
  for (int y = 0; y < 2 * kSide; ++y)
    for (int x = 0; x < 2 * kSide; ++x) twice += image[static_cast<std::size_t>(y / 2 * kSide + x / 2)];
  CHECK(trained.of_image("large.png", png_bytes(twice, 2 * kSide, 2 * kSide, 1)).substr(0, 10) == wanted.substr(0, 10));
  CHECK(trained.of_image("grey.jpg", jpeg_bytes(image, kSide, kSide)).substr(0, 10) == wanted.substr(0, 10));
  CHECK(trained.of_image("one.npy", npy_bytes(npy_dictionary("|u1", "(1, 28, 28)"), image)) == wanted);
  const auto two =
      lines_of(trained.of_image("two.npy", npy_bytes(npy_dictionary("|u1", "(2, 1, 28, 28)"), test_image(3) + image)));
  REQUIRE(two.size() == 2);
  CHECK(two[1] + "\n" == "1" + wanted.substr(1));
  // Only bytes are scaled, as in training.
  std::string shorts;
  std::string floats;
  for (const char pixel : image) {
    shorts += {pixel, '\0'};
    const auto number = static_cast<float>(static_cast<unsigned char>(pixel));
    floats.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  CHECK(trained.of_image("short.npy", npy_bytes(npy_dictionary("<i2", "(1, 28, 28)"), shorts)) ==
        trained.of_image("float.npy", npy_bytes(npy_dictionary("<f4", "(1, 28, 28)"), floats)));
}

TEST_CASE("predict refuses invalid input and names it") {
  const Trained trained;
  check_not_predicted(trained.predict({}), "--data or --image", 2);
  check_not_predicted(trained.predict({"--data", "mock-images:28"}), "another shape");
  check_not_predicted(trained.predict({"--data", trained.data, "--out", "p.txt"}), ".csv or .npy", 2);
  check_not_predicted(trained.predict({"--data", trained.data, "--out", "p.csv", "--pictures"}), "--pictures", 2);
  check_not_predicted(trained.predict({"--image", "a.png", "--shape", "3x4x4"}), "not 3x4x4", 2);
  check_not_predicted(trained.predict({"--data", trained.data, "--shape", "28x28"}), "--image", 2);
  check_not_predicted(run_program({"predict", "--load", trained.folder / "none", "--data", trained.data}), "none");
  for (const auto& [name, bytes] :
       {std::pair{"a.png", png_bytes(test_image(0), kSide, kSide, 1).substr(0, 60)},
        std::pair{"a.jpg", jpeg_bytes(test_image(0), kSide, kSide).substr(0, 100)},
        std::pair{"a.gif", std::string("GIF89a")},
        std::pair{"a.npy", npy_bytes(npy_dictionary("|u1", "(1, 2, 2)"), "abcd")},
        std::pair{"nan.npy", npy_bytes(npy_dictionary("<f4", "(1, 28, 28)"),
                                       std::string(kPixels * 4 - 4, '\0') + std::string("\0\0\xc0\x7f", 4))}}) {
    write_file(trained.folder / name, bytes);
    check_not_predicted(trained.predict({"--image", trained.folder / name}), name);
  }
  write_file(trained.folder / "print.jpg", jpeg_bytes(std::string(kPixels * 4, 'c'), kSide, kSide, 4));
  check_not_predicted(trained.predict({"--image", trained.folder / "print.jpg"}), "CMYK");
}

TEST_CASE("a network file of the user is evaluated and trained as the file describes") {
  const TemporaryFolder folder;
  write_fashion(folder, 100, 20);
  const std::string data = "fashion-mnist:" + folder.path().string();
  const std::string weights = folder / "w";
  const auto saved = run_program({"train", "--model", "mlp", "--data", data, "--steps", "5", "--save", weights});
  REQUIRE_MESSAGE(saved.status == 0, saved.err);
  const Finished named = run_program({"evaluate", "--model", "mlp", "--data", data, "--load", weights});
  REQUIRE_MESSAGE(named.status == 0, named.err);
  for (const char* placement : {"in-process", "processes"}) {
    const Finished own = run_program({"evaluate", "--data", data, "--load", weights, "--placement", placement});
    CHECK_MESSAGE(own.out == named.out, own.err);
  }
  const auto on = [&](const std::vector<std::string>& more) {
    const Finished run =
        run_program(joined({"train", "--data", data, "--steps", "5", "--load", weights, "--quiet"}, more));
    CHECK_MESSAGE(run.status == 0, run.err);
    return run.out;
  };
  CHECK(on({}) == on({"--model", "mlp"}));
}

TEST_CASE("rows of a table without a known class are predicted but not evaluated") {
  const TemporaryFolder folder;
  std::string rows = "x,kind\n";
  for (int i = 0; i < 40; ++i) rows += std::to_string(i % 2 == 0 ? i : -i) + (i % 2 == 0 ? ",big\n" : ",small\n");
  write_file(folder / "a.csv", rows);
  write_file(folder / "new.csv", "x\n-17\n12\n");
  const std::string data = "csv:" + (folder / "a.csv");
  const auto train = run_program({"train", "--model", "softmax", "--data", data, "--epochs", "5", "--learning-rate",
                                  "0.1", "--save", folder / "w"});
  REQUIRE_MESSAGE(train.status == 0, train.err);
  const std::string unknown = data + ",test=" + (folder / "new.csv");
  const Finished run = run_program({"predict", "--load", folder / "w", "--data", unknown});
  REQUIRE_MESSAGE(run.status == 0, run.err);
  const auto lines = lines_of(run.out);
  REQUIRE(lines.size() == 2);
  CHECK_MESSAGE(matches(lines[0], "0: class 1 \\(small\\), probability [0-9.]+"), run.out);
  CHECK_MESSAGE(matches(lines[1], "1: class 0 \\(big\\), probability [0-9.]+"), run.out);
  check_not_predicted(run_program({"evaluate", "--load", folder / "w", "--data", unknown}),
                      "it can only be used for predictions");
}

TEST_CASE("a network with several targets prints its outputs") {
  const TemporaryFolder folder;
  const std::string data = write_npy_targets(folder);
  const auto train = run_program({"train", "--model", "mlp", "--data", data, "--loss", "sigmoid-cross-entropy",
                                  "--steps", "5", "--save", folder / "w"});
  REQUIRE_MESSAGE(train.status == 0, train.err);
  const Finished run = run_program({"predict", "--load", folder / "w", "--data", data, "--count", "2"});
  REQUIRE_MESSAGE(run.status == 0, run.err);
  CHECK_MESSAGE(matches(lines_of(run.out).at(0), "0:( [0-9.e-]+){3}, target( [0-9.e-]+){3}"), run.out);
}
