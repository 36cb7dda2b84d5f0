#include <doctest/doctest.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "models/data/samples.hpp"
#include "models/files.hpp"
#include "runtime/files/input_file.hpp"
#include "runtime/http/traffic.hpp"
#include "runtime/http/web_server.hpp"
#include "support/captured_errors.hpp"
#include "support/errors.hpp"
#include "support/image_bytes.hpp"
#include "support/patience.hpp"
#include "support/tar_bytes.hpp"
#include "troupe/batches.hpp"
#include "troupe/data.hpp"

using namespace troupe;
using namespace troupe::testing;
using namespace troupe_test;

namespace {

std::string npy_array(float first, std::size_t size) {
  std::vector<float> values(size, first);
  values.back() = -first;
  return npy_bytes(npy_dictionary("<f4", "(" + std::to_string(size) + ",)"), raw_bytes(values));
}

/// Returns an archive of samples whose arrays begin with `first`, first + 1 and so on, and whose classes alternate.
std::string archive_of(int first, int samples, std::size_t size) {
  TarFiles files;
  for (int i = 0; i < samples; ++i) {
    files.emplace_back(std::to_string(i) + ".npy", npy_array(static_cast<float>(first + i), size));
    files.emplace_back(std::to_string(i) + ".cls", std::to_string(i % 2));
  }
  return tar_bytes(files);
}

std::string gzipped(const std::string& bytes) {
  const TemporaryFolder folder;
  write_gzip(folder / "file.gz", bytes);
  return InputFile(folder / "file.gz").read_text();
}

/// A server with archives, and a cache folder of its own for their indexes.
struct Server {
  Server() { ::setenv("XDG_CACHE_HOME", cache.path().c_str(), 1); }
  ~Server() {
    ::unsetenv("XDG_CACHE_HOME");
    ::unsetenv("TROUPE_DATA_TIMEOUT");
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  TrainingData load(const std::string& path, const std::string& rest = "") const {
    return load_data("tar:" + web.url(path) + rest);
  }

  TemporaryFolder cache;
  std::map<std::string, std::string> objects;
  std::string etag = "\"1\"";
  std::atomic<bool> fails = false;
  WebServer web{[this](const WebRequest& request) -> WebAnswer {
    auto found = objects.find(request.path);
    if (found == objects.end()) found = objects.find(request.path.substr(0, request.path.find('?')));
    if (found == objects.end()) return {.status = 404};
    if (fails && request.number % 2 == 0) return {.status = 503};
    return serve(request, found->second, etag);
  }};
};

std::vector<float> first_values(const DataSource& data, const std::vector<std::int64_t>& numbers) {
  const Samples samples = read_samples(data, numbers);
  const auto size = static_cast<std::size_t>(data.info().sample_size());
  std::vector<float> firsts;
  for (std::size_t i = 0; i < numbers.size(); ++i) firsts.push_back(samples.values[i * size]);
  return firsts;
}

}  // namespace

TEST_CASE("archives on a server have the same samples as in files") {
  Server server;
  server.objects["/train-0.tar"] = archive_of(10, 3, 50);
  server.objects["/train-1.tar"] = archive_of(20, 4, 50);
  const TrainingData data = server.load("/train-{0..1}.tar", ",test=" + server.web.url("/train-0.tar"));
  const TemporaryFolder folder;
  write_file(folder / "train-0.tar", server.objects["/train-0.tar"]);
  write_file(folder / "train-1.tar", server.objects["/train-1.tar"]);
  const auto expected = load_data("tar:" + folder / "train-{0..1}.tar").train;
  CHECK(read_all(*data.train).values == read_all(*expected).values);
  CHECK(read_all(*data.train).labels == read_all(*expected).labels);
  CHECK(data.test->info().num_samples == 3);
  CHECK(data.train->info().parts == std::vector<std::int64_t>{0, 3});
  CHECK(data.train->info().slow);
}

TEST_CASE("a large archive on a server is read in stretches, and its index once") {
  constexpr std::size_t kSize = 1'500'000;  // 6 MB
  Server server;
  server.objects["/a.tar"] = archive_of(1, 5, kSize);
  {
    const auto data = server.load("/a.tar").train;
    CHECK(data->info().parts == std::vector<std::int64_t>{0, 2, 4});
    CHECK(server.web.bytes() < 6'100'000);  // headers, the content of short members, and the first sample
    CHECK(first_values(*data, {4}) == std::vector<float>{5});
    CHECK(server.web.bytes() < 12'200'000);
    CHECK(first_values(*data, {1, 3, 0, 2}) == std::vector<float>{2, 4, 1, 3});
    const std::int64_t before = server.web.bytes();
    CHECK(first_values(*data, {0, 1, 2, 3, 4}) == std::vector<float>{1, 2, 3, 4, 5});
    CHECK(server.web.bytes() == before);  // from memory
  }
  const std::int64_t before = server.web.bytes();
  const auto again = server.load("/a.tar", ",test=" + server.web.url("/a.tar")).train;
  CHECK(server.web.bytes() - before < 6'010'000);  // the index is in the cache folder
  CHECK(first_values(*again, {3}) == std::vector<float>{4});
}

TEST_CASE("two URLs with the same path have indexes of their own, and without a strong ETag there is none") {
  const auto first_label = [](const TrainingData& data) { return read_samples(*data.train, {0}).labels.front(); };
  Server server;
  const auto of_class = [](const char* label) {
    return tar_bytes({{"0.npy", npy_array(1, 4)}, {"0.cls", label}, {"1.npy", npy_array(2, 4)}, {"1.cls", "2"}});
  };
  server.objects["/get?part=1"] = of_class("0");
  server.objects["/get?part=2"] = of_class("1");
  CHECK(first_label(server.load("/get?part=1")) == 0);
  CHECK(first_label(server.load("/get?part=2")) == 1);
  for (const char* const etag : {"", "W/\"1\""}) {
    server.etag = etag;
    server.objects["/a.tar"] = of_class("0");
    CHECK(first_label(server.load("/a.tar")) == 0);
    server.objects["/a.tar"] = of_class("1");
    CHECK(first_label(server.load("/a.tar")) == 1);
  }
}

TEST_CASE("a server that fails now and then does not change the samples") {
  Server server;
  server.objects["/a.tar"] = archive_of(10, 3, 50);
  const auto expected = read_all(*server.load("/a.tar").train).values;
  server.objects["/b.tar"] = server.objects["/a.tar"];
  server.fails = true;
  CHECK(read_all(*server.load("/b.tar").train).values == expected);
}

TEST_CASE("an archive that is missing, has changed or is no archive is an error that names it") {
  Server server;
  server.objects["/a.tar"] = archive_of(10, 3, 50);
  server.objects["/b.tar"] = std::string(5000, 'x');
  ::setenv("TROUPE_DATA_TIMEOUT", "0.3", 1);
  check_throws(ErrorCode::bad_file, "404", [&] { server.load("/c.tar"); });
  const auto said = message_of([&] { server.load("/b.tar?token=secret"); });
  CHECK(said.find("/b.tar") != std::string::npos);
  CHECK(said.find("secret") == std::string::npos);
  CHECK(server.load("/a.tar?token=secret").train->info().origin.find("secret") == std::string::npos);
  check_throws(ErrorCode::bad_file, "/b.tar", [&] { server.load("/b.tar"); });
  check_throws(ErrorCode::invalid_argument, "does not list files", [&] { server.load("/*.tar"); });
  check_throws(ErrorCode::invalid_argument, "other", [] { load_data("tar:ftp://other/a.tar"); });
  const auto data = server.load("/a.tar").train;
  server.etag = "\"2\"";
  check_throws(ErrorCode::bad_file, "has changed", [&] { read_all(*data); });
}

TEST_CASE("a compressed archive on a server is one part") {
  Server server;
  const TarFiles files{{"a.npy", npy_array(3, 20)}, {"a.cls", "0"}, {"b.npy", npy_array(4, 20)}, {"b.cls", "1"}};
  server.objects["/a.tar.gz"] = gzipped(tar_bytes(files));
  const auto data = server.load("/a.tar.gz").train;
  CHECK(data->info().parts == std::vector<std::int64_t>{0});
  CHECK(first_values(*data, {1, 0}) == std::vector<float>{4, 3});
}

TEST_CASE("training reads each byte of an archive once, and the next parts in advance") {
  constexpr std::size_t kSize = 500'000;       // 2 MB: 8 samples are a part, and 4 parts a group
  constexpr std::int64_t kGroup = 64'000'000;  // bytes
  Server server;
  server.objects["/a.tar"] = archive_of(1, 80, kSize);
  const auto size = static_cast<std::int64_t>(server.objects["/a.tar"].size());
  for (const std::int64_t first : {0, 13}) {  // also after a resume in the middle of the epoch
    const std::string memory = ",memory=" + std::to_string(500 + first);  // another name, so that parts are read anew
    const auto batches = dataset_batches(server.load("/a.tar", memory), 4);
    const std::int64_t before = server.web.bytes();
    const std::int64_t steps = batches->steps_per_epoch(1);
    CHECK(steps == 20);
    std::set<float> seen;
    for (std::int64_t step = first; step < steps; ++step) {
      const Batch batch = batches->training_batch({.step = step, .seed = 1});
      for (std::int64_t i = 0; i < batch.size; ++i) seen.insert(batch.values[static_cast<std::size_t>(i) * kSize]);
      if (step == first) CHECK(comes_true([&] { return server.web.bytes() - before > kGroup * 5 / 4; }));
    }
    CHECK(std::ssize(seen) == 4 * (steps - first));
    CHECK(server.web.bytes() - before <= size * 3 / 2);  // the epoch, and parts of the first group of the next epoch
  }
}

TEST_CASE("the bits of batches do not depend on reading ahead") {
  Server server;
  server.objects["/a.tar"] = archive_of(1, 40, 500'000);
  const auto values_of = [&](const std::string& options, std::int64_t step) {
    const auto batches = dataset_batches(server.load("/a.tar", options), 3);
    const Batch batch = batches->training_batch({.shard = 1, .num_shards = 2, .step = step, .seed = 3});
    return std::vector<float>(batch.values.begin(), batch.values.end());
  };
  const auto batches = dataset_batches(server.load("/a.tar"), 3);
  for (std::int64_t step = 0; step < batches->steps_per_epoch(2); step += 3) {
    const Batch batch = batches->training_batch({.shard = 1, .num_shards = 2, .step = step, .seed = 3});
    CHECK(values_of(",memory=1", step) == std::vector<float>(batch.values.begin(), batch.values.end()));
  }
}

TEST_CASE("a warning says that memory= is too small for the parts of archives on a server") {
  Server server;
  server.objects["/a.tar"] = archive_of(1, 5, 1'500'000);
  for (const bool small : {true, false}) {
    const CapturedErrors errors;
    server.load("/a.tar", small ? ",memory=20" : ",memory=80");
    CHECK((errors.text().find("room for 20 MB of data on servers") != std::string::npos) == small);
    CHECK((errors.text().find("room for") != std::string::npos) == small);
  }
}

TEST_CASE("the cache on disk replaces the server, across runs, and damaged entries are read again") {
  Server server;
  const TemporaryFolder folder;
  ::setenv("TROUPE_DATA_CACHE", (folder / "cache" + ",100M").c_str(), 1);
  server.objects["/a.tar"] = archive_of(1, 30, 300'000);
  server.objects["/b.tar.gz"] = gzipped(archive_of(50, 3, 5'000));
  const auto read = [&](const char* path) {
    take_remote_traffic();
    const std::vector<float> values = read_all(*server.load(path).train).values;
    return std::pair{values, take_remote_traffic()};
  };
  for (const char* const path : {"/a.tar", "/b.tar.gz"}) {
    const auto [values, first] = read(path);
    CHECK(first.cache_hits == 0);
    CHECK(first.requests > 0);
    const auto [again, second] = read(path);
    CHECK(again == values);
    CHECK(second.cache_hits >= 1);
    CHECK(second.bytes < 1'300'000);  // the first sample
    for (const auto& each : std::filesystem::directory_iterator(folder / "cache"))
      if (each.path().extension() == ".part") {
        std::string entry = InputFile(each.path().string()).read_text();
        entry[entry.size() / 2] ^= 1;
        write_file(each.path().string(), entry);
      }
    const auto [repaired, third] = read(path);
    CHECK(repaired == values);
    CHECK(third.cache_hits == 0);
  }
  const auto values = read("/a.tar").first;
  server.objects["/a.tar"] = archive_of(2, 30, 300'000);
  server.etag = "\"2\"";
  CHECK(read("/a.tar").first != values);
  server.etag = "W/\"1\"";
  read("/a.tar");
  CHECK(read("/a.tar").second.cache_hits == 0);
  ::unsetenv("TROUPE_DATA_CACHE");
}
