#include <archive.h>
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <cmath>
#include <filesystem>
#include <thread>

#include "models/data/kept_index.hpp"
#include "models/data/samples.hpp"
#include "models/data/tar/tar_index.hpp"
#include "models/files.hpp"
#include "support/image_bytes.hpp"
#include "support/tar_bytes.hpp"
#include "troupe/data.hpp"

using namespace troupe;
using namespace troupe::testing;
using namespace troupe_test;

namespace {

std::string grey_png(int value) { return png_bytes(std::string(4, static_cast<char>(value)), 2, 2, 1); }

std::string npy_floats(const std::vector<float>& values) {
  return npy_bytes(npy_dictionary("<f4", "(" + std::to_string(values.size()) + ",)"), raw_bytes(values));
}

/// A folder of archives.
struct Archives {
  TemporaryFolder folder;

  std::string write(const std::string& name, const TarFiles& files) const {
    write_file(folder / name, tar_bytes(files));
    return folder / name;
  }
  TrainingData load(const std::string& rest = "a.tar") const { return load_data("tar:" + folder / rest); }
  void fails(ErrorCode code, const std::string& rest, const std::string& what) const {
    CAPTURE(rest);
    check_throws(code, what, [&] { load(rest); });
  }
  void refuses(const TarFiles& files, const std::string& what) const {
    write("a.tar", files);
    fails(ErrorCode::bad_file, "a.tar", what);
  }
};

/// Returns files of a part: sample j of part p has class p and value 10 p + j.
TarFiles numbered_files(int part, int samples) {
  TarFiles files;
  for (int j = 0; j < samples; ++j) {
    const std::string name = std::to_string(part) + "-" + std::to_string(j);
    files.emplace_back(name + ".npy", npy_floats({static_cast<float>(10 * part + j), 0.5F}));
    files.emplace_back(name + ".cls", std::to_string(part) + "\n");
  }
  return files;
}

}  // namespace

TEST_CASE("members with the same name up to the first dot form one sample") {
  const Archives archives;
  archives.write("a.tar", {{"README.txt", "of no sample"},
                           {"7.cls", " 2\n"},
                           {"7.png", grey_png(51)},
                           {"7.json", "{\"width\": 2}"},
                           {"x/0.jpg.note", "no image"},
                           {"3.PNG", grey_png(255)},
                           {"3.json", R"({"label": 0, "more": [1]})"},
                           {"x/.hidden.png", "none"}});
  const auto data = archives.load("a.tar,channels=1").train;
  CHECK(data->info().shape == std::vector<std::int64_t>{1, 2, 2});
  CHECK(data->info().num_classes == 3);
  CHECK(data->info().class_names.empty());
  CHECK(data->info().parts.empty());
  const Samples samples = read_all(*data);
  CHECK(samples.labels == std::vector<std::int32_t>{2, 0});
  CHECK(samples.values[0] == doctest::Approx(0.2));
  CHECK(samples.values[4] == doctest::Approx(1));
}

TEST_CASE("class names come from .txt, .json or folder and are sorted, and the test set must use the same classes") {
  const Archives archives;
  archives.write("a.tar", {{"train/dog/1.png", grey_png(1)},
                           {"train/cat/1.png", grey_png(2)},
                           {"train/2.txt", "eel \n"},
                           {"train/2.png", grey_png(3)},
                           {"train/dog/photo.1.png", grey_png(4)}});
  archives.write("t.tar", {{"test/eel/1.png", grey_png(9)}});
  const auto data = archives.load("a.tar,size=1,test=" + archives.folder / "t.tar");
  CHECK(data.train->info().class_names == std::vector<std::string>{"cat", "dog", "eel"});
  CHECK(read_all(*data.train).labels == std::vector<std::int32_t>{1, 0, 2, 1});
  CHECK(read_all(*data.test).labels == std::vector<std::int32_t>{2});
  CHECK(data.test->info().num_classes == 3);
  archives.write("t.tar", {{"test/owl/1.png", grey_png(9)}});
  archives.fails(ErrorCode::bad_file, "a.tar,test=" + archives.folder / "t.tar",
                 "'owl' is not among the classes of the training set");
}

