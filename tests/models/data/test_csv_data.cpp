#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "models/data/limited_data_memory.hpp"
#include "models/data/samples.hpp"
#include "models/files.hpp"
#include "troupe/data.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

using Floats = std::vector<float>;

/// Files in a folder, loaded by names such as "a.csv,class=kind".
struct CsvFolder {
  TemporaryFolder folder;

  void write(const std::string& name, const std::string& text) const { write_file(folder / name, text); }
  TrainingData load(const std::string& arguments, const std::string& test = "") const {
    return load_data("csv:" + folder / arguments + (test.empty() ? "" : ",test=" + folder / test));
  }
  void fails(ErrorCode code, const std::string& arguments, const std::string& what,
             const std::string& test = "") const {
    CAPTURE(arguments);
    check_throws(code, what, [&] { load(arguments, test); });
  }
};

}  // namespace

TEST_CASE("columns of a CSV file become features and targets; the last column is the default target") {
  const CsvFolder files;
  files.write("a.csv", "rooms,age,price\n2,10,100.5\n3,20,-1e2\n");
  const auto data = files.load("a.csv").train;
  CHECK(data->info().shape == std::vector<std::int64_t>{2});
  CHECK(data->info().num_targets == 1);
  CHECK(read_all(*data).values == Floats{2, 10, 3, 20});
  CHECK(read_all(*data).targets == Floats{100.5F, -100});
  CHECK(read_all(*files.load("a.csv,target=rooms,ignore=age").train).values == Floats{100.5F, -100});
  CHECK(read_all(*files.load("a.csv,target=rooms+3").train).targets == Floats{2, 100.5F, 3, -100});
  files.fails(ErrorCode::invalid_argument, "a.csv,target=prize", "did you mean 'price'");
  files.fails(ErrorCode::invalid_argument, "a.csv,target=9", "the columns are rooms, age, price");
  files.fails(ErrorCode::invalid_argument, "a.csv,targte=price", "did you mean 'target'");
  files.fails(ErrorCode::invalid_argument, "a.csv,target=", "has no value");
  files.fails(ErrorCode::invalid_argument, "a.csv,target=age,class=price", "either class= or target=");
  files.fails(ErrorCode::bad_data, "a.csv,ignore=rooms+age", "no feature columns");
}

TEST_CASE("columns of a file without a header are named by number") {
  const CsvFolder files;
  files.write("a.csv", "1;2;3\n4;5;6\n");
  CHECK(read_all(*files.load("a.csv").train).values == Floats{1, 2, 4, 5});
  CHECK(read_all(*files.load("a.csv,target=1").train).targets == Floats{1, 4});
  CHECK(files.load("a.csv,header=yes").train->info().num_samples == 1);
  files.write("words.csv", "x,red\ny,blue\n");
  CHECK(files.load("words.csv,header=no").train->info().num_samples == 2);
  files.fails(ErrorCode::invalid_argument, "a.csv,header=perhaps", "must be yes or no");
}

TEST_CASE("text in the class column becomes classes in alphabetical order, and text in a feature column one-hot") {
  const CsvFolder files;
  files.write("a.csv", "colour,size,kind\nred,1,pear\nblue,2,apple\nred,3,pear\n");
  files.write("test.csv", "colour,size,kind\nblue,7,pear\n");
  const auto data = files.load("a.csv", "test.csv");
  CHECK(data.train->info().class_names == std::vector<std::string>{"apple", "pear"});
  CHECK(read_all(*data.train).labels == std::vector<std::int32_t>{1, 0, 1});
  CHECK(read_all(*data.train).values == Floats{0, 1, 1, 1, 0, 2, 0, 1, 3});  // blue, red, size
  CHECK(read_all(*data.test).values == Floats{1, 0, 7});
  CHECK(read_all(*data.test).labels == std::vector<std::int32_t>{1});
  files.write("other.csv", "colour,size,kind\ngreen,7,pear\n");
  files.fails(ErrorCode::bad_file, "a.csv", "line 2: column 'colour' has 'green', which is not in the training set",
              "other.csv");
  files.fails(ErrorCode::bad_data, "a.csv,target=kind", "class=kind");
}

TEST_CASE("classes with numeric names are sorted by value") {
  const CsvFolder files;
  files.write("a.csv", "x,digit\n1,10\n2,9\n3,10\n");
  const auto data = files.load("a.csv,class=digit").train;
  CHECK(data->info().class_names == std::vector<std::string>{"9", "10"});
  CHECK(read_all(*data).labels == std::vector<std::int32_t>{1, 0, 1});
  files.write("zip.csv", "zip,y\n1000,1\n2000,2\n");
  CHECK(read_all(*files.load("zip.csv,text=zip").train).values == Floats{1, 0, 0, 1});
}

