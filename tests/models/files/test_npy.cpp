#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "models/files.hpp"
#include "models/files/npy.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

NumberArray npy_of(const std::string& bytes) {
  const TemporaryFolder folder;
  write_file(folder / "a.npy", bytes);
  return read_npy(folder / "a.npy");
}

void check_bad_npy(const std::string& what, const std::string& bytes) {
  check_throws(ErrorCode::bad_file, what, [&] { npy_of(bytes); });
  check_throws(ErrorCode::bad_file, "a.npy", [&] { npy_of(bytes); });
}

const std::string kFloats = raw_bytes<float>({1.5F, -2, 0, 4, 5, 6});

}  // namespace

TEST_CASE("arrays of all element types are read") {
  const auto array = [](const std::string& descr, const std::string& data) {
    return npy_of(npy_bytes(npy_dictionary(descr, "(2,)"), data));
  };
  CHECK(array("<f4", raw_bytes<float>({1.5F, -2})).floats() == std::vector<float>{1.5F, -2});
  CHECK(array("<f8", raw_bytes<double>({1.5, -2})).floats() == std::vector<float>{1.5F, -2});
  CHECK(array("|u1", raw_bytes<std::uint8_t>({7, 255})).integers() == std::vector<std::int64_t>{7, 255});
  CHECK(array("|u1", raw_bytes<std::uint8_t>({7, 255})).floats() == std::vector<float>{7, 255});
  CHECK(array("<i4", raw_bytes<std::int32_t>({7, -1})).integers() == std::vector<std::int64_t>{7, -1});
  CHECK(array("<i8", raw_bytes<std::int64_t>({1LL << 40, -1})).integers() == std::vector<std::int64_t>{1LL << 40, -1});
  CHECK(array("<i8", raw_bytes<std::int64_t>({3, -1})).floats() == std::vector<float>{3, -1});
  CHECK(array("|i1", raw_bytes<std::int8_t>({7, -1})).integers() == std::vector<std::int64_t>{7, -1});
  CHECK(array("<i2", raw_bytes<std::int16_t>({700, -1})).floats() == std::vector<float>{700, -1});
  CHECK(array("<u2", raw_bytes<std::uint16_t>({700, 65535})).integers() == std::vector<std::int64_t>{700, 65535});
  CHECK(array("<u4", raw_bytes<std::uint32_t>({7, 1U << 31})).integers() == std::vector<std::int64_t>{7, 1LL << 31});
  CHECK(array("<u8", raw_bytes<std::uint64_t>({7, 1ULL << 40})).floats() == std::vector<float>{7, 0x1p40F});
  CHECK(array("|b1", raw_bytes<std::uint8_t>({0, 1})).integers() == std::vector<std::int64_t>{0, 1});
}

TEST_CASE("half floats are read, including subnormal ones and infinity") {
  const std::vector<std::uint16_t> halves{0x3c00, 0xc000, 0x3555, 0x7bff, 0x0001, 0x8000, 0x7c00, 0xfc00};
  const auto floats = npy_of(npy_bytes(npy_dictionary("<f2", "(8,)"), raw_bytes(halves))).floats();
  CHECK(floats == std::vector<float>{1, -2, 0x1.554p-2F, 65504, 0x1p-24F, 0, HUGE_VALF, -HUGE_VALF});
  CHECK(std::signbit(floats[5]));
  CHECK(std::isnan(npy_of(npy_bytes(npy_dictionary("<f2", "(1,)"), raw_bytes<std::uint16_t>({0x7e00}))).floats()[0]));
}

TEST_CASE("big-endian arrays are read") {
  const auto array = [](const std::string& descr, const std::string& data) {
    return npy_of(npy_bytes(npy_dictionary(descr, "(2,)"), data));
  };
  CHECK(array(">i4", std::string("\x00\x00\x01\x02\xff\xff\xff\xff", 8)).integers() ==
        std::vector<std::int64_t>{258, -1});
  CHECK(array(">f4", std::string("\x3f\x80\x00\x00\xc0\x00\x00\x00", 8)).floats() == std::vector<float>{1, -2});
}