TEST_CASE("arrays are values, or targets if they are named so") {
  const Archives archives;
  archives.write("a.tar", {{"1.x.npy", npy_floats({1, 2, 3})},
                           {"1.y.npy", npy_floats({7, 8})},
                           {"2.npy", npy_floats({4, 5, 6})},
                           {"2.target.npy", npy_floats({9, 10})}});
  const auto data = archives.load().train;
  CHECK(data->info().num_targets == 2);
  CHECK(data->info().shape == std::vector<std::int64_t>{3});
  CHECK(read_all(*data).values == std::vector<float>{1, 2, 3, 4, 5, 6});
  CHECK(read_all(*data).targets == std::vector<float>{7, 8, 9, 10});
  archives.write("b.tar", {{"x/1.npy", npy_bytes(npy_dictionary("|u1", "(1, 2)"), "\xff\x33")}});
  const auto bytes = archives.load("b.tar").train;
  CHECK(read_all(*bytes).values[1] == doctest::Approx(0.2));
  CHECK(bytes->info().shape == std::vector<std::int64_t>{1, 2});
}

TEST_CASE("compressed archives, patterns, ranges and the output of commands give the same samples") {
  const Archives archives;
  write_tar(archives.folder / "p-08.tar", numbered_files(0, 3), ARCHIVE_FILTER_NONE);
  write_tar(archives.folder / "p-09.tar", numbered_files(1, 4), ARCHIVE_FILTER_NONE);
  write_tar(archives.folder / "p-10.tar", numbered_files(2, 2), ARCHIVE_FILTER_NONE);
  const Samples plain = read_all(*archives.load("p-*.tar").train);
  CHECK(plain.values.size() == 18);
  CHECK(plain.values[8 * 2] == 21);
  CHECK(read_all(*archives.load("p-{08..10}.tar").train).values == plain.values);
  for (const int filter : {ARCHIVE_FILTER_GZIP, ARCHIVE_FILTER_ZSTD}) {
    for (int part = 0; part < 3; ++part)
      write_tar(archives.folder / "c-" + std::to_string(part) + ".tar.gz",
                numbered_files(part, part == 0   ? 3
                                     : part == 1 ? 4
                                                 : 2),
                filter);
    for (const int reading : {1, 2}) {  // first with a new index, then with the stored one
      CAPTURE(reading);
      const auto data = archives.load("c-{0..2}.tar.gz").train;
      CHECK(data->info().parts == std::vector<std::int64_t>{0, 3, 7});
      CHECK(data->info().held_parts > 1);
      CHECK(read_all(*data).values == plain.values);
      CHECK(read_samples(*data, {8, 0, 4, 8}).values == std::vector<float>{21, .5F, 0, .5F, 11, .5F, 21, .5F});
    }
  }
  ::setenv("TROUPE_ALLOW_PIPE", "1", 1);
  const auto piped = load_data("tar:pipe:cat " + archives.folder / "c-{0..2}.tar.gz").train;
  CHECK(piped->info().parts == std::vector<std::int64_t>{0, 3, 7});
  CHECK(read_all(*piped).values == plain.values);
  ::unsetenv("TROUPE_ALLOW_PIPE");
}

TEST_CASE("commands run only if the environment allows them, and their errors are reported") {
  const Archives archives;
  archives.write("a.tar", numbered_files(0, 3));
  const std::string command = "tar:pipe:cat " + archives.folder / "a.tar";
  check_throws(ErrorCode::invalid_argument, "TROUPE_ALLOW_PIPE", [&] { load_data(command); });
  ::setenv("TROUPE_ALLOW_PIPE", "1", 1);
  check_throws(ErrorCode::bad_file, "status 3: no such bucket",
               [&] { load_data(command + "; echo trying >&2; echo no such bucket >&2; exit 3"); });
  check_throws(ErrorCode::bad_file, "the archive is empty", [] { load_data("tar:pipe:true"); });
  check_throws(ErrorCode::invalid_argument, "no command", [] { load_data("tar:pipe:"); });
  check_throws(ErrorCode::bad_file, "archive", [] { load_data("tar:pipe:echo --a=b"); });
  // Each run of the command writes more bytes.
  const std::string more = "; echo >> count; head -c $((2000384 + $(wc -c < count) * 512)) /dev/zero";
  check_throws(ErrorCode::bad_file, "has changed", [&] {
    load_data("tar:memory=1,pipe:cd " + archives.folder / ";cat a.tar" + more + ",pipe:cat " +
              archives.folder / "a.tar");
  });
  ::unsetenv("TROUPE_ALLOW_PIPE");
}

