#include <doctest/doctest.h>
#include <sys/stat.h>

#include <string>
#include <vector>

#include "models/files.hpp"
#include "models/files/idx.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

/// Reading these bytes, gzipped, as an array of two dimensions must fail and say `what`.
void check_bad_idx(const std::string& what, const std::string& bytes) {
  const TemporaryFolder folder;
  const std::string path = folder / "array.gz";
  write_gzip(path, bytes);
  check_throws(ErrorCode::bad_file, what, [&] { read_idx(path, 2); });
  check_throws(ErrorCode::bad_file, path, [&] { read_idx(path, 2); });
}

/// The same for the file as it is.
void check_bad_file(const std::string& what, const std::string& bytes) {
  const TemporaryFolder folder;
  const std::string path = folder / "array.gz";
  write_file(path, bytes);
  check_throws(ErrorCode::bad_file, what, [&] { read_idx(path, 2); });
}

std::string gzip(const std::string& bytes) {
  const TemporaryFolder folder;
  write_gzip(folder / "x.gz", bytes);
  return read_file(folder / "x.gz");
}

}  // namespace

TEST_CASE("an IDX file is read") {
  const TemporaryFolder folder;
  write_gzip(folder / "array.gz", idx_bytes({2, 3}, "abcdef"));
  const IdxArray array = read_idx(folder / "array.gz", 2);
  CHECK(array.shape == std::vector<std::int64_t>{2, 3});
  CHECK(array.bytes == std::vector<std::uint8_t>{'a', 'b', 'c', 'd', 'e', 'f'});
}

TEST_CASE("IDX files that do not hold what they say are refused") {
  const std::string good = idx_bytes({2, 3}, "abcdef");
  check_bad_idx("truncated", "");
  for (std::size_t length = 1; length < good.size(); ++length) check_bad_idx("truncated", good.substr(0, length));
  check_bad_idx("longer", good + "g");
  check_bad_idx("not an IDX file", idx_bytes({2, 3, 1}, "abcdef"));
  std::string floats = good;
  floats[2] = '\x0d';
  check_bad_idx("not an IDX file", floats);
  std::string magic = good;
  magic[0] = '\x01';
  check_bad_idx("not an IDX file", magic);
}

TEST_CASE("IDX headers that promise more than the file could hold are refused before memory is taken") {
  check_bad_idx("more than the file can hold", idx_bytes({1'000'000, 1'000'000}, "abc"));
  check_bad_idx("promises", idx_bytes({0xFFFFFFFF, 0xFFFFFFFF}, "abc"));
  check_bad_idx("truncated", idx_bytes({10, 100}, "abc"));
}

TEST_CASE("files that are not one whole gzip member are refused") {
  const std::string good = gzip(idx_bytes({2, 3}, "abcdef"));
  for (std::size_t length = 0; length < good.size(); ++length) {
    CAPTURE(length);
    check_bad_file("array.gz", good.substr(0, length));
  }
  check_bad_file("bytes after", good + "x");
  check_bad_file("bytes after", good + good);
  check_bad_file("not gzip", idx_bytes({2, 3}, "abcdef"));
  std::string checksum = good;
  checksum[checksum.size() - 5] ^= 1;
  check_bad_file("damaged", checksum);
}

TEST_CASE("what is not a regular file is refused") {
  const TemporaryFolder folder;
  const auto bad = [&](const std::string& path) {
    check_throws(ErrorCode::bad_file, path, [&] { read_idx(path, 2); });
  };
  bad(folder / "missing.gz");
  bad(folder.path().string());
  const std::string fifo = folder / "fifo";
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  bad(fifo);
}
