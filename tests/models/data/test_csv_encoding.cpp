#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "models/data/limited_data_memory.hpp"
#include "models/data/samples.hpp"
#include "models/files.hpp"
#include "support/captured_errors.hpp"
#include "troupe/data.hpp"
#include "troupe/pipeline.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

using Floats = std::vector<float>;

/// A training table, and other tables in the same folder.
struct Tables {
  TemporaryFolder folder;
  DataInfo trained;

  explicit Tables(const std::string& table, const std::string& options = "") {
    write("trained.csv", table);
    trained = load_data("csv:" + folder / "trained.csv" + options).train->info();
  }
  void write(const std::string& name, const std::string& text) const { write_file(folder / name, text); }
  std::shared_ptr<const DataSource> like(const std::string& table, const std::string& options = "") const {
    write("new.csv", table);
    return load_data("csv:" + folder / "new.csv" + options, trained).train;
  }
  Floats values(const std::string& table, const std::string& options = "") const {
    return read_all(*like(table, options)).values;
  }
  void fails(ErrorCode code, const std::string& table, const std::string& what, const std::string& options = "") const {
    CAPTURE(table);
    check_throws(code, what, [&] { like(table, options); });
  }
};

const std::string kHouses = "city,rooms,age,price\nUlm,2,10,100\nBonn,3,20,200\nUlm,4,30,300\n";

}  // namespace

TEST_CASE("columns of new data are matched with the training columns by name, in any order") {
  const Tables tables(kHouses);
  {
    const auto data = tables.like("age,price,city,rooms\n7,50,Bonn,1\n8,60,Ulm,2\n");
    CHECK(read_all(*data).values == Floats{1, 0, 1, 7, 0, 1, 2, 8});
    CHECK(read_all(*data).targets == Floats{50, 60});
    CHECK(data->info().value_names == tables.trained.value_names);
    CHECK(data->info().encoding == tables.trained.encoding);
  }
  CHECK(tables.values("age,rooms,city\n7,1,Ulm\n") == Floats{0, 1, 1, 7});
  CHECK(tables.like("age,rooms,city\n7,1,Ulm\n")->info().num_targets == 0);
  tables.fails(ErrorCode::bad_data, "age,city,price\n1,Ulm,2\n", "no column 'rooms', on which the network was trained");
  tables.fails(ErrorCode::bad_file, "age,age,rooms,city\n1,1,1,Ulm\n", "two columns have the name 'age'");
  tables.fails(ErrorCode::bad_file, "age,rooms,city\n1,two,Ulm\n", "line 2: column 'rooms' has 'two'");
  tables.fails(ErrorCode::invalid_argument, "age,rooms,city\n1,2,Ulm\n",
               "the network was trained with this column as an input", ",ignore=age");
  tables.fails(ErrorCode::invalid_argument, "age,rooms,city\n1,2,Ulm\n", "trained with this column as numbers",
               ",text=age");
  tables.fails(ErrorCode::invalid_argument, "age,rooms,city\n1,2,Ulm\n",
               "the network was trained with this column as an input", ",target=age");
}

TEST_CASE("columns that the network was not trained on are ignored and listed in a warning") {
  const Tables tables(kHouses);
  const troupe_test::CapturedErrors errors;
  CHECK(tables.values("age,colour,rooms,city\n7,red,1,Ulm\n") == Floats{0, 1, 1, 7});
  CHECK(errors.text().find("ignored these columns, because the network was not trained on them: colour") !=
        std::string::npos);
}

TEST_CASE("columns without a header are matched by number") {
  const Tables tables(kHouses);
  CHECK(tables.values("Ulm,2,10,100\n") == Floats{0, 1, 2, 10});
  CHECK(tables.values("Bonn,2,10\n") == Floats{1, 0, 2, 10});
  tables.fails(ErrorCode::bad_data, "2,10\n", "the file has 2 columns without names, but the network was trained on 4");
  const Tables numbers("1,2,3\n4,5,6\n");
  CHECK(numbers.values("7,8\n") == Floats{7, 8});
  CHECK(numbers.values("a,b\n7,8\n") == Floats{7, 8});
  CHECK(read_all(*numbers.like("7,8,9\n")).targets == Floats{9});
}

TEST_CASE("columns without names are refused if they match the training columns in more than one way") {
  const Tables tables("id,rooms,age,price\n7,2,10,100\n8,3,20,200\n", ",ignore=id,target=price");
  tables.fails(ErrorCode::bad_data, "2,10,100\n", "they could be 'id', 'rooms', 'age' or 'rooms', 'age', 'price'");
  CHECK(tables.values("2,10\n") == Floats{2, 10});
  const Tables named("1,2,3\n5,6,7\n", ",header=yes");
  CHECK(named.values("2,1,3\n8,9,1\n") == Floats{9, 8});
  CHECK(named.like("2,1,3\n8,9,1\n")->info().num_samples == 1);
}