TEST_CASE("versions 1, 2 and 3 of the format, all shapes and padded headers are read") {
  for (const int version : {1, 2, 3}) {
    const NumberArray array = npy_of(npy_bytes(npy_dictionary("<f4", "(2, 3)") + "      ", kFloats, version));
    CHECK(array.shape == std::vector<std::int64_t>{2, 3});
    CHECK(array.size() == 6);
  }
  CHECK(npy_of(npy_bytes(npy_dictionary("<f4", "()"), kFloats.substr(0, 4))).shape.empty());
  CHECK(npy_of(npy_bytes("{'shape':(6,),'fortran_order':False,'descr':\"<f4\"}", kFloats)).size() == 6);
}

TEST_CASE("unsupported element types and Fortran order are refused") {
  for (const char* descr : {"=f4", "|f4", "<c8", "<b4", "|O", "<U4", "<f16", "", "f4", "<", "<i3"}) {
    check_bad_npy("unsupported element type", npy_bytes(npy_dictionary(descr, "(6,)"), kFloats));
  }
  check_bad_npy("Fortran order: save numpy.ascontiguousarray",
                npy_bytes(npy_dictionary("<f4", "(2, 3)", true), kFloats));
}

TEST_CASE("a file with a size that does not match the header is refused") {
  check_bad_npy("truncated: the header declares 24 bytes of data, but the file holds 20",
                npy_bytes(npy_dictionary("<f4", "(6,)"), kFloats.substr(4)));
  check_bad_npy("holds 25", npy_bytes(npy_dictionary("<f4", "(6,)"), kFloats + "x"));
  check_bad_npy("declares", npy_bytes(npy_dictionary("<f4", "(4611686018427387904, 4)"), kFloats));
  check_bad_npy("declares", npy_bytes(npy_dictionary("<f4", "(1000000000000,)"), kFloats));
  check_bad_npy("declares an array that is too large",
                npy_bytes(npy_dictionary("<f4", "(0, 1000000000000, 1000000000000)"), ""));
}

TEST_CASE("malformed NumPy headers are refused") {
  const std::string good = npy_bytes(npy_dictionary("<f4", "(6,)"), kFloats);
  for (std::size_t length = 0; length + 24 < good.size(); ++length) {
    CAPTURE(length);
    check_throws(ErrorCode::bad_file, "a.npy", [&] { npy_of(good.substr(0, length)); });
  }
  check_bad_npy("the file is empty", "");
  check_bad_npy("not a NumPy file", std::string("\x92") + good.substr(1));
  check_bad_npy("version", npy_bytes(npy_dictionary("<f4", "(6,)"), kFloats, 4));
  std::string huge = npy_bytes(npy_dictionary("<f4", "(6,)"), kFloats, 2);
  std::memcpy(huge.data() + 8, "\xff\xff\xff\xff", 4);
  check_bad_npy("the header is truncated", huge);
  for (const char* dictionary :
       {"", "{}", "{'descr': '<f4', 'fortran_order': False}", "{'descr': '<f4', 'fortran_order': False, 'shape': 6}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (6)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-6,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (6,,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
        "{'descr': '<f4', 'fortran_order': 0, 'shape': (6,)}", "{'descr': <f4, 'fortran_order': False, 'shape': (6,)}",
        "{'descr': '<f4' 'fortran_order': False, 'shape': (6,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (6,)",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (6,)} x",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (6,), 'shape': (6,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (6,), 'more': 1}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (6,"}) {
    CAPTURE(dictionary);
    check_bad_npy("malformed", npy_bytes(dictionary, kFloats));
  }
}

TEST_CASE("the error about a missing NumPy file names the path") {
  check_throws(ErrorCode::bad_file, "/nowhere/a.npy", [] { read_npy("/nowhere/a.npy"); });
}
