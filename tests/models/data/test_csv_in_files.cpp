#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "models/data/limited_data_memory.hpp"
#include "models/data/samples.hpp"
#include "models/files.hpp"
#include "troupe/data.hpp"

using namespace troupe;
using namespace troupe::testing;

// CSV files that are too large for memory.
namespace {

struct LargeFiles {
  TemporaryFolder folder;

  LargeFiles() {
    write_file(folder / "part-1.csv",
               "\xEF\xBB\xBFsize,\"colour\",price,kind\r\n1,red,2.5,b\r\n\r\n?,\"blue, or \"\"sky\n\"\"\",3,a\r\n");
    write_file(folder / "part-2.csv", "size,colour,price,kind\n");
    std::string rows = "size,colour,price,kind\n";
    for (int i = 0; i < 3000; ++i)
      rows += std::to_string(i % 17) + "," + (i % 3 == 0 ? "red" : "green") + "," + std::to_string(i) +
              (i % 5 == 0   ? ",\n"
               : i % 2 == 0 ? ",a\n"
                            : ",b\n");
    write_file(folder / "part-3.csv", rows + "7," + std::string(10'000, ' ') + "red,1,b");
    write_file(folder / "test.csv", "size,colour,price,kind\n,green,1,a\n2,red,3,b\n4,red,5,a\n");
  }
  std::string name(const std::string& options) const {
    return "csv:" + (folder / "part-*.csv") + ",test=" + (folder / "test.csv") + options;
  }
};

void check_same(const DataSource& one, const DataSource& other) {
  CHECK(one.info().shape == other.info().shape);
  CHECK(one.info().class_names == other.info().class_names);
  CHECK(one.info().value_names == other.info().value_names);
  CHECK(one.info().target_names == other.info().target_names);
  CHECK(one.info().missing.size() == other.info().missing.size());
  CHECK_FALSE(one.info().slow);
  CHECK(other.info().slow);
  REQUIRE(one.info().num_samples == other.info().num_samples);
  const Samples samples = read_all(one);
  const Samples others = read_all(other);
  CHECK(samples.values == others.values);
  CHECK(samples.labels == others.labels);
  CHECK(samples.targets == others.targets);
  CHECK(one.known_labels().size() == other.known_labels().size());
}

}  // namespace

TEST_CASE("rows read from their files equal rows read from memory") {
  const LargeFiles files;
  for (const char* options : {",class=kind,ignore=price,missing=skip", ",target=price,ignore=kind,missing=mean",
                              ",target=price+size,missing=skip", ",target=price,missing=-1,ignore=colour"}) {
    CAPTURE(options);
    const TrainingData in_memory = load_data(files.name(options));
    const std::string again = files.name(options) + ",separator=comma";  // another name: it is loaded anew
    const LimitedDataMemory small(1);
    const TrainingData in_files = load_data(again);
    check_same(*in_memory.train, *in_files.train);
    check_same(*in_memory.test, *in_files.test);
  }
}

TEST_CASE("a CSV file that changes while its rows are read causes an error that names the file") {
  const LargeFiles files;
  const LimitedDataMemory small(1);
  const auto train = load_data(files.name(",target=price,ignore=kind+colour,missing=mean")).train;
  const std::string changed = files.folder / "part-3.csv";
  const auto fails = [&](const char* what) {
    check_throws(ErrorCode::bad_file, what, [&] { read_samples(*train, {5}); });
    check_throws(ErrorCode::bad_file, "part-3.csv", [&] { read_samples(*train, {5}); });
  };
  const std::string text = read_file(changed);
  SUBCASE("shorter") {
    std::filesystem::resize_file(changed, 100);
    fails("part-3.csv");
  }
  SUBCASE("changed rows of the same length") {
    write_file(changed, std::string(text.size(), 'x'));
    std::filesystem::last_write_time(changed, std::filesystem::last_write_time(changed) + std::chrono::seconds(1));
    fails("changed since it was opened");
  }
  SUBCASE("a removed file stays readable for a reader that has it open") {
    std::filesystem::remove(changed);
    CHECK(read_samples(*train, {5}).targets.size() == 1);
  }
}
