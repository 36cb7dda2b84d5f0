#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <span>
#include <string>

#include "runtime/file_descriptor.hpp"
#include "troupe/error.hpp"

namespace troupe::fuzz {

/// Ends the run, with the input kept, where what must hold does not.
inline void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "expected: %s\n", what);
  std::abort();
}

/// Runs a parser that may refuse its input with one of these codes, and with nothing else.
template <class Parse>
void may_refuse(Parse parse, std::initializer_list<ErrorCode> codes) {
  try {
    parse();
  } catch (const Error& error) {
    if (std::find(codes.begin(), codes.end(), error.code()) != codes.end()) return;
    std::fprintf(stderr, "%s: %s\n", to_string(error.code()), error.what());
    expect(false, "another code of the error");
  }
}

/// The input, taken piece by piece from its start. What is missing is zero.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : rest_(reinterpret_cast<const std::byte*>(data), size) {}

  bool empty() const { return rest_.empty(); }
  std::span<const std::byte> take(std::size_t bytes) {
    const auto taken = rest_.first(std::min(bytes, rest_.size()));
    rest_ = rest_.subspan(taken.size());
    return taken;
  }
  template <class T>
  T number() {
    T value{};
    const auto bytes = take(sizeof value);
    if (!bytes.empty()) std::memcpy(&value, bytes.data(), bytes.size());
    return value;
  }
  std::string text(std::size_t bytes = SIZE_MAX) {
    const auto taken = take(bytes);
    return {reinterpret_cast<const char*>(taken.data()), taken.size()};
  }
  /// Up to the next `end`, which is left out.
  std::string text_until(char end) {
    const auto found = std::find(rest_.begin(), rest_.end(), static_cast<std::byte>(end));
    std::string before = text(static_cast<std::size_t>(found - rest_.begin()));
    take(1);
    return before;
  }

 private:
  std::span<const std::byte> rest_;
};

/// A file in memory that holds one input after the other.
class InputInFile {
 public:
  InputInFile() : file_(::memfd_create("fuzz", MFD_CLOEXEC)), path_("/proc/self/fd/" + std::to_string(file_.get())) {}

  /// Where the bytes can be read until the next call.
  const std::string& hold(std::span<const std::byte> bytes) {
    const bool held = ::ftruncate(file_.get(), 0) == 0 &&
                      ::pwrite(file_.get(), bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size());
    expect(held, "a file in memory takes the input");
    return path_;
  }

 private:
  FileDescriptor file_;
  std::string path_;
};

/// What is said of each refused input on standard error would hide what matters.
inline void be_quiet() { std::cerr.rdbuf(nullptr); }

}  // namespace troupe::fuzz
