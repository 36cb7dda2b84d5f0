#pragma once

#include <doctest/doctest.h>
#include <stdlib.h>
#include <zlib.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "troupe/error.hpp"

namespace troupe::testing {

/// A folder of its own for a test, gone with it.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const std::filesystem::path& parent = std::filesystem::temp_directory_path()) {
    std::string name = (parent / "troupe-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw Error(ErrorCode::system, "cannot make a folder " + name);
    path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }

  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

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

/// The first `size` bytes of an integer, lowest first.
inline std::string little_endian(std::uint64_t value, int size) {
  std::string bytes;
  for (int i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i));
  return bytes;
}

/// An IDX file of unsigned bytes before it is compressed.
inline std::string idx_bytes(std::initializer_list<std::uint32_t> shape, std::string_view bytes) {
  std::string text{'\0', '\0', '\x08', static_cast<char>(shape.size())};
  for (const std::uint32_t length : shape) {
    for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(length >> shift);
  }
  return text.append(bytes);
}

/// A .npy file; `version` 1 has a short length of the header, 2 and 3 a long one.
inline std::string npy_bytes(const std::string& dictionary, std::string_view data, int version = 1) {
  const std::string header = dictionary + "\n";
  return std::string("\x93NUMPY") + static_cast<char>(version) + '\0' +
         little_endian(header.size(), version == 1 ? 2 : 4) + header + std::string(data);
}

inline std::string npy_dictionary(const std::string& descr, const std::string& shape, bool fortran = false) {
  return "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape + ", }";
}

/// The error that `call` throws must have this code and name `object`.
template <class Call>
void check_throws(ErrorCode code, const std::string& object, Call call) {
  try {
    call();
  } catch (const Error& error) {
    CHECK_MESSAGE(error.code() == code, error.what());
    CHECK_MESSAGE(std::string(error.what()).find(object) != std::string::npos, error.what());
    return;
  }
  FAIL_CHECK("nothing was thrown");
}

}  // namespace troupe::testing
