#include <doctest/doctest.h>

#include <filesystem>

#include "models/data/data_registry.hpp"
#include "models/data/samples.hpp"
#include "models/files.hpp"
#include "troupe/data.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

/// Returns a label and an image. All bytes of the image are `value`, except the blue byte of the first pixel.
std::string record(int label, int value, int blue) {
  std::string bytes(3073, static_cast<char>(value));
  bytes[0] = static_cast<char>(label);
  bytes[1 + 2048] = static_cast<char>(blue);
  return bytes;
}

}  // namespace

TEST_CASE("five binary files of CIFAR-10 form the training set, and one forms the test set") {
  const TemporaryFolder folder;
  const std::string inner = folder / "cifar-10-batches-bin";
  std::filesystem::create_directory(inner);
  for (int batch = 1; batch <= 5; ++batch)
    write_file(inner + "/data_batch_" + std::to_string(batch) + ".bin", record(batch, 51, 255) + record(0, 0, 0));
  write_file(inner + "/test_batch.bin", record(9, 255, 0));
  write_file(inner + "/batches.meta.txt", "airplane\nautomobile\nbird\ncat\ndeer\ndog\nfrog\nhorse\nship\ntruck\n\n");
  for (const std::string& where : {folder.path().string(), inner}) {
    const TrainingData data = load_data("cifar10:" + where);
    CHECK(data.train->info().shape == std::vector<std::int64_t>{3, 32, 32});
    CHECK(data.train->info().class_names.at(9) == "truck");
    const Samples train = read_all(*data.train);
    CHECK(train.labels == std::vector<std::int32_t>{1, 0, 2, 0, 3, 0, 4, 0, 5, 0});
    CHECK(train.values[0] == doctest::Approx(0.2));
    CHECK(train.values[2048] == doctest::Approx(1));
    CHECK(read_all(*data.test).labels == std::vector<std::int32_t>{9});
    CHECK(read_all(*load_test_set("cifar10:" + where, 1)).labels == std::vector<std::int32_t>{9});
  }
  write_file(inner + "/data_batch_3.bin", record(3, 1, 1) + "x");
  check_throws(ErrorCode::bad_file, "data_batch_3.bin", [&] { load_data("cifar10:" + inner); });
  write_file(inner + "/data_batch_3.bin", record(3, 1, 1) + record(10, 1, 1));
  for (const std::string what : {"label 10 of record 1 ", "data_batch_3.bin"})
    check_throws(ErrorCode::bad_data, what, [&] { load_data("cifar10:" + inner); });
  check_throws(ErrorCode::bad_file, "data_batch_1.bin", [&] { load_data("cifar10:/nonexistent"); });
}
