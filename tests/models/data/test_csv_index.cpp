#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "models/data/csv/csv_index.hpp"
#include "models/data/kept_index.hpp"
#include "models/data/limited_data_memory.hpp"
#include "models/data/samples.hpp"
#include "models/files.hpp"
#include "troupe/data.hpp"

using namespace troupe;
using namespace troupe::testing;

// Index files next to CSV files that are too large for memory.
namespace {

struct Contents {
  explicit Contents(const DataSource& data)
      : info(data.info()),
        samples(read_all(data)),
        known_labels(data.known_labels().begin(), data.known_labels().end()) {}

  DataInfo info;
  Samples samples;
  std::vector<std::int32_t> known_labels;
};

struct IndexedFiles {
  TemporaryFolder folder;
  std::string first = folder / "part-1.csv";
  LimitedDataMemory small{1};

  IndexedFiles() {
    write_file(first, "size,colour,kind\n1,red,b\n,blue,a\n\n3,\"a\nb\",a\n");
    write_file(folder / "part-2.csv", "size,colour,kind\n5,é,c\n?,red,a\n");
    write_file(folder / "test.csv", "size,colour,kind\n,red,a\n8,red,a\n");
  }
  std::string kept() const { return read_file(first + ".index"); }
  /// Returns the contents of the training set and the test set. Keeps no reference to the data, so the next call loads
  /// both again.
  std::vector<Contents> load(const std::string& options) const {
    const TrainingData data = load_data("csv:" + (folder / "part-*") + ",test=" + (folder / "test.csv") + options);
    return {Contents(*data.train), Contents(*data.test)};
  }
};

void check_same(const std::vector<Contents>& some, const std::vector<Contents>& others) {
  for (std::size_t i = 0; i < some.size(); ++i) {
    CHECK(some[i].samples.values == others[i].samples.values);
    CHECK(some[i].samples.labels == others[i].samples.labels);
    CHECK(some[i].samples.targets == others[i].samples.targets);
    CHECK(some[i].info.class_names == others[i].info.class_names);
    CHECK(some[i].info.missing.size() == others[i].info.missing.size());
    CHECK(some[i].known_labels == others[i].known_labels);
  }
}

CsvIndex index_of(const IndexedFiles& files, std::string& key, std::vector<CsvRows::File>& opened,
                  std::vector<CsvColumn>& columns) {
  const CsvArguments asked = parse_csv_arguments(files.first + ",missing=mean");
  columns = columns_of(files.first, asked);
  const CsvReader reader(files.first);
  opened = {{files.first, reader.file(), reader.separator(), 0}};
  key = csv_index_key(opened, asked, columns);
  CsvRows rows = read_training_rows({files.first}, asked, columns, KeepRows::in_files);
  auto index = csv_index_from(to_bytes(rows, columns, key), key, opened, columns);
  REQUIRE(index);
  return std::move(*index);
}

}  // namespace

TEST_CASE("rows found with the index file of the first CSV file are the same samples") {
  const IndexedFiles files;
  for (const std::string options : {",missing=mean", ",missing=skip", ",target=size,ignore=kind,missing=skip"}) {
    CAPTURE(options);
    const std::vector<Contents> found = files.load(options);
    const std::string kept = files.kept();
    CHECK(kept.starts_with("troupe csv index 3"));
    CHECK(read_file(files.folder / "test.csv.index").starts_with("troupe csv index 3"));
    const auto written = std::filesystem::last_write_time(files.first + ".index");
    check_same(found, files.load(options));
    CHECK(std::filesystem::last_write_time(files.first + ".index") == written);
  }
}

TEST_CASE("the index of CSV files is rebuilt if files or options change, or if the index is damaged") {
  const IndexedFiles files;
  const std::vector<Contents> found = files.load(",missing=mean");
  const std::string kept = files.kept();
  for (const std::string& damaged :
       {kept.substr(0, kept.size() / 2), kept + "x", std::string("troupe csv index 7\n")}) {
    write_file(files.first + ".index", damaged);
    check_same(found, files.load(",missing=mean"));
    CHECK(files.kept() == kept);
  }
  std::string long_one = kept;
  long_one.resize(2 << 20);
  write_file(files.first + ".index", with_checksum(long_one));
  check_same(found, files.load(",missing=mean"));
  CHECK(files.kept() == kept);
  files.load(",missing=1");
  const std::string other = files.kept();
  CHECK(other != kept);
  write_file(files.folder / "part-2.csv", "size,colour,kind\n7,red,a\n");
  CHECK(files.load(",missing=1").front().info.num_samples == 4);
  CHECK(files.kept() != other);
  write_file(files.first + ".index", "another program's");
  CHECK(files.load(",missing=1").front().info.num_samples == 4);
  CHECK(files.kept() == "another program's");
}

TEST_CASE("an index of CSV files with wrong entries causes an error or is not used") {
  const IndexedFiles files;
  std::string key;
  std::vector<CsvRows::File> opened;
  std::vector<CsvColumn> columns;
  const CsvIndex index = index_of(files, key, opened, columns);
  const auto usable = [&](const auto& change) {
    CsvIndex lie = index;
    change(lie.rows);
    return csv_index_from(to_bytes(lie.rows, columns, key), key, opened, columns).has_value();
  };
  CHECK(usable([](CsvRows&) {}));
  CHECK_FALSE(usable([](CsvRows& lie) { lie.offsets[1] = UINT64_MAX; }));
  CHECK_FALSE(usable([](CsvRows& lie) { lie.offsets[2] = 1000; }));
  CHECK_FALSE(usable([](CsvRows& lie) { lie.labels[0] = 7; }));
  CHECK_FALSE(usable([](CsvRows& lie) { lie.labels[0] = -1; }));
  CHECK_FALSE(usable([](CsvRows& lie) { lie.count = INT64_MAX; }));
  CHECK_FALSE(usable([](CsvRows& lie) { lie.files[0].end = 2; }));
  CHECK_FALSE(csv_index_from(to_bytes(index.rows, columns, "other"), key, opened, columns));
  const auto read_with = [&](const auto& change) {
    CsvIndex lie = index;
    change(lie.rows);
    write_file(files.first + ".index", with_checksum(to_bytes(lie.rows, columns, key)));
    return read_all(*load_data("csv:" + files.first + ",missing=mean").train);
  };
  check_throws(ErrorCode::bad_file, "part-1.csv", [&] { read_with([](CsvRows& lie) { lie.offsets[0] = 0; }); });
}

TEST_CASE("a test set for prediction may lack targets and classes") {
  const TemporaryFolder folder;
  write_file(folder / "a.csv", "size,colour,kind\n1,red,b\n2,blue,a\n");
  write_file(folder / "new.csv", "size,colour\n3,blue\n4,red\n");
  write_file(folder / "wrong.csv", "colour,size\nblue,1\n");
  write_file(folder / "bare.csv", "3,blue\n");
  const auto load = [&](const std::string& test) {
    return load_data("csv:" + (folder / "a.csv") + ",test=" + (folder / test)).test;
  };
  for (const std::size_t memory : {std::size_t{1} << 30, std::size_t{1}}) {
    const LimitedDataMemory limited(memory);
    const auto set = load("new.csv");
    CHECK(set->info().num_classes == 0);
    CHECK(set->info().num_targets == 0);
    CHECK(read_all(*set).values == std::vector<float>{3, 1, 0, 4, 0, 1});
  }
  check_throws(ErrorCode::bad_file, "has the name 'colour'", [&] { load("wrong.csv"); });
  CHECK(load("bare.csv")->info().num_samples == 1);
}
