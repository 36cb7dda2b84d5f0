#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "models/data/samples.hpp"
#include "models/files.hpp"
#include "support/errors.hpp"
#include "troupe/batches.hpp"
#include "troupe/data.hpp"

using namespace troupe;
using namespace troupe::testing;
using namespace troupe_test;

namespace {

template <class T>
std::string bytes_of(const std::vector<T>& numbers) {
  return raw_bytes(numbers);
}

std::vector<std::uint16_t> counted(int count) {
  std::vector<std::uint16_t> numbers;
  for (int i = 0; i < count; ++i) numbers.push_back(static_cast<std::uint16_t>(i % 100));
  return numbers;
}

std::string llmc_header(std::int32_t magic, std::int32_t version, std::int32_t count) {
  std::vector<std::int32_t> header(256);
  header[0] = magic;
  header[1] = version;
  header[2] = count;
  return bytes_of(header);
}

struct TokenFolder {
  std::string add(const std::string& name, const std::string& content) const {
    write_file(folder / name, content);
    return folder / name;
  }
  TemporaryFolder folder;
};

void check_counted(const std::string& name) {
  const auto data = load_data(name).train;
  const DataInfo& info = data->info();
  CHECK(info.num_samples == 3);
  CHECK(info.shape == std::vector<std::int64_t>{10});
  CHECK(info.labels_per_sample == 10);
  CHECK(info.vocabulary == 100);
  CHECK(info.num_classes == 100);
  const Samples all = read_all(*data);
  for (std::size_t i = 0; i < 30; ++i) {
    CHECK(all.values[i] == static_cast<float>(i));
    CHECK(all.labels[i] == static_cast<std::int32_t>(i + 1));
  }
}

}  // namespace

TEST_CASE("each format of tokens has the same windows") {
  const TokenFolder files;
  const std::string raw = bytes_of(counted(39));
  check_counted("tokens:" + files.add("raw.bin", raw) + ",window=10,vocabulary=100");
  check_counted("tokens:" + files.add("gpt2.bin", llmc_header(20240520, 1, 39) + raw) + ",window=10,vocabulary=100");
  const std::vector<std::uint32_t> wide{[] {
    const auto narrow = counted(39);
    return std::vector<std::uint32_t>(narrow.begin(), narrow.end());
  }()};
  check_counted("tokens:" + files.add("llama.bin", llmc_header(20240801, 7, 39) + bytes_of(wide)) +
                ",window=10,vocabulary=100");
  check_counted("tokens:" + files.add("a.npy", npy_bytes(npy_dictionary("<u2", "(39,)"), raw)) +
                ",window=10,vocabulary=100");
  std::string big;
  for (const std::uint32_t token : wide) big += std::string{'\0', '\0', '\0', static_cast<char>(token)};
  check_counted("tokens:" + files.add("big.npy", npy_bytes(npy_dictionary(">u4", "(39,)"), big)) +
                ",window=10,vocabulary=100");
  CHECK(load_data("tokens:" + files.folder / "gpt2.bin,window=4").train->info().vocabulary == 50'257);
  CHECK(load_data("tokens:" + files.folder / "llama.bin,window=4").train->info().vocabulary == 128'256);
}

TEST_CASE("random windows depend on seed, epoch and sample, and evaluations use disjoint ones") {
  const TokenFolder files;
  const std::string name = "tokens:" + files.add("raw.bin", bytes_of(counted(100))) +
                           ",test=" + files.folder / "raw.bin,window=9,vocabulary=100,windows=random";
  const auto data = load_data(name);
  const auto first_token = [&](std::int64_t sample, std::uint64_t seed, std::int64_t epoch) {
    std::vector<float> values(9);
    std::vector<std::int32_t> labels(9);
    data.train->fill(
        {.samples = std::span(&sample, 1), .values = values, .labels = labels, .drawn = DrawnFor{seed, epoch}});
    for (std::size_t i = 0; i < 9; ++i) CHECK(labels[i] == static_cast<std::int32_t>(values[i]) + 1);
    return values[0];
  };
  CHECK(first_token(0, 1, 0) == first_token(0, 1, 0));
  std::set<float> starts;
  for (std::int64_t epoch = 0; epoch < 200; ++epoch)
    for (std::int64_t sample = 0; sample < 11; ++sample) starts.insert(first_token(sample, 1, epoch));
  CHECK(starts.size() == 91);  // all places, from 0 to the last one that has a token after the window
  CHECK(first_token(0, 1, 0) != first_token(0, 2, 0));
  CHECK(read_all(*data.test).values[9] == 9);
}

TEST_CASE("files of tokens that do not fit are errors that name file and place") {
  const TokenFolder files;
  const auto refuse = [&](const std::string& content, const std::string& options, ErrorCode code,
                          const std::string& what, const std::string& name = "x.bin") {
    const std::string path = files.add(name, content);
    const auto load = [&] { read_all(*load_data("tokens:" + path + options).train); };
    CHECK(code_of(load) == code);
    const std::string message = message_of(load);
    CAPTURE(message);
    CHECK(message.find(what) != std::string::npos);
    CHECK((code == ErrorCode::invalid_argument || message.find(path) != std::string::npos));
  };
  const std::string raw = bytes_of(counted(39));
  refuse(raw + "x", ",window=10", ErrorCode::bad_file, "odd number of bytes: 79");
  refuse(raw, ",window=39", ErrorCode::bad_data, "39 tokens are too few for one window of 39");
  refuse(raw, ",window=10,vocabulary=20", ErrorCode::bad_data, "token 20 at byte 40 is not in the vocabulary of 20");
  refuse(llmc_header(20240520, 1, 40) + raw, ",window=10", ErrorCode::bad_file,
         "declares 40 tokens, so the file must have 1104");
  refuse(llmc_header(20240520, 2, 39) + raw, ",window=10", ErrorCode::bad_file,
         "20240520 and 2, which no known format");
  refuse(llmc_header(20250101, 1, 39) + raw, ",window=10", ErrorCode::bad_file,
         "20250101 and 1, which no known format");
  refuse(llmc_header(20240520, 1, 39).substr(0, 90), ",window=10", ErrorCode::bad_file, "truncated in the header");
  refuse(npy_bytes(npy_dictionary("<i4", "(39,)"), bytes_of(std::vector<std::int32_t>(39))), ",window=10",
         ErrorCode::bad_file, "an array of one dimension of u2 or u4, but this is one of i4", "x.npy");
  refuse(npy_bytes(npy_dictionary("<u2", "(13, 3)"), raw), ",window=10", ErrorCode::bad_file, "shape (13, 3)", "x.npy");
  refuse(raw, ",windows=some", ErrorCode::invalid_argument, "windows=some must be epoch or random");
  refuse(raw, ",vocabulary=0", ErrorCode::invalid_argument, "vocabulary=0 must be an integer");
  refuse(raw, ",format=txt", ErrorCode::invalid_argument, "format=txt must be raw, llmc or npy");
  refuse(raw, ",size=3", ErrorCode::invalid_argument, "size");
  refuse(raw, ",window=1", ErrorCode::invalid_argument, "window=1 must be at least 2");
  refuse("", ",window=2", ErrorCode::bad_data, "0 tokens are too few");
}