TEST_CASE("missing fields cause an error, are skipped with their rows, or are filled with the mean or a number") {
  const CsvFolder files;
  files.write("a.csv", "x,c,y\n1,a,1\n,b,2\n3,NA,3\n");
  files.write("test.csv", "x,c,y\nnan,a,1\n");
  files.fails(ErrorCode::bad_file, "a.csv",
              "line 3: column 'x' has no value; use missing=skip, missing=mean or missing=NUMBER");
  CHECK(read_all(*files.load("a.csv,missing=skip").train).targets == Floats{1});
  const auto filled = files.load("a.csv,missing=mean", "test.csv");
  CHECK(read_all(*filled.train).values == Floats{1, 0, 1, 0, 2, 0, 0, 1, 3, 1, 0, 0});  // x, (missing), a, b
  CHECK(read_all(*filled.test).values == Floats{2, 0, 1, 0});
  CHECK(read_all(*files.load("a.csv,missing=-1").train).values[4] == -1);
  files.fails(ErrorCode::invalid_argument, "a.csv,missing=none", "must be skip, mean or a number");
  files.write("target.csv", "x,y\n1,\n2,3\n");
  files.fails(ErrorCode::bad_file, "target.csv,missing=mean", "use missing=skip to skip such rows");
}

TEST_CASE("the data info contains column names and the number of missing fields in each column") {
  using Names = std::vector<std::string>;
  const CsvFolder files;
  files.write("a.csv", "x,c,unused,y\n1,b,,1\n,a,,2\nNA,,,3\n");
  files.write("test.csv", "x,c,unused,y\n1,a,,1\n");
  const auto counts = [](const DataInfo& info) {
    std::string text;
    for (const MissingCount& each : info.missing) text += each.column + " " + std::to_string(each.fields) + ";";
    return text;
  };
  const auto filled = files.load("a.csv,missing=mean,ignore=unused", "test.csv");
  CHECK(filled.train->info().value_names == Names{"x", "c=(missing)", "c=a", "c=b"});
  CHECK(filled.train->info().target_names == Names{"y"});
  CHECK(counts(filled.train->info()) == "x 2;c 1;");
  CHECK(counts(filled.test->info()) == "");
  CHECK(counts(files.load("a.csv,missing=skip,ignore=unused").train->info()) == "x 2;c 1;");
  const auto classes = files.load("test.csv,class=c,missing=0").train;
  CHECK(classes->info().value_names == Names{"x", "unused", "y"});
  CHECK(classes->info().target_names.empty());
}

TEST_CASE("errors about the contents of a CSV file name the file and the line") {
  const CsvFolder files;
  files.write("ragged.csv", "x,y\n1,2\n1,2,3\n");
  files.fails(ErrorCode::bad_file, "ragged.csv", "line 3: 3 fields, but there are 2 columns");
  std::string late = "x,y\n";
  for (int i = 0; i < 1500; ++i) late += "1,2\n";
  files.write("late.csv", late + "12a,3\n");
  files.fails(ErrorCode::bad_file, "late.csv", "line 1502: column 'x' has '12a', which is not a 32-bit number");
  files.write("comma.csv", "x;y\n1;2\n" + std::string(1000, '\n') + "1;2\n");
  CHECK(files.load("comma.csv").train->info().num_samples == 2);
  files.write("twice.csv", "x,x\n1,2\n");
  files.fails(ErrorCode::bad_file, "twice.csv", "two columns have the name 'x'");
  files.write("empty.csv", "");
  files.fails(ErrorCode::bad_file, "empty.csv", "the file has no rows");
  files.write("header.csv", "x,y\n");
  files.fails(ErrorCode::bad_data, "header.csv", "the data has no samples");
  files.fails(ErrorCode::bad_file, "absent.csv", "cannot open");
}

TEST_CASE("several files form one data set: files that match a pattern by name, listed files as listed") {
  const CsvFolder files;
  files.write("part-2.csv", "x,y\n3,4\n");
  files.write("part-1.csv", "x,y\n1,2\n");
  files.write("other.csv", "x,z\n5,6\n");
  CHECK(read_all(*files.load("part-*.csv").train).values == Floats{1, 3});
  CHECK(read_all(*files.load("part-2.csv," + files.folder / "part-1.csv").train).values == Floats{3, 1});
  files.fails(ErrorCode::bad_file, "none-*.csv", "no file matches this pattern");
  files.fails(ErrorCode::bad_file, "part-1.csv," + files.folder / "other.csv",
              "column 2 has the name 'z', but in the first file 'y'");
}