TEST_CASE("parts are read again if the memory cannot hold all of them") {
  const Archives archives;
  TarFiles files = numbered_files(0, 2);
  files.emplace_back("filler.bin", std::string(700'000, 'x'));
  for (const char* const name : {"a.tar.gz", "b.tar.gz", "c.tar.gz"})
    write_tar(archives.folder / name, files, ARCHIVE_FILTER_GZIP);
  const auto data = archives.load("*.tar.gz,memory=1").train;
  const Samples samples = read_samples(*data, {0, 2, 4, 1, 3, 5, 0});
  CHECK(samples.values[0] == 0);
  CHECK(samples.values[2 * 4] == 1);
  std::filesystem::remove(archives.folder / "a.tar.gz");
  CHECK(read_samples(*data, {0}).values[0] == 0);  // held in memory
  read_samples(*data, {2, 4});
  check_throws(ErrorCode::bad_file, "a.tar.gz", [&] { read_samples(*data, {0}); });
}

TEST_CASE("a part that several threads need is loaded once") {
  const Archives archives;
  TarFiles files = numbered_files(0, 2);
  files.emplace_back("filler.bin", std::string(700'000, 'x'));
  archives.write("a.tar", files);
  ::setenv("TROUPE_ALLOW_PIPE", "1", 1);
  const std::string command = "pipe:cd " + archives.folder / ";echo >> runs-{0..1}; cat a.tar";
  const auto data = load_data("tar:memory=1," + command).train;
  read_samples(*data, {2});  // reads the second part, which evicts the first
  const std::size_t before = read_file(archives.folder / "runs-0").size();
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i) threads.emplace_back([&] { read_samples(*data, {0, 1}); });
  threads.clear();
  CHECK(read_file(archives.folder / "runs-0").size() == before + 1);
  ::unsetenv("TROUPE_ALLOW_PIPE");
}

TEST_CASE("an index is stored next to an archive and rebuilt if the archive changes or the index is damaged") {
  const Archives archives;
  const std::string archive = archives.write("a.tar", numbered_files(0, 3));
  const std::string index = archive + ".index";
  CHECK(archives.load().train->info().num_samples == 3);
  const std::string kept = read_file(index);
  CHECK(kept.starts_with("troupe tar index 1"));
  for (const std::string& damaged :
       {kept.substr(0, kept.size() / 2), kept + "x", std::string("troupe tar index"), std::string()}) {
    write_file(index, damaged);
    CHECK(read_all(*archives.load().train).values[2] == 1);
    CHECK(read_file(index) == kept);
  }
  archives.write("a.tar", numbered_files(0, 5));
  CHECK(archives.load().train->info().num_samples == 5);
  CHECK(read_file(index) != kept);
  std::string long_one = "troupe tar index 1\t";
  long_one.resize((2 << 20) + 1000);
  write_file(index, with_checksum(long_one));
  CHECK_FALSE(read_kept_index(index_place(archive).path, "troupe tar index 1", 2 << 20));
  CHECK(read_kept_index(index_place(archive).path, "troupe tar index 1", 3 << 20));
  CHECK(archives.load().train->info().num_samples == 5);
  write_file(index, "another program's");
  CHECK(archives.load().train->info().num_samples == 5);
  CHECK(read_file(index) == "another program's");
}

namespace {

/// What an index says, to be changed.
struct Lie {
  std::uint64_t content = 0;
  std::vector<TarSample> samples = {};
};

}  // namespace

TEST_CASE("an index with wrong entries causes an error or is not used") {
  const Archives archives;
  const std::string archive = archives.write("a.tar", numbered_files(0, 3));
  archives.load();
  const auto index = tar_index_from(read_kept_index(index_place(archive).path, "", 1 << 20).value());
  REQUIRE(index);
  const auto lying = [&](const auto& change) {
    Lie lie{.content = index->content};
    index->samples.for_each([&](const TarSample& sample) { lie.samples.push_back(sample); });
    change(lie);
    TarIndex other{.file_bytes = index->file_bytes, .modified = index->modified, .content = lie.content};
    for (const TarSample& sample : lie.samples) other.samples.add(sample);
    write_file(archive + ".index", with_checksum(to_text(other)));
    return archives.load().train;
  };
  const auto refused_with = [&](const std::string& what, const auto& change) {
    check_throws(ErrorCode::bad_file, what, [&] { read_samples(*lying(change), {1}); });
  };
  refused_with("found another member",
               [](Lie& lie) { std::swap(lie.samples[2].values.offset, lie.samples[1].values.offset); });
  refused_with("found another member", [](Lie& lie) { lie.samples[1].values.bytes -= 4; });
  refused_with("the index of the archive is wrong", [](Lie& lie) { lie.samples[2].label = "x"; });
  for (const std::uint64_t far : {std::uint64_t{1} << 40, UINT64_MAX}) {
    CHECK(read_all(*lying([&](Lie& lie) { lie.samples[1].values.offset = far; })).values[2] == 1);
    CHECK(read_all(*lying([&](Lie& lie) { lie.content = lie.samples[1].values.bytes = far; })).values[2] == 1);
  }
}

TEST_CASE("the error about values and targets that are not finite names archive and member") {
  const Archives archives;
  archives.write("a.tar",
                 {{"1.npy", npy_floats({1, 2})}, {"1.cls", "0"}, {"2.npy", npy_floats({1, NAN})}, {"2.cls", "1"}});
  const auto values = archives.load().train;
  read_samples(*values, {0});
  check_throws(ErrorCode::bad_data, "value nan of the array is not finite", [&] { read_all(*values); });
  check_throws(ErrorCode::bad_data, "2.npy at byte", [&] { read_all(*values); });
  archives.write("b.tar", {{"1.npy", npy_floats({1})}, {"1.y.npy", npy_floats({INFINITY})}});
  const auto targets = archives.load("b.tar").train;
  check_throws(ErrorCode::bad_data, "1.y.npy at byte", [&] { read_all(*targets); });
}

TEST_CASE("an archive that changes or disappears during the run causes an error") {
  const Archives archives;
  archives.write("a.tar", numbered_files(0, 3));
  const auto data = archives.load().train;
  archives.write("a.tar", numbered_files(0, 4));
  check_throws(ErrorCode::bad_file, "has changed", [&] { read_all(*data); });
  std::filesystem::remove(archives.folder / "a.tar");
  check_throws(ErrorCode::bad_file, "a.tar", [&] { read_all(*data); });
}

TEST_CASE("the error about an invalid sample names archive, member and offset") {
  const Archives archives;
  const std::string png = grey_png(7);
  archives.refuses({}, "the archive contains no .jpg");
  archives.refuses({{"x/1.png", png}, {"2.cls", "1"}}, "2.cls at byte 1024 of");
  archives.refuses({{"x/1.png", png}, {"x/1.jpg", png}}, "the second member of its kind");
  archives.refuses({{"x/p.1.png", png}, {"x/p.2.png", png}}, "ends at the first dot");
  archives.refuses({{"1.png", png}}, "the sample has no class");
  archives.refuses({{"1.png", png}, {"1.cls", "one"}}, "'one' is not the number of a class");
  archives.refuses({{"1.png", png}, {"1.cls", "-1"}}, "not the number of a class");
  archives.refuses({{"1.png", png}, {"1.cls", "2147483647"}}, "not the number of a class");
  archives.refuses({{"1.png", png}, {"1.cls", "2000000000"}}, "1.png at byte 0 of");
  archives.refuses({{"1.png", png}, {"1.cls", "100000"}}, "class 100000 is out of range: classes are 0 to 99999");
  archives.refuses({{"1.png", png}, {"1.json", "{\"label\": 1.5}"}}, "not the number of a class");
  archives.refuses({{"1.png", png}, {"1.json", "{"}}, "not JSON");
  archives.refuses({{"1.png", png}, {"1.txt", "a\x1b[2J"}}, "not a valid class name");
  archives.refuses({{"x/1.png", png}, {"2.png", png}, {"2.cls", "0"}}, "but the first sample has a class by its name");
  archives.refuses({{"x/1.png", png}, {"x/2.npy", npy_floats({1})}}, "the first sample is an image");
  archives.refuses({{"../../x\x1b.png", "damaged"}}, "the sample has no class");
  archives.write("a.tar", {{"../../x/a\x1b.png", "damaged"}});
  check_throws(ErrorCode::bad_file, "../../x/a?.png at byte 0 of", [&] {
    archives.load("a.tar,size=2");
    read_all(*archives.load("a.tar,size=2").train);
  });
  archives.write("a.tar", {{"x/1.npy", npy_floats({1, 2})}, {"x/2.npy", npy_floats({1, 2, 3})}});
  check_throws(ErrorCode::bad_file, "x/2.npy", [&] { read_all(*archives.load().train); });
  archives.fails(ErrorCode::invalid_argument, "a.tar,size=2", "apply only to images");
  archives.fails(ErrorCode::invalid_argument, "a.tar,memory=0", "must be a number of megabytes");
  archives.fails(ErrorCode::invalid_argument, "a-{3..1}.tar", "is descending");
  archives.fails(ErrorCode::invalid_argument, "a-{0..9999999}.tar", "more than 100000");
  archives.fails(ErrorCode::bad_file, "b*.tar", "no file matches this pattern");
  archives.fails(ErrorCode::bad_file, "b.tar", "cannot open");
}
