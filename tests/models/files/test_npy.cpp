#include <doctest/doctest.h>

#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include "models/files.hpp"
#include "models/files/npy.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

NpyArray read(const std::string& bytes) {
  const TemporaryFolder folder;
  write_file(folder / "a.npy", bytes);
  return read_npy(folder / "a.npy");
}

void check_bad(const std::string& what, const std::string& bytes) {
  check_throws(ErrorCode::bad_file, what, [&] { read(bytes); });
  check_throws(ErrorCode::bad_file, "a.npy", [&] { read(bytes); });
}

template <class T>
std::string raw(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

const std::string kFloats = raw<float>({1.5F, -2, 0, 4, 5, 6});

}  // namespace

TEST_CASE("arrays of all element types are read") {
  const auto array = [](const std::string& descr, const std::string& data) {
    return read(npy_bytes(npy_dictionary(descr, "(2,)"), data));
  };
  CHECK(array("<f4", raw<float>({1.5F, -2})).floats() == std::vector<float>{1.5F, -2});
  CHECK(array("<f8", raw<double>({1.5, -2})).floats() == std::vector<float>{1.5F, -2});
  CHECK(array("|u1", raw<std::uint8_t>({7, 255})).integers() == std::vector<std::int64_t>{7, 255});
  CHECK(array("|u1", raw<std::uint8_t>({7, 255})).floats() == std::vector<float>{7, 255});
  CHECK(array("<i4", raw<std::int32_t>({7, -1})).integers() == std::vector<std::int64_t>{7, -1});
  CHECK(array("<i8", raw<std::int64_t>({1LL << 40, -1})).integers() == std::vector<std::int64_t>{1LL << 40, -1});
  CHECK(array("<i8", raw<std::int64_t>({3, -1})).floats() == std::vector<float>{3, -1});
}

TEST_CASE("versions 1, 2 and 3, shapes and blanks are read") {
  for (const int version : {1, 2, 3}) {
    const NpyArray array = read(npy_bytes(npy_dictionary("<f4", "(2, 3)") + "      ", kFloats, version));
    CHECK(array.shape == std::vector<std::int64_t>{2, 3});
    CHECK(array.size() == 6);
  }
  CHECK(read(npy_bytes(npy_dictionary("<f4", "()"), kFloats.substr(0, 4))).shape.empty());
  CHECK(read(npy_bytes("{'shape':(6,),'fortran_order':False,'descr':\"<f4\"}", kFloats)).size() == 6);
}

TEST_CASE("other element types and orders are refused") {
  for (const char* descr : {">f4", "<f2", "<c8", "|b1", "|O", "<U4", "<u4", "", "f4"}) {
    check_bad("elements of type", npy_bytes(npy_dictionary(descr, "(6,)"), kFloats));
  }
  check_bad("Fortran", npy_bytes(npy_dictionary("<f4", "(2, 3)", true), kFloats));
}

TEST_CASE("lengths that differ from the header's are refused") {
  check_bad("holds 20", npy_bytes(npy_dictionary("<f4", "(6,)"), kFloats.substr(4)));
  check_bad("holds 25", npy_bytes(npy_dictionary("<f4", "(6,)"), kFloats + "x"));
  check_bad("promises", npy_bytes(npy_dictionary("<f4", "(4611686018427387904, 4)"), kFloats));
  check_bad("promises", npy_bytes(npy_dictionary("<f4", "(1000000000000,)"), kFloats));
}

TEST_CASE("malformed NumPy headers are refused") {
  const std::string good = npy_bytes(npy_dictionary("<f4", "(6,)"), kFloats);
  for (std::size_t length = 0; length + 24 < good.size(); ++length) {
    CAPTURE(length);
    check_throws(ErrorCode::bad_file, "a.npy", [&] { read(good.substr(0, length)); });
  }
  check_bad("not a NumPy file", std::string("\x92") + good.substr(1));
  check_bad("version", npy_bytes(npy_dictionary("<f4", "(6,)"), kFloats, 4));
  std::string huge = npy_bytes(npy_dictionary("<f4", "(6,)"), kFloats, 2);
  std::memcpy(huge.data() + 8, "\xff\xff\xff\xff", 4);
  check_bad("truncated in its header", huge);
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
    check_bad("malformed", npy_bytes(dictionary, kFloats));
  }
}

TEST_CASE("a missing NumPy file is named") {
  check_throws(ErrorCode::bad_file, "/nowhere/a.npy", [] { read_npy("/nowhere/a.npy"); });
}