TEST_CASE("numbers in an unsupported notation cause an error and do not turn a column into text") {
  const CsvFolder files;
  files.write("comma.csv", "a;b;y\n1;2;3\n2,5;3;4\n");
  files.fails(ErrorCode::bad_file, "comma.csv", "comma.csv");
  files.fails(ErrorCode::bad_file, "comma.csv",
              "line 3: column 'a' has '2,5', which is not a 32-bit number: use a decimal point and no "
              "thousands separators; text=a reads its fields as categories");
  CHECK(read_all(*files.load("comma.csv,text=a").train).values == Floats{1, 0, 2, 0, 1, 3});
  CHECK(files.load("comma.csv,ignore=a").train->info().shape == std::vector<std::int64_t>{1});
  CHECK(files.load("comma.csv,class=a").train->info().num_classes == 2);
  files.write("large.csv", "a,y\n1,3\n1e39,inf\n");
  files.fails(ErrorCode::bad_file, "large.csv", "line 3: column 'a' has '1e39'");
  files.fails(ErrorCode::bad_file, "large.csv,text=a", "line 3: column 'y' has 'inf'");
  files.write("zero.csv", std::string("a,y\n1\0,3\n", 9));
  files.fails(ErrorCode::bad_file, "zero.csv", "line 2: column 'a'");
  files.write("words.csv", "a,y\ninf,1\nA1,2\n1.2.3,3\n1e39,4\n");
  CHECK(files.load("words.csv").train->info().shape == std::vector<std::int64_t>{4});
}

TEST_CASE("an empty line in a file with one column is a missing field") {
  const CsvFolder files;
  files.write("a.csv", "x,y\n1,1\n3,2\n");
  files.write("test.csv", "x\n5\n\n7\n");
  files.fails(ErrorCode::bad_file, "a.csv", "line 3: column 'x' has no value", "test.csv");
  for (const std::size_t memory : {std::size_t{0}, std::size_t{4}}) {  // 4: rows stay in their files
    const LimitedDataMemory limited(memory);
    CHECK(read_all(*files.load("a.csv,missing=mean", "test.csv").test).values == Floats{5, 2, 7});
  }
}

TEST_CASE("lines before the table (sep=, comments) are skipped, and UTF-16 is refused") {
  const CsvFolder files;
  files.write("sep.csv", "sep=;\r\na;y\r\n1,5;2\r\n");
  CHECK(files.load("sep.csv,text=a").train->info().value_names == std::vector<std::string>{"a=1,5"});
  files.write("comment.csv", "# made by me, in May\n#\na,b,y\n1,2,3\n4,x,6\n");
  CHECK(files.load("comment.csv").train->info().value_names == std::vector<std::string>{"a", "b=2", "b=x"});
  files.write("header.csv", "#a,b,y\n1,2,3\n");
  CHECK(files.load("header.csv").train->info().value_names == std::vector<std::string>{"#a", "b"});
  files.write("both.csv", "# numbers\n#a,b,y\n1,2,3\n");
  CHECK(files.load("both.csv").train->info().value_names == std::vector<std::string>{"#a", "b"});
  files.write("tags.csv", "#go,1\n#rust,2\nc,3\n");
  CHECK(files.load("tags.csv,header=no").train->info().num_samples == 3);
  files.write("quoted.csv", "#id,text,y\n1,\"hello, world\",3\n2,b,4\n");
  CHECK(files.load("quoted.csv,header=yes").train->info().num_samples == 2);
  files.write("line.csv", "# made by me\na,b,y\n1,2,3\n4,5\n");
  files.fails(ErrorCode::bad_file, "line.csv", "line 4: 2 fields, but there are 3 columns");
  files.write("utf16.csv", std::string("\xFF\xFE"
                                       "a\0,\0y\0\n\0",
                                       10));
  files.fails(ErrorCode::bad_file, "utf16.csv", "the file is UTF-16");
  files.write("bare16.csv", std::string("a\0,\0y\0\n\0", 8));
  files.fails(ErrorCode::bad_file, "bare16.csv", "the file is UTF-16");
}

TEST_CASE("numbers too small for a float are read as zero, and numbers too large are refused") {
  const CsvFolder files;
  files.write("a.csv", "a,y\n1e-400,1\n-1e-60,2\n0.5,3\n");
  CHECK(read_all(*files.load("a.csv").train).values == Floats{0, 0, 0.5F});
  files.write("b.csv", "a,y\n1e400,1\n");
  files.fails(ErrorCode::bad_file, "b.csv", "column 'a' has '1e400', which is not a 32-bit number");
}

TEST_CASE("class names that are equal as numbers are one class, and text must be UTF-8") {
  const CsvFolder files;
  files.write("a.csv", "x,kind\n1,1.0\n2,1\n3,2.00\n4,1.5\n5,v1.0\n");
  CHECK(files.load("a.csv,class=kind").train->info().class_names == std::vector<std::string>{"1", "1.5", "2", "v1.0"});
  files.write("latin1.csv", "x,kind\n1,M\xFCnchen\n");
  files.fails(ErrorCode::bad_file, "latin1.csv", "line 2: column 'kind' has 'M?nchen', which is not valid UTF-8");
  files.write("city.csv", "city,y\nM\xFCnchen,1\n");
  files.fails(ErrorCode::bad_file, "city.csv", "line 2: column 'city' has 'M?nchen', which is not valid UTF-8");
}
