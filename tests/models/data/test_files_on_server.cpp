#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "models/data/limited_data_memory.hpp"
#include "models/data/samples.hpp"
#include "models/files.hpp"
#include "runtime/http/traffic.hpp"
#include "runtime/http/web_server.hpp"
#include "support/captured_errors.hpp"
#include "support/errors.hpp"
#include "troupe/batches.hpp"
#include "troupe/data.hpp"

using namespace troupe;
using namespace troupe::testing;
using namespace troupe_test;

namespace {

/// A server with files, which are also in a folder, and a cache folder of its own for indexes.
struct Files {
  Files() { ::setenv("XDG_CACHE_HOME", (folder / "cache").c_str(), 1); }
  ~Files() {
    ::unsetenv("XDG_CACHE_HOME");
    ::unsetenv("TROUPE_DATA_TIMEOUT");
  }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

  void add(const std::string& name, const std::string& content) {
    objects["/" + name] = content;
    write_file(folder / name, content);
  }
  std::string url(const std::string& name) const { return web.url("/" + name); }

  TemporaryFolder folder;
  std::map<std::string, std::string> objects;
  std::string etag = "\"1\"";
  WebServer web{[this](const WebRequest& request) -> WebAnswer {
    const auto found = objects.find(request.path.substr(0, request.path.find('?')));
    return found == objects.end() ? WebAnswer{.status = 404} : serve(request, found->second, etag);
  }};
};

std::string npy_of_floats(std::int64_t rows, std::int64_t columns) {
  std::vector<float> values(static_cast<std::size_t>(rows * columns));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 1000);
  return npy_bytes(npy_dictionary("<f4", "(" + std::to_string(rows) + ", " + std::to_string(columns) + ")"),
                   raw_bytes(values));
}

std::string npy_of_classes(std::int64_t rows) {
  std::vector<std::int32_t> labels(static_cast<std::size_t>(rows));
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<std::int32_t>(i % 3);
  return npy_bytes(npy_dictionary("<i4", "(" + std::to_string(rows) + ",)"), raw_bytes(labels));
}

std::string csv_of(int rows, int padding) {
  std::string text = "size,colour,price\n";
  for (int i = 0; i < rows; ++i)
    text.append(std::to_string(i))
        .append(".")
        .append(padding, '0')
        .append(i % 2 == 0 ? ",red," : ",blue,")
        .append(std::to_string(2 * i))
        .append("\n");
  return text;
}

/// Checks that data has the same samples in files and on the server.
void check_like_files(const DataSource& remote, const DataSource& local) {
  const Samples samples = read_all(remote);
  const Samples expected = read_all(local);
  CHECK(samples.values == expected.values);
  CHECK(samples.labels == expected.labels);
  CHECK(samples.targets == expected.targets);
}

}  // namespace

TEST_CASE("small arrays and tables on a server are read into memory") {
  Files files;
  files.add("x.npy", npy_of_floats(50, 7));
  files.add("y.npy", npy_of_classes(50));
  files.add("a.csv", csv_of(30, 0));
  const auto arrays = load_data("npy:" + files.url("x.npy") + "," + files.url("y.npy?key=secret")).train;
  check_like_files(*arrays, *load_data("npy:" + files.folder / "x.npy," + files.folder / "y.npy").train);
  CHECK(arrays->info().parts.empty());
  CHECK(arrays->info().origin.find("secret") == std::string::npos);
  const auto table = load_data("csv:" + files.url("a.csv?key=secret") + ",target=price").train;
  check_like_files(*table, *load_data("csv:" + files.folder / "a.csv,target=price").train);
  CHECK(table->info().value_names == std::vector<std::string>{"size", "colour=blue", "colour=red"});
  CHECK(table->info().origin.find("secret") == std::string::npos);
}