TEST_CASE("targets keep the order of the training, regardless of the order in the options") {
  const Tables tables("rooms,age,price\n2,10,100\n3,20,200\n", ",target=price+age");
  REQUIRE(tables.trained.target_names == std::vector<std::string>{"age", "price"});
  for (const char* const asked : {"", ",target=price+age", ",target=age+price", ",target=1+age"}) {
    CAPTURE(asked);
    const auto data = tables.like("price,rooms,age\n50,1,7\n", asked);
    CHECK(read_all(*data).targets == Floats{7, 50});
    CHECK(data->info().target_names == tables.trained.target_names);
    CHECK(data->info().encoding.columns.size() == 3);
  }
  tables.fails(ErrorCode::invalid_argument, "price,rooms,age\n50,1,7\n", "target=price is given twice",
               ",target=price+price");
  tables.fails(ErrorCode::bad_data, "price,rooms\n50,1\n", "some targets of the network are missing");
  const auto other = tables.like("price,rooms,age,year\n50,1,7,1990\n", ",target=year");
  CHECK(other->info().target_names == std::vector<std::string>{"year"});
  using Role = InputColumn::Role;
  const auto& columns = other->info().encoding.columns;
  CHECK(columns[1].role == Role::ignored);
  CHECK(columns[2].role == Role::ignored);
  CHECK(columns[3] == InputColumn{.name = "year", .role = Role::target});
}

TEST_CASE("a category that the training set lacks is an error, or all zeros with unseen=zero") {
  const Tables tables(kHouses);
  const std::string table = "city,rooms,age\nUlm,1,2\nKiel,3,4\n";
  tables.fails(ErrorCode::bad_file, table, "line 3: column 'city' has 'Kiel', which is not in the training set");
  tables.fails(ErrorCode::bad_file, table, "line 3", ",unseen=error");
  CHECK(tables.values(table, ",unseen=zero") == Floats{0, 1, 1, 2, 0, 0, 3, 4});
  tables.fails(ErrorCode::invalid_argument, table, "unseen=nought must be error or zero", ",unseen=nought");
  const Tables kinds("x,kind\n1,a\n2,b\n");
  const auto other = kinds.like("x,kind\n1,c\n2,b\n");  // for predictions: classes may differ
  CHECK(other->info().class_names == std::vector<std::string>{"a", "b", "c"});
  CHECK(read_all(*other).labels == std::vector<std::int32_t>{2, 1});
}

TEST_CASE("classes keep the numbers that they have in the training") {
  const Tables kinds("x,kind\n1,a\n2,b\n");
  CHECK(read_all(*kinds.like("kind,x\nb,5\n")).labels == std::vector<std::int32_t>{1});
  CHECK(kinds.like("kind,x\nb,5\n")->info().num_classes == 2);
  CHECK(kinds.like("kind,x\nc,5\n", ",ignore=kind")->info().num_classes == 0);
}

TEST_CASE("missing fields are filled as in the training") {
  const std::string gaps = "city,rooms,price\nUlm,2,1\n,4,2\nUlm,,3\n";
  const std::string missing = "city,rooms\nNA,?\n";
  CHECK(Tables(gaps, ",missing=mean").values(missing) == Floats{1, 0, 3});
  CHECK(Tables(gaps, ",missing=mean").values(missing, ",missing=mean") == Floats{1, 0, 3});
  CHECK(Tables(gaps, ",missing=7").values(missing) == Floats{1, 0, 7});
  CHECK(Tables(kHouses + "Ulm,5,60,1\n").values("city,rooms,age\nUlm,,1\n", ",missing=9") == Floats{0, 1, 9, 1});
  Tables(kHouses).fails(ErrorCode::bad_file, "city,rooms,age\nUlm,,1\n", "line 2: column 'rooms' has no value");
  Tables(kHouses).fails(ErrorCode::bad_file, "city,rooms,age\n,1,1\n", "line 2: column 'city' has no value");
}

TEST_CASE("rows that are read from their files are matched by column name, too") {
  const Tables tables(kHouses);
  const std::string table = "age,price,city,rooms\n7,50,Bonn,1\n8,60,Kiel,2\n";
  const auto in_memory = read_all(*tables.like(table, ",unseen=zero"));
  const LimitedDataMemory limited(1);
  for (int round = 0; round < 2; ++round) {  // the second time with the index file
    const auto in_files = tables.like(table, ",unseen=zero,missing=skip");
    CHECK(in_files->info().slow);
    CHECK(read_all(*in_files).values == in_memory.values);
    CHECK(read_all(*in_files).targets == in_memory.targets);
  }
}

TEST_CASE("a fold of a table is matched by column name like the table") {
  const Tables tables(kHouses);
  tables.write("new.csv", "age,price,city,rooms\n7,50,Bonn,1\n8,60,Ulm,2\n");
  const TrainingData fold = load_data("fold:1/2:csv:" + tables.folder / "new.csv", tables.trained);
  CHECK(fold.train->info().value_names == tables.trained.value_names);
  CHECK(fold.train->info().num_samples + fold.validation->info().num_samples == 2);
}

TEST_CASE("tables with columns in different orders are not concatenated") {
  const Tables tables("a,b,y\n1,2,3\n");
  tables.write("other.csv", "b,a,y\n1,2,3\n");
  const auto one = load_data("csv:" + tables.folder / "trained.csv").train;
  const auto other = load_data("csv:" + tables.folder / "other.csv").train;
  CHECK(data::concat({one, one})->info().num_samples == 2);
  check_throws(ErrorCode::bad_data, "differ in the names", [&] { data::concat({one, other}); });
}
