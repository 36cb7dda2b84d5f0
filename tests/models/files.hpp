#pragma once

#include <doctest/doctest.h>
#include <stdlib.h>
#include <zlib.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "support/temporary_folder.hpp"
#include "troupe/error.hpp"

namespace troupe::testing {

/// Returns a folder for temporary files, in memory if possible, where fsync takes no time.
inline std::filesystem::path fast_parent() {
  return std::filesystem::is_directory("/dev/shm") ? "/dev/shm" : std::filesystem::temp_directory_path();
}

using troupe_test::TemporaryFolder;

inline std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_file(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

inline void flip_last_byte(const std::string& path) {
  std::string bytes = read_file(path);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  write_file(path, bytes);
}

inline void write_gzip(const std::string& path, std::string_view bytes) {
  gzFile file = gzopen(path.c_str(), "wb1");
  if (!bytes.empty()) gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(file);
}

/// Returns the first `size` bytes of an integer, lowest first.
inline std::string little_endian(std::uint64_t value, int size) {
  std::string bytes;
  for (int i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i));
  return bytes;
}

/// Returns an IDX file of unsigned bytes, not compressed.
inline std::string idx_bytes(std::initializer_list<std::uint32_t> shape, std::string_view bytes) {
  std::string text{'\0', '\0', '\x08', static_cast<char>(shape.size())};
  for (const std::uint32_t length : shape) {
    for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(length >> shift);
  }
  return text.append(bytes);
}

/// Returns the bytes of the values in native order.
template <class T>
std::string raw_bytes(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

/// Returns a .npy file. Version 1 has a 16-bit header length, versions 2 and 3 a 32-bit one.
inline std::string npy_bytes(const std::string& dictionary, std::string_view data, int version = 1) {
  const std::string header = dictionary + "\n";
  return std::string("\x93NUMPY") + static_cast<char>(version) + '\0' +
         little_endian(header.size(), version == 1 ? 2 : 4) + header + std::string(data);
}

inline std::string npy_dictionary(const std::string& descr, const std::string& shape, bool fortran = false) {
  return "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape + ", }";
}

/// Checks that `call` throws an error with this code and with `object` in its message.
template <class Call>
void check_throws(ErrorCode code, const std::string& object, Call call) {
  try {
    call();
  } catch (const Error& error) {
    const std::string message = error.what();
    CHECK_MESSAGE(error.code() == code, message);
    CHECK_MESSAGE(message.find(object) != std::string::npos, message);
    return;
  }
  FAIL_CHECK("no exception was thrown");
}

}  // namespace troupe::testing