TEST_CASE("a large array on a server is read in blocks, each once, with the samples of a file") {
  const LimitedDataMemory limit(310'000'000);
  Files files;
  files.add("x.npy", npy_of_floats(4000, 10'001));  // 160 MB; rows cross the ends of blocks
  files.add("y.npy", npy_of_classes(4000));
  const auto data = load_data("npy:" + files.url("x.npy") + "," + files.url("y.npy"));
  const DataInfo& info = data.train->info();
  CHECK(info.parts.size() == 10);
  CHECK(info.held_parts == 4);
  CHECK(info.slow);
  const auto local = load_data("npy:" + files.folder / "x.npy," + files.folder / "y.npy").train;
  const std::int64_t before = files.web.bytes();
  const auto batches = dataset_batches(data, 100);
  std::set<std::int64_t> seen;
  for (std::int64_t step = 0; step < batches->steps_per_epoch(1); ++step) {
    const Batch batch = batches->training_batch({.step = step, .seed = 1});
    const Samples expected = read_samples(*local, {batch.numbers.begin(), batch.numbers.end()});
    CHECK(std::equal(batch.values.begin(), batch.values.end(), expected.values.begin(), expected.values.end()));
    CHECK(std::equal(batch.labels.begin(), batch.labels.end(), expected.labels.begin(), expected.labels.end()));
    seen.insert(batch.numbers.begin(), batch.numbers.end());
  }
  CHECK(seen.size() == 4000);
  // Once, and some parts of the next epoch.
  CHECK(files.web.bytes() - before <= 160'016'128 * 3 / 2);
}

TEST_CASE("a large table on a server is read in blocks") {
  const LimitedDataMemory limit(20'000'000);
  Files files;
  files.add("a.csv", csv_of(40'000, 500));  // 20 MB
  files.add("b.csv", csv_of(100, 500));
  const std::string rest = ",target=price";
  const auto data = load_data("csv:" + files.url("a.csv") + "," + files.url("b.csv") + rest).train;
  CHECK(data->info().parts.size() == 3);
  CHECK(data->info().parts.front() == 0);
  CHECK(data->info().parts.back() == 40'000);
  const auto local = load_data("csv:" + files.folder / "a.csv," + files.folder / "b.csv" + rest).train;
  const std::vector<std::int64_t> some{0, 5, 31'000, 39'999, 40'000, 40'099, 20'000};
  CHECK(read_samples(*data, some).values == read_samples(*local, some).values);
  CHECK(read_samples(*data, some).targets == read_samples(*local, some).targets);
}

TEST_CASE("opening large files reads little of them, and the cache on disk replaces the server") {
  const LimitedDataMemory limit(20'000'000);
  Files files;
  ::setenv("TROUPE_DATA_CACHE", (files.folder / "data,500M").c_str(), 1);
  files.add("x.npy", npy_of_floats(1000, 10'001));  // 40 MB
  files.add("y.npy", npy_of_classes(1000));
  files.add("a.csv", csv_of(60'000, 500));  // 30 MB
  const auto arrays = [&] { return load_data("npy:" + files.url("x.npy") + "," + files.url("y.npy")).train; };
  const auto table = [&] { return load_data("csv:" + files.url("a.csv") + ",target=price").train; };
  CHECK(arrays()->info().num_samples == 1000);
  CHECK(files.web.bytes() < 20'000);
  table();
  const std::int64_t before = files.web.bytes();
  table();  // with an index
  CHECK(files.web.bytes() - before < 200'000);
  for (const bool is_table : {false, true}) {
    const auto first = read_all(is_table ? *table() : *arrays()).values;
    take_remote_traffic();
    CHECK(read_all(is_table ? *table() : *arrays()).values == first);
    const RemoteTraffic traffic = take_remote_traffic();
    CHECK(traffic.cache_hits >= 2);
    CHECK(traffic.bytes < 300'000);
  }
  ::unsetenv("TROUPE_DATA_CACHE");
}

TEST_CASE("an object that was replaced is read anew, although others of the same server are still in use") {
  const LimitedDataMemory limit(20'000'000);
  Files files;
  files.add("x.npy", npy_of_floats(1000, 10'001));
  files.add("z.npy", npy_of_floats(1000, 10'001));
  files.add("y.npy", npy_of_classes(1000));
  const auto load = [&](const char* name) {
    return load_data("npy:" + files.url(name) + "," + files.url("y.npy")).train;
  };
  const auto in_use = load("z.npy");
  CHECK(read_samples(*load("x.npy"), {1}).values.at(0) == 1.0F);
  std::string changed = files.objects["/x.npy"];
  std::ranges::copy(raw_bytes(std::vector<float>(2 * 10'001, 7.0F)), changed.end() - 1000 * 10'001 * 4);
  files.objects["/x.npy"] = changed;
  files.etag = "\"2\"";
  CHECK(read_samples(*load("x.npy"), {1}).values.at(0) == 7.0F);
}

TEST_CASE("two tables of one server that differ in the query only have indexes of their own") {
  const LimitedDataMemory limit(1'000'000);
  const TemporaryFolder cache;
  ::setenv("XDG_CACHE_HOME", cache.path().c_str(), 1);
  const auto row = [](const char* number, std::size_t zeros) { return number + std::string(zeros, '0') + ","; };
  const std::string head = "size,price\n";
  std::string tail;
  for (int i = 2; i < 3'000; ++i) tail.append(row("3.", 300)).append("4\n");
  const std::string first = head + row("0.", 400) + "0\n" + row("1.", 200) + "2\n" + tail;
  const std::string second = head + row("0.", 200) + "0\n" + row("1.", 400) + "2\n" + tail;
  const WebServer web(
      [&](const WebRequest& request) { return serve(request, request.path.ends_with("2") ? second : first, "\"1\""); });
  const auto price = [&](const char* path) {
    return read_samples(*load_data("csv:" + web.url(path) + ",target=price").train, {0, 1}).targets;
  };
  CHECK(price("/get?part=1") == std::vector<float>{0, 2});
  CHECK(price("/get?part=2") == std::vector<float>{0, 2});
  ::unsetenv("XDG_CACHE_HOME");
}

TEST_CASE("files on a server that are missing, change, or are of another kind are refused") {
  Files files;
  files.add("y.npy", npy_of_classes(50));
  files.add("a.csv", csv_of(30, 0));
  ::setenv("TROUPE_DATA_TIMEOUT", "0.3", 1);
  check_throws(ErrorCode::bad_file, "404", [&] { load_data("csv:" + files.url("none.csv")); });
  check_throws(ErrorCode::bad_file, "404", [&] { load_data("npy:" + files.url("x.npy") + "," + files.url("y.npy")); });
  check_throws(ErrorCode::bad_file, "not a NumPy file",
               [&] { load_data("npy:" + files.url("a.csv") + "," + files.url("y.npy")); });
  check_throws(ErrorCode::invalid_argument,
               "only tar:, npy: and csv:", [&] { load_data("text:" + files.url("a.csv")); });
  check_throws(ErrorCode::invalid_argument,
               "only tar:, npy: and csv:", [&] { load_data("idx:" + files.url("a.csv") + "," + files.url("y.npy")); });

  const LimitedDataMemory limit(1'000'000);
  files.add("large.csv", csv_of(40'000, 500));
  const auto data = load_data("csv:" + files.url("large.csv") + ",target=price").train;
  files.etag = "\"2\"";
  check_throws(ErrorCode::bad_file, "has changed", [&] { read_samples(*data, {0, 39'999, 0, 39'999}); });
}

TEST_CASE("a warning says that the data memory is too small for parts, once") {
  Files files;
  files.add("x.npy", npy_of_floats(1000, 10'001));
  files.add("y.npy", npy_of_classes(1000));
  for (const bool small : {true, false}) {
    const LimitedDataMemory limit(small ? 50'000'000 : 200'000'000);
    const CapturedErrors errors;
    for (int i = 0; i < 2; ++i) load_data("npy:" + files.url("x.npy") + "," + files.url("y.npy"));
    const std::string text = errors.text();
    const std::size_t first = text.find("room for 23 MB of data on servers for each replica; with less than 80 MB");
    CHECK((first != std::string::npos) == small);
    CHECK(first == text.rfind("room for"));
  }
}
