#include <doctest/doctest.h>
#include <sys/stat.h>

#include <string>
#include <vector>

#include "models/files.hpp"
#include "models/files/idx.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

/// Checks that reading these bytes, gzipped, fails with a message that contains `what`.
void check_bad_idx(const std::string& what, const std::string& bytes) {
  const TemporaryFolder folder;
  const std::string path = folder / "array.gz";
  write_gzip(path, bytes);
  check_throws(ErrorCode::bad_file, what, [&] { read_idx(path); });
  check_throws(ErrorCode::bad_file, path, [&] { read_idx(path); });
}

/// Checks the same for the bytes as they are.
void check_bad_file(const std::string& what, const std::string& bytes) {
  const TemporaryFolder folder;
  const std::string path = folder / "array.gz";
  write_file(path, bytes);
  check_throws(ErrorCode::bad_file, what, [&] { read_idx(path); });
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
  const NumberArray array = read_idx(folder / "array.gz");
  CHECK(array.shape == std::vector<std::int64_t>{2, 3});
  CHECK(array.bytes == std::vector<std::uint8_t>{'a', 'b', 'c', 'd', 'e', 'f'});
}

TEST_CASE("elements of an IDX file are big-endian, and the file need not be compressed") {
  const TemporaryFolder folder;
  const auto read = [&](char type, std::uint32_t length, const std::string& bytes) {
    std::string text = idx_bytes({length}, bytes);
    text[2] = type;
    write_file(folder / "array", text);
    return read_idx(folder / "array");
  };
  CHECK(read('\x09', 2, std::string("\xff\x02", 2)).integers() == std::vector<std::int64_t>{-1, 2});
  CHECK(read('\x0b', 2, std::string("\xff\xfe\x01\x02", 4)).integers() == std::vector<std::int64_t>{-2, 258});
  CHECK(read('\x0c', 1, std::string("\0\0\1\0", 4)).integers() == std::vector<std::int64_t>{256});
  CHECK(read('\x0d', 1, std::string("\x3f\x80\0\0", 4)).floats() == std::vector<float>{1});
  CHECK(read('\x0e', 1, std::string("\xbf\xe0\0\0\0\0\0\0", 8)).floats() == std::vector<float>{-0.5F});
  check_throws(ErrorCode::bad_file, "truncated", [&] { read('\x0c', 1, "abc"); });
  check_throws(ErrorCode::bad_file, "longer", [&] { read('\x0c', 1, "abcde"); });
}

TEST_CASE("IDX files with a size that does not match the header are refused") {
  const std::string good = idx_bytes({2, 3}, "abcdef");
  check_bad_idx("truncated", "");
  for (std::size_t length = 1; length < good.size(); ++length) check_bad_idx("truncated", good.substr(0, length));
  check_bad_idx("longer", good + "g");
  check_bad_idx("not an IDX file", idx_bytes({}, "a"));
  std::string other = good;
  other[2] = '\x0a';
  check_bad_idx("not an IDX file", other);
  std::string magic = good;
  magic[0] = '\x01';
  check_bad_idx("not an IDX file", magic);
}

TEST_CASE("IDX headers with impossible sizes are refused before memory is allocated") {
  check_bad_idx("more than the file can hold", idx_bytes({1'000'000, 1'000'000}, "abc"));
  check_bad_idx("declares", idx_bytes({0xFFFFFFFF, 0xFFFFFFFF}, "abc"));
  check_bad_idx("declares an array that is too large", idx_bytes({0, 0xFFFFFFFF, 0xFFFFFFFF}, ""));
  check_bad_idx("truncated", idx_bytes({10, 100}, "abc"));
}

TEST_CASE("reading an IDX file allocates no more than the limit") {
  const TemporaryFolder folder;
  write_gzip(folder / "array.gz", idx_bytes({1000, 1000}, std::string(1'000'000, '\0')));
  CHECK(read_idx(folder / "array.gz", 1'000'000).bytes.size() == 1'000'000);
  check_throws(ErrorCode::limit_reached, "array.gz", [&] { read_idx(folder / "array.gz", 999'999); });
  check_throws(ErrorCode::limit_reached, "--data-memory", [&] { read_idx(folder / "array.gz", 999'999); });
  write_file(folder / "plain", idx_bytes({2, 3}, "abcdef"));
  check_throws(ErrorCode::limit_reached, "plain", [&] { read_idx(folder / "plain", 5); });
}

TEST_CASE("files that are not one whole gzip member are refused") {
  const std::string good = gzip(idx_bytes({2, 3}, "abcdef"));
  for (std::size_t length = 0; length < good.size(); ++length) {
    CAPTURE(length);
    check_bad_file("array.gz", good.substr(0, length));
  }
  check_bad_file("bytes after", good + "x");
  check_bad_file("bytes after", good + good);
  std::string checksum = good;
  checksum[checksum.size() - 5] ^= 1;
  check_bad_file("damaged", checksum);
}

TEST_CASE("a path that is not a regular file is refused") {
  const TemporaryFolder folder;
  const auto bad = [&](const std::string& path) { check_throws(ErrorCode::bad_file, path, [&] { read_idx(path); }); };
  bad(folder / "missing.gz");
  bad(folder.path().string());
  const std::string fifo = folder / "fifo";
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  bad(fifo);
}
